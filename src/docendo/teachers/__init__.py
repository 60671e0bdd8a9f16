"""Teachers: `Teacher` from arrays, and one constructor per file for the paper's examples."""

from docendo.teachers.base import Teacher
from docendo.teachers.convolution import convolution, patches
from docendo.teachers.from_network import from_network
from docendo.teachers.graph_convolution import cycle, graph_convolution
from docendo.teachers.group_sparse import group_sparse
from docendo.teachers.patch_association import patch_association
from docendo.teachers.random import random
from docendo.teachers.single_layer import single_layer
from docendo.teachers.sparse_token_selection import sparse_token_selection
from docendo.teachers.symmetric import SymmetricTeacher, symmetric
from docendo.teachers.weighted import decaying, softmax_random, weighted
from docendo.teachers.window import window

__all__ = [
    "SymmetricTeacher",
    "Teacher",
    "convolution",
    "cycle",
    "decaying",
    "from_network",
    "graph_convolution",
    "group_sparse",
    "patch_association",
    "patches",
    "random",
    "single_layer",
    "softmax_random",
    "sparse_token_selection",
    "symmetric",
    "weighted",
    "window",
]
