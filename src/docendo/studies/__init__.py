"""Studies: sweeps that survive anything, from a file, on one machine or many.

A study is a file (`schema`, `reading`), its cells (`cells`) are run in jobs (`planning`, `working`) by workers of this
machine (`local`) or any executor (`sweeping`), and kept in a folder (`store`) that opens as one dataset (`gathering`).
Nothing is imported here: what only looks at a folder (`state`) starts no JAX.
"""
