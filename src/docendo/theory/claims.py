"""The claims docendo knows, each on its card: `docendo.verify` runs what a card needs and has it judged."""

from docendo.theory.card import Card
from docendo.theory.decomposition import decomposition
from docendo.theory.judge import Claim, Curve
from docendo.theory.law_card import universal_law_card
from docendo.theory.scalar_limits import scalar_limits
from docendo.theory.theorem_3_1 import theorem_3_1
from docendo.theory.theorem_3_2 import theorem_3_2
from docendo.theory.verdicts import Exponent, Hypothesis, Verdict

__all__ = [
    "CARDS",
    "Card",
    "Claim",
    "Curve",
    "Exponent",
    "Hypothesis",
    "Verdict",
    "decomposition",
    "scalar_limits",
    "theorem_3_1",
    "theorem_3_2",
    "universal_law_card",
]

CARDS = {card().name: card for card in (theorem_3_1, theorem_3_2, decomposition, scalar_limits, universal_law_card)}
