"""Exponents with honest intervals, for runs and for a user's own curves (arrays in, NumPy only).

A straight line fitted to log y against log T is biased for as long as the asymptote is still being approached, and
its standard error says nothing about that bias. Here an exponent is the *limit* of the local exponent
d log y / d log T, taken by a family of extrapolations, and its interval is the spread of that family.

    local_exponents     d log y / d log T along a curve
    limit_exponent      its limit as T → ∞
    limit               the limit of a quantity itself, for example of ηT × excess loss
    fit_shifted_power   c (T + T0)^(−p) + L∞ for sampled runs, with intervals across seeds
    power_in            the exponent of a quantity in a swept variable
    sandwich            smallest, largest and drift of a ratio measured / claimed
"""

from docendo.theory.rates.curves import local_exponents
from docendo.theory.rates.estimate import Estimate
from docendo.theory.rates.limits import limit, limit_exponent
from docendo.theory.rates.sampled import ShiftedPower, fit_shifted_power
from docendo.theory.rates.sweeps import Sandwich, power_in, sandwich

__all__ = [
    "Estimate",
    "Sandwich",
    "ShiftedPower",
    "fit_shifted_power",
    "limit",
    "limit_exponent",
    "local_exponents",
    "power_in",
    "sandwich",
]
