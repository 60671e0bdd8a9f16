"""The same 200 noisy pairs at every step: the training loss goes on falling, the population's excess loss does not."""

import docendo as dc

teacher = dc.teachers.random(tokens=6, sparsity=2, features=3, channels=2, activation=dc.relu, seed=0)
steps = [1, 10, 100, 1000]
run = dc.train(teacher, None, dc.FiniteSample(200, 0.2, noise=1.0), steps=1000, save_at=steps, key=0)
exact = dc.train(teacher, None, dc.GradientDescent(0.2), steps=1000, save_at=steps)
for at in steps:  # the last column is what infinitely many pairs would give
    now = run.data.sel(step=at)
    print(at, now.training_loss.item(), now.excess_loss.item(), exact.data.excess_loss.sel(step=at).item())
