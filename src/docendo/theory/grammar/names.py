"""The variables of claims and ranges, and how a mistyped name finds the one that was meant."""

import difflib
from collections.abc import Collection

__all__ = ["ALIASES", "INTEGERS", "VARIABLES", "suggestion"]

VARIABLES: dict[str, str] = {
    "D": "number of tokens",
    "K": "support size of a column of S*",
    "M": "number of output channels",
    "d": "number of features",
    "T": "number of steps",
    "eta": "learning rate",
    "tau": "logit scale",
    "V": "Frobenius norm of V*",
    "kappa": "slope of the activation for negative arguments",
}
INTEGERS = frozenset({"D", "K", "M", "d"})
ALIASES = {"η": "eta", "τ": "tau", "κ": "kappa", "Θ": "Theta", "Ω": "Omega"}


def suggestion(name: str, known: Collection[str]) -> str:
    """The closest known names as a question, and then all of them."""
    same = [each for each in known if each.lower() == name.lower()]
    near = same or difflib.get_close_matches(name, known, n=2, cutoff=0.5)
    question = f" Did you mean {' or '.join(near)}?" if near else ""
    return f"{question} Known: {', '.join(known)}."
