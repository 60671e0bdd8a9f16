"""Train on Gaussian inputs, test on exponential ones: the excess loss under both laws, exact for the identity."""

import numpy as np

import docendo as dc

teacher = dc.teachers.sparse_token_selection(10, sparsity=3, features=5, seed=0)
rate = 0.5 * dc.stable_learning_rate(teacher)
run = dc.train(teacher, None, dc.GradientDescent(rate), steps=10_000, test_inputs=dc.inputs.Exponential())
slope = np.gradient(np.log(run.data.test_excess_loss), np.log(run.data.time))
print("excess loss at the end:", run.data.excess_loss[-1].item(), "on exponential inputs:", end=" ")
print(run.data.test_excess_loss[-1].item(), "local exponent there:", slope[-1])
