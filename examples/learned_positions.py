"""Positional encodings that are trained too, from sinusoidal ones, which held fixed make learning very slow."""

import docendo as dc

teacher = dc.teachers.random(6, sparsity=2, features=3, channels=3, activation=dc.relu, seed=0)
encodings = dc.positions.sinusoidal(6, 8)
run = dc.train(teacher, dc.LearnedPositions.zeros(teacher, encodings), dc.GradientDescent(0.02), steps=20_000)
fixed = dc.train(teacher, dc.PositionOnly.zeros(teacher, encodings), dc.GradientDescent(0.02), steps=20_000)
print("score error with P learned:", run.data.score_error[-1].item(), "fixed:", fixed.data.score_error[-1].item())
