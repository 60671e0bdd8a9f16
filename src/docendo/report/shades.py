"""Colours for dark screens, made from those for paper."""

from typing import Final

import numpy as np
from matplotlib.colors import to_hex, to_rgb

__all__ = ["DARK_PAGE", "contrast", "on_dark"]

DARK_PAGE: Final = "#14171a"

# what WCAG 2 asks of text; of graphics it asks 3
_ENOUGH: Final = 4.5


def on_dark(colour: str) -> str:
    """The colour, mixed with as little white as lets it stand out from a dark page."""
    rgb = np.array(to_rgb(colour))
    mixtures = (to_hex(rgb + share * (1 - rgb)) for share in np.linspace(0, 1, 21))
    return next(mixture for mixture in mixtures if contrast(mixture, DARK_PAGE) >= _ENOUGH)


def contrast(one: str, other: str) -> float:
    """Contrast of two colours from 1 to 21, as WCAG 2 defines it."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])
