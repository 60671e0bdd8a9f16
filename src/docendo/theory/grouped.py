"""Training from zero in the kinds of `docendo.theory.kinds`: gradient descent step by step, and its flow.

Under white inputs and with orthonormal P, W_V = C1 V* throughout, and tokens of one kind keep equal logits. So the
state is x = C1 − 1 and one logit for each kind of token, for any S* whatever. With s the scores, e = s − s*, sums over
a column written as products, and in units of ‖V*‖²,

    L         = Σ_columns (α+β)/2 [x² s·s + e·e + 2x s·e] − (2β/π) |C1| ‖s‖‖s*‖ (sin θ − θ cos θ)
    ∂L/∂C1    = Σ_columns (α+β) [x s·s + s·e] − (2β/π) [± ‖s‖‖s*‖ sin θ − θ s·s*]          ± the sign of C1
    ∂L/∂s     = (α+β) [C1² e + C1 x s*] − (2β/π) [|C1| sin θ (‖s*‖/‖s‖) s − θ C1 s*]
    ∂L/∂ℓ     = s (∂L/∂s − s·∂L/∂s),    sin θ ‖s‖ the length of e across s*.

This is what `docendo.time_to_asymptotics` predicts from; no arrays of size D × D, and nothing shared with the code that
trains, so that the two can be held against each other. e and x are precise however small they get.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from docendo.theory.kinds import Kinds

__all__ = ["Course", "Problem", "State", "descend", "excess", "flow", "start"]

Reals = NDArray[np.float64]

_RELATIVE, _ABSOLUTE = 1e-9, 1e-13
# The velocity is close to linear over this much of C1 or of a logit, wherever the flow is stiff.
_INCREMENT = 1e-7


class Problem(NamedTuple):
    """The teacher's kinds, τ, ‖V*‖², α + β and 2β/π."""

    kinds: Kinds
    logit_scale: float
    value_square: float
    moment: float
    bend: float


class State(NamedTuple):
    """x = C1 − 1 and the logits (kinds of columns, kinds of tokens)."""

    shift: float
    logits: Reals


class Course(NamedTuple):
    """Excess losses at increasing times ηT."""

    times: Reals
    losses: Reals


class _Column(NamedTuple):
    """s, e, and by column s·s, s·e, s·s*, ‖s‖‖s*‖ sin θ, θ and the length of s*."""

    scores: Reals
    errors: Reals
    square: Reals
    overlap: Reals
    agreement: Reals
    across: Reals
    angle: Reals
    norm: Reals


def start(problem: Problem) -> State:
    """The zero start."""
    return State(-1.0, np.zeros_like(problem.kinds.weights))


def _columns(problem: Problem, state: State) -> _Column:
    copies, weights = problem.kinds.copies, problem.kinds.weights
    errors = _errors(problem.kinds, state.logits)
    scores = weights + errors
    square, overlap = (copies * scores**2).sum(1), (copies * scores * errors).sum(1)
    agreement, norm = (copies * scores * weights).sum(1), np.sqrt(problem.kinds.squares)
    if not problem.bend:
        nothing = np.zeros_like(square)
        return _Column(scores, errors, square, overlap, agreement, nothing, nothing, norm)
    along = (copies * errors * weights).sum(1) / norm
    across = np.sqrt(np.maximum((copies * errors**2).sum(1) - along**2, 0)) * norm
    ahead = 1 + state.shift
    angle = np.arctan2(across, np.sign(ahead) * agreement) if ahead else np.full_like(across, np.pi / 2)
    return _Column(scores, errors, square, overlap, agreement, across, angle, norm)


def _errors(kinds: Kinds, logits: Reals) -> Reals:
    """s − s*, from s/s* − 1 on the supports and from the masses off them, so that nothing cancels."""
    inside, outside = kinds.weights > 0, (kinds.weights == 0) & (kinds.copies > 0)
    ratios = np.where(inside, logits - np.log(np.where(inside, kinds.weights, 1)), -np.inf)
    reference = ratios.max(1, keepdims=True)
    grown = kinds.weights * np.expm1(np.where(inside, ratios - reference, 0))
    masses = np.where(outside, np.exp(np.where(outside, logits - reference, 0)), 0)
    surplus = (kinds.copies * (grown + masses)).sum(1, keepdims=True)
    return np.asarray((grown + masses - kinds.weights * surplus) / (1 + surplus))


def excess(problem: Problem, state: State) -> float:
    """The excess loss."""
    column, shift = _columns(problem, state), state.shift
    distance = (problem.kinds.copies * column.errors**2).sum(1)
    loss = problem.moment / 2 * (shift**2 * column.square + distance + 2 * shift * column.overlap)
    if problem.bend:
        length, theta = np.sqrt(column.square) * column.norm, column.angle
        series = theta**3 * (1 / 3 - theta**2 / 30 + theta**4 / 840)
        turn = np.where(theta < 1e-2, series, np.sin(theta) - theta * np.cos(theta))
        loss = loss - problem.bend * abs(1 + shift) * length * turn
    return float(problem.value_square * (problem.kinds.counts * loss).sum())


def _velocity(problem: Problem, state: State) -> State:
    """Minus the gradient, by C1 and by the logits, as descent and flow move along it."""
    kinds, shift = problem.kinds, state.shift
    ahead = 1 + shift
    column = _columns(problem, state)
    by_shift = problem.moment * (shift * column.square + column.overlap)
    own, target = np.zeros_like(column.square), np.full_like(column.square, problem.moment * ahead * shift)
    if problem.bend:
        by_shift = by_shift - problem.bend * (np.sign(ahead) * column.across - column.angle * column.agreement)
        own = -problem.bend * abs(ahead) * column.across / column.square
        target = target + problem.bend * column.angle * ahead
    by_score = (
        problem.moment * ahead**2 * column.errors + own[:, None] * column.scores + target[:, None] * kinds.weights
    )
    mean = (kinds.copies * column.scores * by_score).sum(1, keepdims=True)
    rate = problem.logit_scale**2 * problem.value_square
    return State(-float((kinds.counts * by_shift).sum()), -rate * column.scores * (by_score - mean))


def descend(problem: Problem, state: State, learning_rate: float) -> Iterator[State]:
    """Gradient descent, one state after another."""
    while True:
        velocity = _velocity(problem, state)
        shift = state.shift + learning_rate * velocity.shift
        state = State(shift, state.logits + learning_rate * velocity.logits)
        yield state


def flow(problem: Problem, state: State, begin: float, end: float, points: int) -> tuple[State, Course]:
    """The gradient flow from `begin` to `end`, in logarithmic time, with the loss at `points` times."""
    shape = state.logits.shape

    def unpack(vector: Reals) -> State:
        return State(float(vector[0]), vector[1:].reshape(shape))

    def field(log_time: float, vector: Reals) -> Reals:
        velocity = _velocity(problem, unpack(vector))
        return np.exp(log_time) * np.append(velocity.shift, velocity.logits)

    def jacobian(log_time: float, vector: Reals) -> Reals:
        here = field(log_time, vector)
        moved = [field(log_time, vector + row) - here for row in _INCREMENT * np.eye(len(vector))]
        return np.stack(moved, axis=1) / _INCREMENT

    at = np.linspace(np.log(begin), np.log(end), points)
    packed = np.append(state.shift, state.logits)
    solution = solve_ivp(field, at[[0, -1]], packed, "BDF", at, jac=jacobian, rtol=_RELATIVE, atol=_ABSOLUTE)
    losses = np.array([excess(problem, unpack(vector)) for vector in solution.y.T])
    return unpack(solution.y[:, -1]), Course(np.exp(solution.t), losses)
