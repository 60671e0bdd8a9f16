"""docendo's look: colours that the colour-blind can tell apart, small type without serifs, quiet axes.

Up to six families of curves take the colours of Okabe and Ito (https://jfly.uni-koeln.de/color/); their yellow is left
out, too pale on paper, and black, invisible on a dark screen. More families are taken to be an ordered sweep and spread
over viridis, which is perceptually uniform, as are the heat maps.
"""

from typing import Any, Final

from matplotlib import colormaps
from matplotlib.colors import to_hex

__all__ = [
    "DIVERGING",
    "MISSING",
    "REFERENCE",
    "SEQUENTIAL",
    "STYLE",
    "family_colours",
]

SEQUENTIAL: Final = "viridis"
DIVERGING: Final = "RdBu_r"
MISSING: Final = "#bdbdbd"
REFERENCE: Final = "#808080"

_OKABE_ITO: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
# viridis beyond this is too pale for a line on white
_PALEST: Final = 0.88

STYLE: Final[dict[Any, Any]] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib: the same picture on every machine
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "legend.handlelength": 2.2,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.4,
    "lines.markersize": 3,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "image.interpolation": "nearest",
    "text.usetex": False,
    "mathtext.fontset": "dejavusans",
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
}


def family_colours(count: int) -> list[str]:
    """`count` colours as hexadecimal strings, one for each family of curves."""
    if count <= len(_OKABE_ITO):
        return list(_OKABE_ITO[:count])
    spread = colormaps[SEQUENTIAL]
    return [to_hex(spread(_PALEST * i / (count - 1))) for i in range(count)]
