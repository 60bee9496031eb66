"""The documentation site: Markdown pages, and a reference made from the docstrings."""

from __future__ import annotations

from typing import Any

from dicola import __version__

project = "dicola"
author = "The dicola developers"
copyright = "the dicola developers, MIT licence"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
myst_enable_extensions = ["attrs_block", "colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = "dicola"
html_static_path = ["_static"]
html_css_files = ["dicola.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0b5e6b",
        "color-brand-content": "#0b5e6b",
        "color-admonition-background": "#f4f8f9",
    },
    "dark_css_variables": {"color-brand-primary": "#6fc7d4", "color-brand-content": "#6fc7d4"},
    "footer_icons": [],
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = False  # it stumbles over the signature that compat.fci shows
maximum_signature_line_length = 90


def _literal_stars(app: Any, what: str, name: str, obj: object, options: Any, lines: list[str]) -> None:
    """Edges such as ``a *-> b`` in docstrings are marks, not emphasis."""
    lines[:] = [line.replace("*-", "\\*-").replace("-*", "-\\*") for line in lines]


def setup(app: Any) -> None:
    """Register the hook above."""
    app.connect("autodoc-process-docstring", _literal_stars)
