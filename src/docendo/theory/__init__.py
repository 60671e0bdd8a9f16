"""The judge: measured exponents, stated claims, docendo's law, and what runs say about them. Nothing here trains."""

from docendo.theory import claims, grammar, rates
from docendo.theory.asymptotics import time_to_asymptotics
from docendo.theory.diagnosis import diagnose, why_not
from docendo.theory.law import universal_law

__all__ = ["claims", "diagnose", "grammar", "rates", "time_to_asymptotics", "universal_law", "why_not"]
