"""A single layer σ(V* X): every token has to find itself, S* is the unit matrix."""

import docendo as dc

teacher = dc.teachers.single_layer(8, features=4, channels=4, activation=dc.relu, seed=0)
run = dc.train(teacher, None, dc.GradientDescent(0.5 * dc.stable_learning_rate(teacher)), steps=5_000)
print(run)
print("attention to itself:", run.student.scores.diagonal().min())
