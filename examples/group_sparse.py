"""The group-sparse linear predictor: one group of features decides the label, K = 1 and M = 1."""

import docendo as dc

teacher = dc.teachers.group_sparse(10, features=4, group=3, seed=0)
run = dc.train(teacher, None, dc.GradientDescent(0.5 * dc.stable_learning_rate(teacher)), steps=5_000)
print(run)
print("the group that attention found:", run.student.scores.mean(axis=1).argmax())
