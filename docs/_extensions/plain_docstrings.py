"""Docstrings are plain text; this makes them reStructuredText.

Norms (|P|), names that end in an underscore and stray stars mean something there: outside of code they are escaped.
Code in single backticks becomes a link where it is a public name and literal text elsewhere. Types of parameters are
shown as they are written. An indented formula above the first section becomes a literal block.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path

RULE = re.compile(r"^-{3,}\s*$")
CODE = re.compile(r"``.+?``|`[^`]+`", re.DOTALL)
FIELD = re.compile(r"^\s*:(param|ivar|type|vartype|raises|returns|keyword)\b[^:]*:|^\s*:[\w ]+:", re.MULTILINE)
TYPE = re.compile(r"^\s*:(?:type|vartype) (.+?): (.*)$")
NAMED = re.compile(r"^(\s*:(?:param|ivar) (.+?):) ?(.*)$")
# What napoleon writes in front of what is returned or warned: a type, a name, or a name with its type, with stars.
RETURNED = re.compile(
    r"^(\s*:(?:returns|Yields|Warns):(?: \*)? +| +\* )"
    r"(?:\*\*(?P<name>[^*]+)\*\*(?: \((?P<star>\*?)(?P<of>.+)(?P=star)\))?|\*(?P<type>[^*`]+)\*)(?= -- |$)"
)
ATTRIBUTE = re.compile(r"^:ivar (.+?):(.*)$")


@cache
def public_names() -> dict[str, str]:
    """Where each public name is documented: by its full path, and by itself where only one module has it."""
    modules = re.findall(r"^ +(partita[\w.]*)$", (Path(__file__).parent.parent / "api.md").read_text(), re.MULTILINE)
    found = {module: module for module in modules}
    alone: dict[str, str] = {}
    for module in modules:
        for name in getattr(import_module(module), "__all__", []):
            if f"{module}.{name}" in found or not callable(getattr(import_module(module), name)):
                continue
            found[f"{module}.{name}"] = f"{module}.{name}"
            alone.setdefault(name, f"{module}.{name}")
    return {**alone, **found}


def _code(span: str) -> str:
    if span.startswith("``"):
        return span
    text = span[1:-1]
    target = public_names().get(text)
    # only what begins with a capital is a name beyond doubt: `nmf` is a word, a function and a module
    if target and (text.startswith("partita.") or text[:1].isupper()):
        return f":py:obj:`{text} <{target}>`"
    return f"``{text}``"


def _returned(found: re.Match[str]) -> str:
    """Names and types as code; a sentence that napoleon took for a name, up to a colon, as it was written."""
    front, name, of = found[1], found["name"], found["of"]
    if found["type"]:
        return f"{front}``{found['type']}``"
    if " " in name:
        return f"{front}{name}" + (f": {of}" if of else "")
    return f"{front}``{name}``" + (f" : ``{of}``" if of and "`" not in of else f" : {of}" if of else "")


def _escaped(text: str) -> str:
    text = re.sub(r"(?<!\\)\|", r"\\|", text)
    text = re.sub(r"(?<=[^\W_])_(?!\w)", r"\\_", re.sub(r"\\_(?!\w)", "_", text))
    return re.sub(r"(?<!\\)\*(?=\S)", r"\\*", text)


def _prose(text: str) -> str:
    """A run of lines without literal blocks, its field names left alone."""
    out, end = [], 0
    for part in re.finditer(f"{CODE.pattern}|(?P<field>{FIELD.pattern})", text, re.DOTALL | re.MULTILINE):
        out.append(_escaped(text[end : part.start()]))
        if part["field"]:
            out.append(part[0])
        else:
            after = text[part.end() : part.end() + 1]
            out.append(_code(part[0]) + ("\\ " if after.isalnum() else ""))
        end = part.end()
    return "".join([*out, _escaped(text[end:])])


def before(app, what, name, obj, options, lines: list[str]) -> None:
    """Before napoleon: formulas, names of attributes that go over a line, sections that napoleon does not know."""
    first = next((at for at, line in enumerate(lines) if RULE.match(line)), len(lines) + 1) - 1
    out: list[str] = []
    inside = listed = False
    for at, line in enumerate(lines):
        ruled = at + 1 < len(lines) and bool(RULE.match(lines[at + 1]))
        if at < first:
            formula = line.startswith("    ") and not line.lstrip().startswith((">>>", "-", "*"))
            if formula and not inside and (not out or not out[-1].strip()):
                out += ["::", ""]
                inside = True
            elif line.strip() and not line.startswith(" "):
                inside = False
        if ruled:
            listed = line.strip() == "Class attributes"
            if listed:
                out += [".. rubric:: Class attributes", ""]
                continue
        elif listed and RULE.match(line):
            continue
        elif listed and " : " in line and not line.startswith(" "):
            word, _, text = line.partition(" : ")
            line = f"* `{word}`: {text}"
        elif listed:
            line = line[2:] if line.startswith("    ") else line
        elif at > first and out and re.match(r"\S.*,$", out[-1]) and re.match(r"\S", line) and not ruled:
            out[-1] = f"{out[-1]} {line}"
            continue
        out.append(line)
    lines[:] = out


def after(app, what, name, obj, options, lines: list[str]) -> None:
    """After napoleon: types into their parameters, then prose apart from literal blocks and examples."""
    types = {found[1]: found[2] for line in lines if (found := TYPE.match(line))}
    kept: list[str] = []
    listed = False
    for line in lines:
        if TYPE.match(line):
            continue
        line = RETURNED.sub(_returned, line)
        found = NAMED.match(line)
        if found and types.get(found[2]):
            shown = types[found[2]].replace("`", "").replace("\\", "")
            line = f"{found[1]} ``{shown}``" + (f" -- {found[3]}" if found[3] else "")
        attribute = ATTRIBUTE.match(line)
        listed = bool(attribute) or (listed and line.startswith(" "))
        if listed and not attribute:
            line = f"  {line.lstrip()}"
        if attribute:  # as a list: a field of attributes makes links of their names
            if not any(at.startswith(".. rubric:: Attributes") for at in kept):
                kept += ["", ".. rubric:: Attributes", ""]
            shown = attribute[1].replace("\\", "")
            line = f"* ``{shown}``" + (f" --{attribute[2]}" if attribute[2] else "")
        kept.append(line)
    out: list[str] = []
    run: list[str] = []
    literal: int | None = None
    example = False

    def close() -> None:
        if run:
            out.extend(_prose("\n".join(run)).split("\n"))
            run.clear()

    for line in kept:
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            example = False
            close()
            out.append(line)
            continue
        example = example or line.lstrip().startswith(">>>")
        if literal is not None and indent <= literal:
            literal = None
        if example or literal is not None or line.lstrip().startswith(".. "):
            close()
            out.append(line)
            continue
        run.append(line)
        if line.rstrip().endswith("::"):
            literal = indent
    close()
    lines[:] = out


def setup(app) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", before, priority=400)
    app.connect("autodoc-process-docstring", after, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
