"""The judge: measured exponents, stated claims, and what runs say about them. Nothing here trains."""

from docendo.theory import claims, grammar, rates

__all__ = ["claims", "grammar", "rates"]
