"""How Sphinx builds the documentation: `make docs`."""

import docendo

project = "docendo"
author = "The docendo contributors"
project_copyright = "The docendo contributors"
release = version = docendo.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx-mathjax-offline"]
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
# Docstrings mark code with single backticks, as Markdown does.
default_role = "code"
exclude_patterns = ["_build"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True

html_theme = "furo"
html_title = f"docendo {release}"
