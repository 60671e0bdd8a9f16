"""A weighted, directed graph: node i averages the nodes whose edges come into it, by their weights."""

import networkx

import docendo as dc

graph = networkx.DiGraph()
graph.add_weighted_edges_from([(0, 1, 2.0), (1, 2, 1.0), (2, 3, 0.5), (3, 0, 1.0), (0, 2, 3.0)])
teacher = dc.teachers.graph_convolution(graph, directed=True, weighted=True, features=4, channels=3, seed=0)
run = dc.train(teacher, None, dc.GradientDescent(0.5 * dc.stable_learning_rate(teacher)), steps=20_000)
print(run)
print("largest error of the scores:", abs(run.student.scores - teacher.scores).max())
