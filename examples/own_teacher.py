"""A teacher of your own: any V*, any S* whose columns sum to one."""

import numpy as np

import docendo as dc

value = np.array([[1.0, -2.0, 0.5], [0.0, 1.0, 1.0]])  # V*: 2 channels, 3 features
scores = np.array([[0.5, 0.0, 0.2], [0.5, 0.0, 0.3], [0.0, 1.0, 0.5]])  # S*: 3 tokens, weights need not be equal
teacher = dc.Teacher(value, scores, dc.relu)
rate = 0.5 * dc.stable_learning_rate(teacher)
run = dc.train(teacher, None, dc.GradientDescent(rate), steps=20_000)
print(run)
print(np.round(run.student.value, 3))
print(np.round(run.student.scores, 3))
