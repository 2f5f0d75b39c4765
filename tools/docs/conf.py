"""How Sphinx makes the site from what tools/docs/build.py has laid out."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import diffeo

project = "diffeo"
author = "the diffeo developers"
version = release = diffeo.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "docstrings"]

# Markdown: headings have the anchors that GitHub gives them.
myst_heading_anchors = 4

smartquotes = False  # "--version" is no dash

# The Python interface: names of types as the source has them, one argument a line.
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"
autoclass_content = "both"
ALIASES = """
    ArrayLike Basis Callback Composition Float64Array FloatArray Labels Method Network PathLike Progress
    SeriesSet
"""
autodoc_type_aliases = {name: name for name in ALIASES.split()}
autodoc_preserve_defaults = True
add_module_names = False
python_maximum_signature_line_length = 80
python_display_short_literal_types = True
toc_object_entries_show_parents = "hide"

# The look. Nothing is loaded from elsewhere.
html_theme = "furo"
html_title = f"diffeo {release}"
html_static_path = ["static"]
html_css_files = ["diffeo.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_use_index = False
highlight_language = "none"  # blocks that stand to the right are formulas and commands
pygments_style = "friendly"
pygments_dark_style = "github-dark"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1c5fb5", "color-brand-content": "#1c5fb5"},
    "dark_css_variables": {"color-brand-primary": "#7db4ff", "color-brand-content": "#7db4ff"},
}
