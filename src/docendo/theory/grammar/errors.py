"""The one error of the claim language: it shows the text and points at the character."""

__all__ = ["ClaimError"]

_SHOWN = 100


class ClaimError(ValueError):
    """A claim or range that can't be read.

    Attributes:
        text: what was read.
        position: index of the character at fault; `len(text)` where something is missing at the end.
        reason: what is wrong, and what to write instead.
    """

    def __init__(self, reason: str, text: str, position: int):
        self.reason, self.text, self.position = reason, text, min(max(position, 0), len(text))
        super().__init__(f"{reason}\n  {self._excerpt()}")

    def __reduce__(self) -> tuple[type["ClaimError"], tuple[str, str, int]]:
        return ClaimError, (self.reason, self.text, self.position)

    def _excerpt(self) -> str:
        start = max(0, self.position - _SHOWN // 2)
        shown = "".join(letter if letter.isprintable() else "?" for letter in self.text[start : start + _SHOWN])
        return f"{shown}\n  {' ' * (self.position - start)}^"
