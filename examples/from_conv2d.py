"""The first layer of a network as the teacher, from its weights; the path of a safetensors file does as well."""

import equinox
import jax

import docendo as dc

layer = equinox.nn.Conv2d(1, 8, kernel_size=3, stride=3, use_bias=False, key=jax.random.key(0))
teacher = dc.teachers.from_network(layer.weight, layout="equinox", grid=(4, 4), pool=(2, 2))
run = dc.train(teacher, None, dc.GradientDescent(0.5 * dc.stable_learning_rate(teacher)), steps=10_000)
print(run)
print("features:", teacher.features, " K =", teacher.sparsity)
