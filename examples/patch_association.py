"""Patch association: a partition of the patches, every output averages its own block. Blocks may differ in size."""

import docendo as dc

blocks = [[0, 3, 5], [1, 6], [2, 4, 7]]
teacher = dc.teachers.patch_association(partition=blocks, features=4, channels=4, activation=dc.relu, seed=0)
run = dc.train(teacher, None, dc.GradientDescent(0.5 * dc.stable_learning_rate(teacher)), steps=5_000)
print(run)
print("support sizes:", teacher.support_sizes, " largest leakage:", run.data.largest_leakage[-1].item())
