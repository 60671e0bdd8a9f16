"""Students: the paper's position-only attention, several heads of it, and the full one-layer transformer."""

from docendo.students.base import Parameters, PositionStudent, Student
from docendo.students.content_attention import ContentAttention
from docendo.students.multi_head import MultiHead
from docendo.students.position_only import PositionOnly
from docendo.students.symmetric import SymmetricStudent

__all__ = [
    "ContentAttention",
    "MultiHead",
    "Parameters",
    "PositionOnly",
    "PositionStudent",
    "Student",
    "SymmetricStudent",
]
