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
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from docendo.theory.kinds import Kinds

__all__ = ["Course", "Problem", "State", "descend", "evaluate", "flow", "start"]

Reals = NDArray[np.float64]
Flags = NDArray[np.bool_]

_RELATIVE, _ABSOLUTE = 1e-9, 1e-13
# The velocity is close to linear over this much of C1 or of a logit, wherever the flow is stiff.
_INCREMENT = 1e-7
_SERIES_BELOW = 1e-2


@dataclass(frozen=True)
class Problem:
    """The teacher's kinds, τ, ‖V*‖², α + β and 2β/π."""

    kinds: Kinds
    logit_scale: float
    value_square: float
    moment: float
    bend: float

    @cached_property
    def inside(self) -> Flags:
        """Which kinds of tokens are on the support."""
        return self.kinds.weights > 0

    @cached_property
    def outside(self) -> Flags:
        """Which are off it."""
        return (self.kinds.weights == 0) & (self.kinds.copies > 0)

    @cached_property
    def log_weights(self) -> Reals:
        """log s* on the support, 0 off it."""
        return np.asarray(np.log(np.where(self.inside, self.kinds.weights, 1)))

    @cached_property
    def norm(self) -> Reals:
        """‖s*‖."""
        return np.asarray(np.sqrt(self.kinds.squares))


class State(NamedTuple):
    """x = C1 − 1 and the logits (kinds of columns, kinds of tokens); or how fast they move."""

    shift: float
    logits: Reals


class Course(NamedTuple):
    """Excess losses at increasing times ηT."""

    times: Reals
    losses: Reals


def start(problem: Problem) -> State:
    """The zero start."""
    return State(-1.0, np.zeros_like(problem.kinds.weights))


def _errors(problem: Problem, logits: Reals) -> Reals:
    """s − s*, from s/s* − 1 on the supports and from the masses off them, so that nothing cancels."""
    kinds, inside, outside = problem.kinds, problem.inside, problem.outside
    ratios = np.where(inside, logits - problem.log_weights, -np.inf)
    reference = ratios.max(1, keepdims=True)
    grown = kinds.weights * np.expm1(np.where(inside, ratios - reference, 0))
    masses = np.where(outside, np.exp(np.where(outside, logits - reference, 0)), 0)
    surplus = (kinds.copies * (grown + masses)).sum(1, keepdims=True)
    return np.asarray((grown + masses - kinds.weights * surplus) / (1 + surplus))


def evaluate(problem: Problem, state: State) -> tuple[float, State]:
    """The excess loss, and minus its gradient by C1 and by the logits, as descent and flow move along it."""
    kinds, shift, ahead = problem.kinds, state.shift, 1 + state.shift
    errors = _errors(problem, state.logits)
    scores = kinds.weights + errors
    own, target = kinds.copies * scores, kinds.copies * errors
    square, overlap, distance = (own * scores).sum(1), (own * errors).sum(1), (target * errors).sum(1)
    loss = problem.moment / 2 * (shift**2 * square + distance + 2 * shift * overlap)
    by_shift = problem.moment * (shift * square + overlap)
    by_score = problem.moment * ahead * (ahead * errors + shift * kinds.weights)
    if problem.bend:
        along, agreement = (target * kinds.weights).sum(1) / problem.norm, (own * kinds.weights).sum(1)
        across = np.sqrt(np.maximum(distance - along**2, 0)) * problem.norm
        angle = np.arctan2(across, np.sign(ahead) * agreement) if ahead else np.full_like(across, np.pi / 2)
        loss = loss - problem.bend * abs(ahead) * np.sqrt(square) * problem.norm * _turn(angle)
        by_shift = by_shift - problem.bend * (np.sign(ahead) * across - angle * agreement)
        pull = (abs(ahead) * across / square)[:, None] * scores - (ahead * angle)[:, None] * kinds.weights
        by_score = by_score - problem.bend * pull
    rate = problem.logit_scale**2 * problem.value_square
    by_logit = scores * (by_score - (own * by_score).sum(1, keepdims=True))
    velocity = State(-float((kinds.counts * by_shift).sum()), -rate * by_logit)
    return float(problem.value_square * (kinds.counts * loss).sum()), velocity


def _turn(angle: Reals) -> Reals:
    """sin θ − θ cos θ."""
    series = angle**3 * (1 / 3 - angle**2 / 30 + angle**4 / 840)
    return np.where(angle < _SERIES_BELOW, series, np.sin(angle) - angle * np.cos(angle))


def descend(problem: Problem, state: State, learning_rate: float) -> Iterator[tuple[State, float]]:
    """Gradient descent: the states after one step, two steps, …, each with its excess loss."""
    _, velocity = evaluate(problem, state)
    while True:
        shift = state.shift + learning_rate * velocity.shift
        state = State(shift, state.logits + learning_rate * velocity.logits)
        loss, velocity = evaluate(problem, state)
        yield state, loss


def flow(problem: Problem, state: State, begin: float, end: float, points: int) -> tuple[State, Course]:
    """The gradient flow from `begin` to `end`, in logarithmic time, with the loss at `points` times."""
    shape = state.logits.shape

    def unpack(vector: Reals) -> State:
        return State(float(vector[0]), vector[1:].reshape(shape))

    def field(log_time: float, vector: Reals) -> Reals:
        _, velocity = evaluate(problem, unpack(vector))
        return np.exp(log_time) * np.append(velocity.shift, velocity.logits)

    def jacobian(log_time: float, vector: Reals) -> Reals:
        here = field(log_time, vector)
        moved = [field(log_time, vector + row) - here for row in _INCREMENT * np.eye(len(vector))]
        return np.stack(moved, axis=1) / _INCREMENT

    at = np.linspace(np.log(begin), np.log(end), points)
    packed = np.append(state.shift, state.logits)
    solution = solve_ivp(field, at[[0, -1]], packed, "BDF", at, jac=jacobian, rtol=_RELATIVE, atol=_ABSOLUTE)
    losses = np.array([evaluate(problem, unpack(vector))[0] for vector in solution.y.T])
    return unpack(solution.y[:, -1]), Course(np.exp(solution.t), losses)
