"""Trained at 6 tokens, judged at 24 in every save: relative positions have a meaning at any length."""

import docendo as dc

short = dc.teachers.window(6, before=1, after=0, features=3, channels=3, seed=0)
long = dc.teachers.window(24, before=1, after=0, value=short.value)
there = {"excess_at_24": lambda student: dc.excess_loss(long, student.at_length(24))}
run = dc.train(short, dc.RelativePositions.zeros(short), dc.GradientDescent(0.1), steps=20_000, observe=there)
print("excess loss at 6 tokens:", run.data.excess_loss[-1].item(), "at 24:", run.data.excess_at_24[-1].item())
