"""The judge: measured exponents, stated claims, and what runs say about them. Nothing here trains."""
