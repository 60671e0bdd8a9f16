"""A convolution with average pooling: 6 × 6 patches, pooled over blocks of 2 × 2."""

import docendo as dc

teacher = dc.teachers.convolution(grid=(6, 6), pool=(2, 2), features=9, channels=16, seed=0)
run = dc.train(teacher, None, dc.GradientDescent(0.5 * dc.stable_learning_rate(teacher)), steps=10_000)
print(run)
print("attention outside the pooling block:", run.data.leakage[-1].item())
