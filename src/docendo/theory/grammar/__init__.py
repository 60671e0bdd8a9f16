"""The language of claims: `"excess_loss = Theta(K * D**4 / (eta * T))"` and the ranges they are tried over.

    claim      quantity = law, quantity <= law, quantity = Theta(law), quantity = O(law), quantity = Omega(law)
    law        numbers and the variables D, K, M, d, T, eta, tau, V, kappa with + − * / ** ( ) and sqrt(…);
               powers are rational constants: D**2, D**(5/2), T**-0.5
    ranges     D=8..1024 (doubling: 8, 16, …, 1024), K=1,2,4

Theta, O and Omega compare growth, so their law must be a monomial (one product of powers with a positive
coefficient), which has an exponent in every variable. `=` and `<=` compare numbers, so any expression will do.

Texts are read by Python's own parser and then rebuilt from a short list of allowed nodes. Nothing is evaluated as
code; length, nesting and powers are bounded.
"""

from docendo.theory.grammar.claims import ParsedClaim, Sense, parse_claim, parse_law
from docendo.theory.grammar.errors import ClaimError
from docendo.theory.grammar.expressions import Monomial, evaluate, monomial
from docendo.theory.grammar.names import VARIABLES
from docendo.theory.grammar.ranges import parse_ranges

__all__ = [
    "VARIABLES",
    "ClaimError",
    "Monomial",
    "ParsedClaim",
    "Sense",
    "evaluate",
    "monomial",
    "parse_claim",
    "parse_law",
    "parse_ranges",
]
