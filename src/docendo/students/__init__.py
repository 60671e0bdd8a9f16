"""Students: the paper's position-only attention, what it becomes with other parameters, and the full transformer."""

from docendo.students.base import Parameters, PositionStudent, Student
from docendo.students.content_attention import ContentAttention
from docendo.students.free_temperature import FreeTemperature
from docendo.students.key_query import FactoredPositionOnly
from docendo.students.learned_positions import LearnedPositions
from docendo.students.multi_head import MultiHead
from docendo.students.position_only import PositionOnly
from docendo.students.relative_positions import RelativePositions
from docendo.students.symmetric import SymmetricStudent

__all__ = [
    "ContentAttention",
    "FactoredPositionOnly",
    "FreeTemperature",
    "LearnedPositions",
    "MultiHead",
    "Parameters",
    "PositionOnly",
    "PositionStudent",
    "RelativePositions",
    "Student",
    "SymmetricStudent",
]
