"""Sparse token selection: every output averages the same tokens, and V* is the unit matrix."""

import docendo as dc

teacher = dc.teachers.sparse_token_selection(10, selected=[1, 4, 7], features=5)
run = dc.train(teacher, None, dc.GradientDescent(0.5 * dc.stable_learning_rate(teacher)), steps=5_000)
print(run)
print("attention to each token:", run.student.scores.mean(axis=1).round(3))
