"""Every experiment of the paper, one family a file, and the runner behind `docendo reproduce`.

`registry` lists them with all their sizes and rates; `runner` runs what is missing, each in a process of its own, and
stores what came out; nothing of either starts JAX.
"""
