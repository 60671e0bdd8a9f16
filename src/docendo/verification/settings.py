"""The sweep a claim is tried over, and the definitions used."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from docendo.theory.grammar import ParsedClaim, evaluate, parse_law, parse_ranges
from docendo.theory.grammar.expressions import Expression, variables

__all__ = ["DEFAULT_OVER", "PAPER_SCALE", "Over", "Settings", "settings_for"]

Over = Mapping[str, Sequence[float]] | Sequence[str]

PAPER_SCALE = "1 / sqrt(D)"

DEFAULT_OVER: dict[str, tuple[float, ...]] = {
    "D": (8, 16, 32, 64, 128, 256, 512, 1024),
    "K": (1, 2, 4),
    "V": (2.0, 8.0, 32.0),
    "eta": (0.02, 0.05, 0.1, 0.2),
    "M": (1, 2, 4),
}
# Variables that are tried where a law names them, and otherwise stay fixed.
FURTHER_OVER: dict[str, tuple[float, ...]] = {"d": (2, 4, 8), "tau": (0.25, 0.5, 1.0), "kappa": (0.0, 0.1, 1.0)}
FIXED: dict[str, float] = {"D": 8, "K": 1, "V": 2.0, "eta": 0.1, "kappa": 1.0, "M": 2, "d": 3}
FEWEST_TOKENS = 3


@dataclass(frozen=True)
class Settings:
    """A sweep.

    Attributes:
        over: the values of every swept variable.
        scale: the text of τ as a law in D, K, …
        window: first and last T that count, where the user gave them.
        chosen: whether the user gave ranges.
    """

    over: dict[str, tuple[float, ...]]
    scale: str = PAPER_SCALE
    window: tuple[float, float] | None = None
    chosen: bool = False

    def values(self, name: str) -> tuple[float, ...]:
        """The values a variable takes: those swept, or the one it is fixed at."""
        return self.over[name] if name in self.over else (FIXED[name],)

    def logit_scale(self, values: Mapping[str, float]) -> float:
        """τ at the given variables.

        Raises:
            ValueError: it is not positive and finite there.
        """
        scale = float(evaluate(self._law, dict(values)))
        if not (np.isfinite(scale) and scale > 0):
            place = ", ".join(f"{name} = {value:g}" for name, value in values.items() if name in ("D", "K"))
            raise ValueError(
                f"logit_scale must be positive, but {self.scale} is {scale:g} at {place}. For example {PAPER_SCALE!r}."
            )
        return scale

    @cached_property
    def _law(self) -> Expression:
        return parse_law(self.scale)

    def definitions(self) -> dict[str, Any]:
        """What a reader needs to rerun this, and with other definitions."""
        window = {} if self.window is None else {"T": self.window}
        fixed = [f"{name}={FIXED[name]:g}" for name in ("D", "K", "V", "kappa") if name not in self.over]
        return {
            "positions": "P orthogonal, so it drops out; columns of norm c act like logit_scale times c**2",
            "logit_scale": "swept" if "tau" in self.over else self.scale,
            "inputs": "white Gaussian",
            "start": "W_V = 0, W_KQ = 0",
            "scores": "uniform on supports of size K",
            "steps": "T counts steps; on the flow T = time/eta",
            "fixed": " ".join(fixed),
            "over": {name: list(values) for name, values in (self.over | window).items()},
        }


def settings_for(over: Over | None, logit_scale: str | None, laws: Iterable[ParsedClaim] = ()) -> Settings:
    """Settings from what a user gives.

    Args:
        over: ranges as texts or as numbers. Variables of the laws that it leaves out are swept over their defaults,
            so that every claimed power is tried; and D is swept wherever K is, since powers of K are judged as D → ∞.
        logit_scale: τ as a law in D, K and V; left out, the paper's.
        laws: the claims to be tried.

    Raises:
        ValueError: a range or law that cannot be read (a ClaimError), a range of one point, no D above the smallest K,
            too few D for a limit, or a logit scale that is not positive.
    """
    claims = list(laws)
    given = DEFAULT_OVER if over is None else over
    ranges = {name: tuple(values) for name, values in parse_ranges(_texts(given)).items()}
    window = ranges.pop("T", None)
    ends = None if window is None else (window[0], window[-1])
    settings = Settings(_completed(ranges, claims), logit_scale or PAPER_SCALE, ends, chosen=over is not None)
    _check_scale(settings)
    _check_sizes(settings, claims)
    return settings


def _texts(over: Over) -> list[str]:
    if isinstance(over, str):
        return over.split()
    if not isinstance(over, Mapping):
        return list(over)
    return [f"{name}={','.join(map(repr, np.atleast_1d(values).tolist()))}" for name, values in over.items()]


def _completed(ranges: Mapping[str, tuple[float, ...]], laws: Sequence[ParsedClaim]) -> dict[str, tuple[float, ...]]:
    """The ranges, and defaults for what the laws need beside them; τ only matters to powers, since it has a law."""
    named = {name for law in laws for name in law.variables}
    wanted = named - {"tau"} | {name for law in laws if _is_growth(law) for name in law.variables}
    # A law in T is tried at several learning rates: on the flow alone T and η could not be told apart.
    wanted |= {"eta"} if "T" in named else set()
    wanted |= {"D"} if "K" in wanted | set(ranges) else set()
    known = DEFAULT_OVER | FURTHER_OVER
    return dict(ranges) | {name: values for name, values in known.items() if name in wanted and name not in ranges}


def _is_growth(law: ParsedClaim) -> bool:
    return law.sense in ("Theta", "O", "Omega")


def _check_scale(settings: Settings) -> None:
    """The law of τ may use what every run has: D, K and V."""
    unknown = sorted(set(variables(parse_law(settings.scale))) - {"D", "K", "V"})
    if unknown:
        raise ValueError(
            f"logit_scale is a law in D, K and V, but {settings.scale} has {', '.join(unknown)}. "
            f"For example {PAPER_SCALE!r}."
        )
    for size in settings.values("D"):
        settings.logit_scale({"D": size, "K": settings.values("K")[0], "V": settings.values("V")[0]})


def _check_sizes(settings: Settings, laws: Sequence[ParsedClaim]) -> None:
    tokens, smallest = settings.values("D"), min(settings.values("K"))
    if smallest >= max(tokens):
        raise ValueError(
            f"rates are judged where D > K (at D = K descent converges exponentially), got D up to {max(tokens):g} "
            f"and K from {smallest:g}. For example D=8..1024 K=1,2,4."
        )
    if any(map(_is_growth, laws)) and "D" in settings.over and len(tokens) < FEWEST_TOKENS:
        raise ValueError(
            f"powers of D and K are limits as D → ∞, for which at least {FEWEST_TOKENS} values of D are needed, got "
            f"{', '.join(f'{size:g}' for size in tokens)}. For example D=8..1024."
        )
