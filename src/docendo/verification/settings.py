"""The sweep a claim is tried over, and the definitions used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docendo.theory.grammar import evaluate, parse_law, parse_ranges
from docendo.theory.grammar.expressions import Expression

__all__ = ["DEFAULT_OVER", "PAPER_SCALE", "Settings", "settings_for"]

PAPER_SCALE = "1 / sqrt(D)"

DEFAULT_OVER: dict[str, tuple[float, ...]] = {
    "D": (8, 16, 32, 64, 128, 256, 512, 1024),
    "K": (1, 2, 4),
    "V": (2.0, 8.0, 32.0),
    "eta": (0.02, 0.05, 0.1, 0.2),
}
FIXED: dict[str, float] = {"D": 64, "K": 2, "V": 8.0, "eta": 0.1, "kappa": 1.0, "M": 2, "d": 3}


@dataclass(frozen=True)
class Settings:
    """A sweep.

    Attributes:
        over: the values of every swept variable.
        scale: the text of τ as a law in D, K, …
        window: first and last T that count, where the user gave them.
    """

    over: Mapping[str, tuple[float, ...]]
    scale: str
    window: tuple[float, float] | None

    def values(self, name: str) -> tuple[float, ...]:
        """The values a variable takes: those swept, or the one it is fixed at."""
        return self.over.get(name, (FIXED[name],))

    def logit_scale(self, variables: Mapping[str, float]) -> float:
        """τ at the given variables."""
        if "tau" in variables:
            return variables["tau"]
        return float(evaluate(self._law, dict(variables)))

    @property
    def _law(self) -> Expression:
        return parse_law(self.scale)

    def definitions(self) -> dict[str, Any]:
        """What a reader needs to rerun this with other definitions."""
        return {
            "positions": "orthogonal (P drops out)",
            "logit_scale": self.scale,
            "inputs": "white Gaussian",
            "start": "W_V = 0, W_KQ = 0",
            "scores": "uniform on supports of size K",
            "time": "T counts steps; on the flow T = time/eta with eta = 1",
            "over": {name: list(values) for name, values in self.over.items()},
        }


def settings_for(over: Mapping[str, Sequence[float]] | Sequence[str] | None, logit_scale: str | None) -> Settings:
    """Settings from what a user gives: ranges as texts or as numbers, and τ as a law.

    Raises:
        ValueError: a range or law that cannot be read (a ClaimError), a range of one point, a support size without a
            larger D, or a logit scale that is not positive.
    """
    given = DEFAULT_OVER if over is None else over
    texts = (
        [f"{name}={','.join(map(repr, values))}" for name, values in given.items()]
        if isinstance(given, Mapping)
        else given
    )
    ranges = {name: tuple(values) for name, values in parse_ranges(list(texts)).items()}
    window = ranges.pop("T", None)
    settings = Settings(ranges, logit_scale or PAPER_SCALE, None if window is None else (window[0], window[-1]))
    largest, smallest = max(settings.values("D")), min(settings.values("K"))
    if smallest >= largest:
        raise ValueError(
            f"rates are judged where D > K (at D = K descent converges exponentially), got D up to {largest:g} and K "
            f"from {smallest:g}. For example D=8..1024 K=1,2,4."
        )
    scale = settings.logit_scale({**FIXED, "D": largest})
    if not scale > 0:
        raise ValueError(f"logit_scale must be positive, got {scale:g} at D = {largest:g}. Try {PAPER_SCALE!r}.")
    return settings
