"""A trained logit scale, through its logarithm: it grows with the logits, and learning is faster for it."""

import docendo as dc

teacher = dc.teachers.random(6, sparsity=2, features=3, channels=3, activation=dc.relu, seed=0)
run = dc.train(teacher, dc.FreeTemperature.zeros(teacher), dc.GradientDescent(0.1), steps=20_000)
held = dc.train(teacher, None, dc.GradientDescent(0.1), steps=20_000)
print("logit scale at the start:", run.start.logit_scale, "at the end:", run.student.logit_scale)
print("excess loss:", run.data.excess_loss[-1].item(), "with the scale held:", held.data.excess_loss[-1].item())
