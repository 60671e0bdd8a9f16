"""Instances that several tests look at."""

import numpy as np

import docendo as dc


def trapping():
    """A teacher and inputs: all columns select x_0 = −½y + ½z, which the other tokens x_j = y + 0.3 e_j contradict."""
    scores = np.zeros((4, 4))
    scores[0] = 1
    mix = np.array([[-0.5, 0.5, 0, 0, 0], [1, 0, 0.3, 0, 0], [1, 0, 0, 0.3, 0], [1, 0, 0, 0, 0.3]])
    return dc.Teacher(np.ones((1, 2)), scores), dc.inputs.Gaussian(token_covariance=mix @ mix.T)
