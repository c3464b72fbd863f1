"""Equations as MathML, which browsers draw by themselves: no script, nothing fetched.

LaTeX is translated by docutils (`docutils.utils.math.latex2mathml`); a labelled equation gets its number at the right.
"""

from __future__ import annotations

from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.util.math import get_node_equation_number


def _mathml(code: str, *, block: bool) -> str:
    return latex2mathml.tex2mathml(code, as_block=block)


def inline(translator, node: nodes.math) -> None:
    translator.body.append(_mathml(node.astext(), block=False))
    raise nodes.SkipNode


def display(translator, node: nodes.math_block) -> None:
    identifier = f' id="{node["ids"][0]}"' if node["ids"] else ""
    translator.body.append(f'<div class="equation"{identifier}>{_mathml(node.astext(), block=True)}')
    if node["number"]:
        number = get_node_equation_number(translator, node)
        translator.body.append(f'<span class="eqno">({number})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
