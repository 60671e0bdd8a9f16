"""`verify`: plans and runs what a claim needs, and hands the curves to the judge.

settings     the sweep: which variables take which values, and the definition of the logit scale
quantities   what can be claimed, as functions of the scalars of the reduced flow
families     the runs: reduced flows, descents at several learning rates, full descents
verify       one claim or card from its name or text to its verdict
"""

from docendo.verification.settings import PAPER_SCALE, Settings
from docendo.verification.verify import record, verify

__all__ = ["PAPER_SCALE", "Settings", "record", "verify"]
