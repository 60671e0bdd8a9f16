"""The same teacher and rate twice: on the exact population loss, and on a fresh noisy batch every step."""

import docendo as dc

teacher = dc.teachers.graph_convolution(dc.teachers.cycle(8), features=4, channels=3, seed=0)
steps = [1, 10, 100, 1000]
exact = dc.train(teacher, None, dc.GradientDescent(0.1), steps=1000, save_at=steps)
online = dc.train(teacher, None, dc.Online(0.1, batch_size=100, noise=1.0), steps=1000, save_at=steps, key=0)
for at in steps:  # both columns are exact: what differs is how the student was trained
    print(at, exact.data.excess_loss.sel(step=at).item(), online.data.excess_loss.sel(step=at).item())
