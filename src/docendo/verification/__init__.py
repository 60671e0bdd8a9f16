"""`verify`: plans and runs what a claim needs, and hands the curves to the judge.

settings     the sweep: which variables take which values, and the definition of the logit scale
planning     which runs a sweep needs, how long they must go, and whether they can
quantities   what can be claimed, as functions of the scalars of the reduced dynamics
runs         reduced flows, reduced descents at several learning rates, full descents; each made once
judging      one claim, card or all of them, from a name or text to a verdict
record       verdicts as JSON
"""

from docendo.verification.judging import ALL, RESCALED, RESCALED_CARD, verify, verify_cards
from docendo.verification.record import record
from docendo.verification.settings import PAPER_SCALE, Settings, settings_for

__all__ = [
    "ALL",
    "PAPER_SCALE",
    "RESCALED",
    "RESCALED_CARD",
    "Settings",
    "record",
    "settings_for",
    "verify",
    "verify_cards",
]
