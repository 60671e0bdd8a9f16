"""Windows of 2 × 2 patches that lie two apart, one at every patch: supports overlap, K stays 4."""

import docendo as dc

teacher = dc.teachers.convolution(
    grid=(5, 5), pool=(2, 2), stride=(1, 1), dilation=(2, 2), features=9, channels=8, seed=0
)
run = dc.train(teacher, None, dc.GradientDescent(0.5 * dc.stable_learning_rate(teacher)), steps=10_000)
print(run)
print("attention outside the windows:", run.data.leakage[-1].item())
