"""A graph convolution: every node averages its neighbours and itself. SciPy sparse and dense adjacencies do as well."""

import networkx

import docendo as dc

teacher = dc.teachers.graph_convolution(networkx.petersen_graph(), features=4, channels=3, regular=True, seed=0)
run = dc.train(teacher, None, dc.GradientDescent(0.5 * dc.stable_learning_rate(teacher)), steps=5_000)
print(run)
print("K =", teacher.sparsity, " local exponent:", run.data.local_exponent[-1].item())
