"""The claims docendo knows, each on its card: `docendo.verify` runs what a card needs and has it judged."""

from docendo.theory.card import Card, judge_card
from docendo.theory.curve import Curve
from docendo.theory.decomposition import decomposition
from docendo.theory.judge import Claim, judge
from docendo.theory.law_card import universal_law_card
from docendo.theory.scalar_limits import scalar_limits
from docendo.theory.theorem_3_1 import theorem_3_1
from docendo.theory.theorem_3_2 import theorem_3_2
from docendo.theory.verdicts import Evidence, Exponent, Hypothesis, Verdict

__all__ = [
    "CARDS",
    "Card",
    "Claim",
    "Curve",
    "Evidence",
    "Exponent",
    "Hypothesis",
    "Verdict",
    "decomposition",
    "judge",
    "judge_card",
    "scalar_limits",
    "theorem_3_1",
    "theorem_3_2",
    "universal_law_card",
]

CARDS = {card().name: card for card in (theorem_3_1, theorem_3_2, decomposition, scalar_limits, universal_law_card)}
