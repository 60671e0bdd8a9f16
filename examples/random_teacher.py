"""A random member of the class: each output averages K tokens drawn for it."""

import docendo as dc

teacher = dc.teachers.random(tokens=16, sparsity=4, features=8, channels=4, activation=dc.relu, seed=0)
run = dc.train(teacher, None, dc.GradientDescent(0.5 * dc.stable_learning_rate(teacher)), steps=5_000)
print(run)
print("value error:", run.data.value_error[-1].item(), " score error:", run.data.score_error[-1].item())
