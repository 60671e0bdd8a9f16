"""Studies: sweeps that survive anything, from a file, on one machine or many.

A study is a file (`schema`, `reading`), its cells (`cells`) are run in jobs (`planning`, `working`) by workers of this
machine (`local`) or any executor, and kept in a folder (`store`) that opens as one dataset (`gathering`).
"""

from docendo.studies.gathering import open_study
from docendo.studies.sweeping import Study, sweep

__all__ = ["Study", "open_study", "sweep"]
