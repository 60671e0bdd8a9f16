"""Dense scores, the softmax of noise: finite logits reach them, so the loss falls exponentially and not like 1/T."""

import docendo as dc

teacher = dc.teachers.softmax_random(tokens=6, features=4, channels=3, activation=dc.identity, seed=0)
run = dc.train(teacher, None, dc.GradientDescent(0.5 * dc.stable_learning_rate(teacher)), steps=20_000)
print(run)
print(dc.universal_law(teacher))
