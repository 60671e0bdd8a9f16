"""Keys and queries with matrices of their own, from a small random start: the descent is no longer that on W_KQ."""

import docendo as dc

teacher = dc.teachers.random(6, sparsity=2, features=3, channels=3, activation=dc.relu, seed=0)
start = dc.FactoredPositionOnly.random(teacher, scale=0.1, seed=0)
run = dc.train(teacher, start, dc.GradientDescent(0.1), steps=20_000)
whole = dc.train(teacher, start.multiplied(), dc.GradientDescent(0.1), steps=20_000)
print("score error by factors:", run.data.score_error[-1].item(), "by W_KQ:", whole.data.score_error[-1].item())
print("local exponent by factors:", run.data.local_exponent[-1].item(), end=" ")
print("by W_KQ:", whole.data.local_exponent[-1].item())
