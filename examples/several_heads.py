"""Three heads from a small random start learn f* exactly, and need not learn S*: they share it among themselves."""

import numpy as np

import docendo as dc

teacher = dc.teachers.random(6, sparsity=2, features=3, channels=3, activation=dc.relu, seed=0)
start = dc.MultiHead.random(teacher, heads=3, scale=0.1, seed=0)
run = dc.train(teacher, start, dc.GradientDescent(0.1), steps=20_000)
errors = [np.linalg.norm(scores - teacher.scores) for scores in run.student.scores]
print("excess loss:", run.data.excess_loss[-1].item(), " score error of each head:", np.round(errors, 3))
