"""Momentum and Adam on the exact gradient: the first keeps the 1/T law, the second leaves it."""

import optax

import docendo as dc

teacher = dc.teachers.random(tokens=6, sparsity=2, features=3, channels=2, activation=dc.relu, seed=0)
runs = {}
for name, optimizer in {"momentum": optax.sgd(0.02, momentum=0.9), "adam": optax.adam(0.01)}.items():
    runs[name] = dc.train(teacher, None, dc.PopulationOptimizer(optimizer), steps=20_000)
    print(name, runs[name].data.excess_loss[-1].item(), runs[name].data.local_exponent[-1].item())
