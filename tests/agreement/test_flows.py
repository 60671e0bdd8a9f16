"""The flow of values and logits is the flow of scalars, and descent tends to both as its steps get small."""

import numpy as np
import pytest

import docendo as dc

ACTIVATIONS = [dc.identity, dc.relu, dc.leaky_relu(0.1)]
COMPARED = ["excess_loss", "value_error", "score_error", "leakage", "gap", "c1", "c2", "c3", "local_exponent"]


def teacher(sizes, activation, seed=0):
    rng = np.random.default_rng(seed)
    scores = np.zeros((len(sizes), len(sizes)))
    for i, size in enumerate(sizes):
        scores[rng.choice(len(sizes), size, replace=False), i] = 1 / size
    return dc.Teacher(1.5 * rng.standard_normal((2, 3)), scores, activation)


@pytest.mark.parametrize("sizes", [[1] * 4, [2] * 4, [1, 2, 3, 4]], ids=str)
@pytest.mark.parametrize("activation", ACTIVATIONS, ids=repr)
def test_full_and_reduced_flow(activation, sizes):
    """To ηT = 1e15, within a hundred times the tolerance of a step, the bound that the flow states."""
    of = teacher(sizes, activation)
    full, scalar = (
        dc.train(of, None, dc.GradientFlow(rtol=1e-9, reduce=reduce), time=1e15, save_at=dc.log_spaced(16, first=0.1))
        for reduce in (False, True)
    )
    assert (full.data.attrs["form"], scalar.data.attrs["form"]) == ("values and logits", "scalars")
    for name in COMPARED:
        np.testing.assert_allclose(full.data[name], scalar.data[name], rtol=1e-7, err_msg=name)


@pytest.mark.parametrize("activation", ACTIVATIONS, ids=repr)
@pytest.mark.parametrize("kind", [dc.Reduced, dc.GradientDescent])
def test_descent_tends_to_the_flow_with_order_one(activation, kind):
    """At fixed ηT the distance halves with η; twice the finer curve minus the coarser is closer by another order."""
    of, time = teacher([1, 2, 3, 4], activation), [2.0, 16.0]
    flow = dc.train(of, None, dc.GradientFlow(rtol=1e-11), time=16.0, save_at=time).data.excess_loss.to_numpy()
    first_order(of, None, kind, time, flow)


def test_full_descent_tends_to_the_full_flow():
    """Unequal weights, a start off zero, P not orthonormal: nothing is left of the symmetry."""
    rng = np.random.default_rng(4)
    scores = rng.random((4, 4)) * (rng.random((4, 4)) < 0.5) + 0.3 * np.eye(4)
    of = dc.Teacher(rng.standard_normal((2, 3)), scores / scores.sum(0), dc.relu)
    positions = dc.positions.gaussian(4, 4, seed=1)
    start = dc.PositionOnly(rng.standard_normal((2, 3)), rng.standard_normal((4, 4)), positions)
    time = [2.0, 16.0]
    run = dc.train(of, start, dc.GradientFlow(rtol=1e-11), time=16.0, save_at=time)
    first_order(of, start, dc.GradientDescent, time, run.data.excess_loss.to_numpy())


def first_order(of, start, kind, time, flow):
    rates = [1 / 128, 1 / 256, 1 / 512]
    curves = []
    for rate in rates:
        steps = [round(moment / rate) for moment in time]
        curves.append(dc.train(of, start, kind(rate), steps=steps[-1], save_at=steps).data.excess_loss.to_numpy())
    errors = [np.abs(curve - flow) for curve in curves]
    orders = np.log2(errors[0] / errors[1]), np.log2(errors[1] / errors[2])
    # The next term is of relative size η times the curvature: the order drifts to 1 from within a few percent.
    np.testing.assert_allclose(orders[0], 1, atol=0.1)
    np.testing.assert_allclose(orders[1], 1, atol=0.05)
    assert (np.abs(2 * curves[2] - curves[1] - flow) < 0.05 * errors[2]).all()
