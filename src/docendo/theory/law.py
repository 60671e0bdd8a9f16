"""docendo's law of late training: how plain gradient descent approaches a teacher it converges to.

    ηT × (L − L_opt)       →  c_L = Σ_i K_i (D − K_i) / (4 τ² D)          orthonormal P; any V*, σ, weights, covariances
    √(ηT) × ‖W_V − V*‖_F   →  (D−K) √(K/(2(α+β))) / (τ√D)                 and, besides, equal K and white inputs
    √(ηT) × ‖S − S*‖_F     →  D √((D−K)/(2(α+β))) / (‖V*‖_F τ√D)          and, besides, uniform columns

The first does not know the loss: softmax opens gaps at a rate that depends on the loss only through what each mass off
the supports costs, and masses settle where all of a column cost alike. Derived on the documentation's page "The 1/T
law", with the general forms of the other two (`docendo.theory.slow_manifold`), the next order
(`docendo.theory.corrections`), and what takes the place of the first for any other P (`docendo.theory.margin`). Not in
arXiv 2603.22801, whose Theorem 3.1 states other powers of D for the three.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from docendo.checks import check_axes, check_finite, check_positive
from docendo.inputs import Factored, Inputs, white
from docendo.teachers.symmetric import SymmetricTeacher
from docendo.theory.asymptotics import problem_of
from docendo.theory.corrections import Correction, log_coefficient, onset, white_limit
from docendo.theory.curvature import decay_rate
from docendo.theory.grouped import Problem
from docendo.theory.kinds import AnyTeacher, Kinds
from docendo.theory.margin import Margin, common_scale, hard_margin
from docendo.theory.memory import MOST_MASSES, memory_exponent, white_memory_exponent
from docendo.theory.slow_manifold import Manifold, Scale, manifold, white_manifold
from docendo.theory.validity import applies, conditions, is_white, solvable
from docendo.theory.verdicts import Hypothesis

__all__ = ["Law", "universal_law"]

Reals = NDArray[np.float64]

MOST_MARGIN_TOKENS = 40
MOST_NEWTON_TOKENS = 128


@dataclass(frozen=True)
class Law:
    """Predicted limits for one instance.

    Attributes:
        excess_loss: the limit of ηT × excess loss; 0 where all columns have K = D, infinite where P cannot select S*.
        score_error: the limit of √(ηT) × ‖S − S*‖_F; None where it is not derived.
        value_error: the limit of √(ηT) × ‖W_V − V*‖_F; None where it is not derived.
        correction: the next order of the excess loss; None where it is not derived.
        onset: the ηT that must be far exceeded; None where it is not known.
        memory_exponent: p, where what the start leaves in the masses off the supports dies out like (ηT)^(−p), and in
            the loss like (ηT)^(−2p). Training from zero under white inputs leaves nothing of the kind. None where it is
            not known.
        decay_rate: r in excess loss ~ exp(−r ηT) where all columns have K = D, for small η; a step of size η multiplies
            the loss by (1 − ηr/2)². None elsewhere.
        label: "law" (derived and confirmed by runs) or "conjecture" (derived in part, confirmed by runs).
        conditions: what is assumed, checked on the instance.
        missing: for every limit that is None, why.
    """

    excess_loss: float
    score_error: float | None
    value_error: float | None
    correction: Correction | None
    onset: float | None
    memory_exponent: float | None
    decay_rate: float | None
    label: Literal["law", "conjecture"]
    conditions: tuple[Hypothesis, ...]
    missing: Mapping[str, str]

    @property
    def applies(self) -> bool | None:
        """False where a condition is violated; None where all that can be checked before a run holds."""
        return applies(self.conditions)

    def __str__(self) -> str:
        limits = {"excess_loss × ηT": self.excess_loss}
        limits |= {"score_error × √(ηT)": self.score_error, "value_error × √(ηT)": self.value_error}  # type: ignore[dict-item]
        lines = [f"{name} → {'not derived' if limit is None else f'{limit:.6g}'}" for name, limit in limits.items()]
        if self.decay_rate is not None:
            lines.append(f"excess_loss ~ exp(−{self.decay_rate:.6g} ηT)")
        marks = {True: "holds", False: "violated", None: "not known"}
        lines += [f"{marks[each.holds]}: {each.name} ({each.detail})" for each in self.conditions]
        return "\n".join([f"{self.label}:", *(f"  {line}" for line in lines)])


def universal_law(
    teacher: AnyTeacher, positions: Any = None, logit_scale: Any = None, inputs: Inputs | None = None
) -> Law:
    """What plain gradient descent (or its flow) tends to, for this teacher.

    Args:
        teacher: f*, with arrays or a `docendo.teachers.symmetric` one.
        positions: P (E, D) of the student; left out, the unit matrix.
        logit_scale: τ of the student; left out, 1/√D.
        inputs: the law of X; left out, white Gaussian.

    Raises:
        ValueError: shapes disagree, τ ≤ 0, P is not orthonormal up to a factor and D > 40, or a symmetric teacher comes
            with such a P or with correlated inputs.
    """
    law = white if inputs is None else inputs
    _check_inputs(teacher, law)
    scale = teacher.tokens**-0.5 if logit_scale is None else float(logit_scale)
    check_positive("logit_scale", scale, 0.25)
    encodings = _encodings(teacher, positions)
    common = 1.0 if encodings is None else common_scale(encodings)
    margin = None
    if common is None and encodings is not None:
        margin = _margin(teacher, encodings, scale)
    problem = problem_of(teacher, scale * (common or 1.0) ** 2)
    checked = conditions(teacher, problem.kinds, law, encodings, margin)
    limit = white_limit(problem.kinds, problem.logit_scale) if margin is None else margin.limit
    decay = decay_rate(problem) if limit == 0 and is_white(law) and margin is None else None
    reason = "" if limit == 0 else _underived(teacher, law, margin)
    found = Manifold(0.0, 0.0, 0.0) if limit == 0 else None if reason else _manifold(teacher, problem, law, margin)
    correction, start, missing = _next_order(teacher, problem, law, margin, found if limit else None)
    missing |= dict.fromkeys(("score_error", "value_error"), reason) if reason else {}
    return Law(
        excess_loss=limit,
        score_error=None if found is None else found.score_error,
        value_error=None if found is None else found.value_error,
        correction=correction,
        onset=start,
        memory_exponent=_memory(teacher, problem, law, margin) if found is not None and limit else None,
        decay_rate=decay,
        label="law" if margin is None or _is_derived(margin, problem.kinds) else "conjecture",
        conditions=checked,
        missing=missing,
    )


def _encodings(teacher: AnyTeacher, positions: Any) -> Reals | None:
    if positions is None:
        return None
    encodings = np.asarray(positions, dtype=float)
    check_axes("positions", encodings, "width tokens", {"tokens": teacher.tokens})
    check_finite("positions", encodings)
    return encodings


def _margin(teacher: AnyTeacher, encodings: Reals, scale: float) -> Margin:
    if isinstance(teacher, SymmetricTeacher):
        raise ValueError(
            f"{teacher!r} has no supports, which the law needs where PᵀP is not a multiple of the unit matrix. "
            "Give a teacher with arrays: dc.teachers.random(tokens=16, sparsity=4, ...)."
        )
    if teacher.tokens > MOST_MARGIN_TOKENS:
        raise ValueError(
            "where PᵀP is not a multiple of the unit matrix the law solves a program in D² unknowns, which is done up "
            f"to tokens={MOST_MARGIN_TOKENS}, got tokens={teacher.tokens}. Take dc.positions.orthogonal(...) instead."
        )
    return hard_margin(encodings, np.asarray(teacher.support), scale)


def _check_inputs(teacher: AnyTeacher, inputs: Inputs) -> None:
    if not isinstance(teacher, SymmetricTeacher):
        inputs.check_sizes(teacher.features, teacher.tokens)
    elif not is_white(inputs):
        raise ValueError(
            f"{teacher!r} is known by its support sizes alone, which say enough under white inputs, got {inputs!r}. "
            "Give a teacher with arrays: dc.teachers.random(tokens=16, sparsity=4, ...)."
        )


def _is_derived(margin: Margin, kinds: Kinds) -> bool:
    """Whether every mass carries loss, so that the convergence to the law is proved and not only seen in runs."""
    masses = (kinds.counts * (kinds.tokens - kinds.sizes)).sum()
    if margin.multipliers is None or margin.rank < kinds.tokens:
        return False
    return bool((margin.multipliers > 0).sum() == masses)


def _underived(teacher: AnyTeacher, inputs: Inputs, margin: Margin | None) -> str:
    """Why the limits of the errors are not known; empty where they are."""
    if margin is not None and margin.rank < teacher.tokens:
        return f"P has rank {margin.rank} < D = {teacher.tokens}, so that not every change of the logits is open"
    if teacher.tokens > MOST_NEWTON_TOKENS and not is_white(inputs):
        return f"for correlated inputs a program in D² unknowns is solved, up to D = {MOST_NEWTON_TOKENS}"
    return solvable(teacher, inputs) or ""


def _manifold(teacher: AnyTeacher, problem: Problem, inputs: Inputs, margin: Margin | None) -> Manifold:
    beta, norm = math.pi / 2 * problem.bend, math.sqrt(problem.value_square)
    if margin is None and is_white(inputs):
        return white_manifold(problem.kinds, Scale(problem.logit_scale, norm, norm**2, problem.moment, beta))
    scores, covariance, pressure, square = _arrays(teacher, problem, inputs, margin)
    return manifold(scores, covariance, pressure, Scale(problem.logit_scale, norm, square, problem.moment, beta))


def _arrays(
    teacher: AnyTeacher, problem: Problem, inputs: Inputs, margin: Margin | None
) -> tuple[Reals, Reals, Reals, float]:
    """S*, Σ_D, ŷ and tr(V* Σ_d V*ᵀ)."""
    scores, seen, covariance = np.asarray(teacher.scores), np.asarray(teacher.value), np.eye(teacher.tokens)
    if isinstance(inputs, Factored) and (factor := inputs.feature_factor(teacher.features)) is not None:
        seen = seen @ np.asarray(factor)
    if isinstance(inputs, Factored) and inputs.token_factor is not None:
        covariance = np.asarray(inputs.token_factor) @ np.asarray(inputs.token_factor).T
    if margin is not None and margin.multipliers is not None:
        return scores, covariance, margin.multipliers, float((seen**2).sum())
    pressure = (scores > 0).sum(0) / (2 * problem.logit_scale**2 * teacher.tokens)
    return scores, covariance, np.where(scores > 0, 0, pressure), float((seen**2).sum())


def _memory(teacher: AnyTeacher, problem: Problem, inputs: Inputs, margin: Margin | None) -> float | None:
    """The memory exponent where it is cheap to have, and every mass carries loss."""
    kinds = problem.kinds
    if margin is None and is_white(inputs) and len(set(kinds.sizes)) == 1:
        return white_memory_exponent(kinds)
    masses = (kinds.counts * (kinds.tokens - kinds.sizes)).sum()
    if isinstance(teacher, SymmetricTeacher) or masses > MOST_MASSES:
        return None
    if margin is not None and not _is_derived(margin, kinds):
        return None
    scores, covariance, pressure, square = _arrays(teacher, problem, inputs, margin)
    gram = None if margin is None else margin.gram
    return memory_exponent(scores, covariance, pressure, problem.moment * square, problem.logit_scale, gram)


def _next_order(
    teacher: AnyTeacher, problem: Problem, inputs: Inputs, margin: Margin | None, found: Manifold | None
) -> tuple[Correction | None, float | None, dict[str, str]]:
    """The correction, the onset, and why the first is missing."""
    if found is None or margin is not None:
        reason = "it is derived for orthonormal P and inputs of known covariance alone"
        return None, None, {"correction": reason}
    if not is_white(inputs):
        return Correction(found.correction, None, 1.0), None, {}
    start = onset(problem.kinds, problem.logit_scale, problem.moment * problem.value_square)
    log = None
    if teacher.activation.is_linear:
        log = log_coefficient(problem.kinds, problem.logit_scale, problem.value_square)
    return Correction(found.correction, log, start), start, {}
