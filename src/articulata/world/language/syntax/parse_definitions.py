"""Parsing primitives, composites, worlds and hinge types."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from articulata.world.language.meant_words import closest, did_you_mean, other_word
from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.grammar import FEATURE_KINDS, RESERVED, SECTIONS, STATEMENTS
from articulata.world.language.syntax.habits import belongs
from articulata.world.language.syntax.meant_sections import aside, unsaid
from articulata.world.language.syntax.parse_components import components
from articulata.world.language.syntax.parse_expressions import arguments, expression, path, placed
from articulata.world.language.syntax.parse_parameters import parameters
from articulata.world.language.syntax.parse_structure import keep, statement, structure
from articulata.world.language.syntax.reader import Lost, Reader
from articulata.world.language.syntax.recovery import block, closing_of
from articulata.world.language.vocabulary import SHAPES

_T = TypeVar("_T")

_SEVERAL: dict[type, str] = {
    t.Chain: "chains", t.Posture: "postures", t.Motion: "motions", t.LimitSet: "limit_sets"
}  # fmt: skip
"""The fields of those sections that may stand several times."""


class Sections:
    """The sections of one block, each at most once unless it may repeat; ``found`` by field."""

    def __init__(self, kind: str, parsers: dict[str, Callable[[Reader], object]]) -> None:
        self.kind = kind
        self.parsers = parsers
        self.seen: dict[str, int] = {}
        self.aside = False
        self.repeats = frozenset(("chain", "posture", "motion", "limits"))
        self.found: dict[str, Any] = {}
        self.statements: list[t.Statement] | None = [] if "structure" in parsers else None

    def read(self, r: Reader) -> None:
        """Read one section; a misspelt word is taken for the one it resembles."""
        i = r.i
        word = r.words[i]
        parser = self.parsers.get(word)
        if parser is None and self.statements is not None and word in STATEMENTS:
            self._statement(r)
            return
        if parser is None:
            word = self._guess(r, word)
            parser = self.parsers[word]
        if word in self.seen and word not in self.repeats:
            line, _ = r.source.position(self.seen[word])
            r.error_here(
                "duplicate",
                f"this {self.kind} has '{word}' already, on line {line}",
                f"put both into one '{word}'",
            )
        self.seen.setdefault(word, r.starts[i])
        r.i = i + 1
        self._keep(word, parser(r))

    def _keep(self, word: str, value: object) -> None:
        """Add what a section says to what was found before."""
        if word == "structure" and self.statements is not None:
            self.statements += value  # type: ignore[arg-type] # statements, as structure() parses
        elif type(value) in _SEVERAL or isinstance(value, tuple):
            field = _SEVERAL.get(type(value), word)
            more = value if isinstance(value, tuple) else (value,)
            self.found[field] = (*self.found.get(field, ()), *more)
        elif word not in ("gravity", "up"):
            self.found[word] = value
        else:
            self.found.setdefault(word, value)

    def _statement(self, r: Reader) -> None:
        """Read a statement of a structure that has no block of its own."""
        assert self.statements is not None
        if "structure" not in self.seen:
            r.error_here(
                "missing-word",
                f"'{r.words[r.i]}' belongs in the structure",
                "write 'structure {' before it, and '}' after the last of them",
            )
            self.seen["structure"] = r.starts[r.i]
        keep(self.statements, r)

    def _guess(self, r: Reader, word: str) -> str:
        """Report a word that is no section here; return the one it resembles, or give up."""
        choices = tuple(self.parsers)
        if word in ("joint", "joints") and "chain" in choices:
            r.lost_here(
                "unknown-section", f"a {self.kind} has no section '{word}'",
                "joints are rows of a chain: chain arm: plain table { turn: revolute(axis: y) }",
            )  # fmt: skip
        if self.kind == "primitive" and (held := aside(r, word)):
            if self.aside:
                raise Lost
            self.aside = True
            section, shown = held
            at = r.starts[r.i]
            owner = re.split(r"\n(?=\w)|\bprimitive\b", r.text[at:], maxsplit=1)[0]
            owner = r.text[r.text.rfind("primitive", 0, at) : at] + owner
            beside = re.search(rf"\b{section}:? *\(((?:[^()]|\([^()]*\))*)\)", owner)
            r.lost_here(
                "unknown-section", f"{r.shown()} stands among the {section}",
                f"put it into the list: {section}: ({beside[1]}, {shown[:60]})" if beside
                else f"write {section}: ({shown[:60]})",
            )  # fmt: skip
        if section := unsaid(r, self.kind, "geometry" in self.seen):
            line = re.split(r"\{|[;}]| where\b", r.line(r.i))[0].strip()
            shown = f"{other_word(word, SHAPES) or word}{line[len(word) :]}"
            told = f"'{section}:' is missing before its value"
            r.error_here("missing-word", told, f"write {section}: {shown}")
            if section not in ("geometry", "look"):
                raise Lost
            r.insert(":")
            r.insert(section)
            return section
        if r.kinds[r.i] == "name":
            guess = closest(word, choices)
            if guess:
                r.error_here(
                    "unknown-section",
                    f"a {self.kind} has no section '{word}'",
                    f"did you mean '{guess}'?",
                )
                return guess
            if self.statements is not None and r.kinds[r.i + 1] != ":":
                near = closest(word, tuple(STATEMENTS))
                if near:
                    self.statements.append(statement(r))
                    raise Lost
        hint = belongs(r, self.kind) or f"a {self.kind} has {', '.join(choices)}"
        if word in ("where", "features", "points") and self.kind == "primitive":
            hint = "'where' follows the shape: geometry: shape where { ... }"
        return r.lost_here(
            "unknown-section", f"{r.shown()} is not a section of a {self.kind}", hint
        )


# ---- definitions


def head(r: Reader, kind: str) -> tuple[int, int, str]:
    """Take the first word of a definition and its name; return where they stand, and the name."""
    first = r.i
    r.i += 1
    at = r.i
    return first, at, r.name(f"for the {kind}")


def definition(
    r: Reader,
    made: Callable[..., _T],
    kind: str,
    start: tuple[int, int, str],
    parsers: dict[str, Callable[[Reader], object]],
) -> _T:
    """Parse ``(parameters) { sections }`` after the ``head`` of a definition."""
    first, at, name = start
    inputs = parameters(r)
    sections = Sections(kind, parsers)
    choices = tuple(parsers) if sections.statements is None else (*parsers, *STATEMENTS)
    whole = block(r, f"{kind} '{name}'", sections.read, choices)
    if sections.statements is not None:
        sections.found["structure"] = tuple(sections.statements)
    return made(name, inputs, **sections.found, span=r.span_from(first),
                name_span=r.token_span(at), complete=whole)  # fmt: skip


def structured(kind: str) -> dict[str, Callable[[Reader], object]]:
    """Return the parsers of the sections that hold components and statements."""
    return {"components": lambda r: components(r, kind), "structure": structure}


def composite(r: Reader) -> t.Composite:
    """Parse ``composite name(parameters) { components ... structure ... }``."""
    parsers = structured("composite")
    return definition(r, t.Composite, "composite", head(r, "composite"), parsers)


def world(r: Reader) -> t.World:
    """Parse ``world name(parameters) { gravity ... components ... structure ... }``."""
    parsers: dict[str, Callable[[Reader], object]] = {
        "gravity": lambda r: worded(r, "gravity"),
        **structured("world"),
    }
    return definition(r, t.World, "world", head(r, "world"), parsers)


def worded(r: Reader, word: str) -> t.Expression:
    """Parse ``: value`` after ``word``."""
    _colon(r, word)
    follows = r.kinds[r.i] == "name" and r.kinds[r.i + 1] in ("name", "text", ":")
    if follows and r.new_line(r.i):
        r.lost_before("missing-value", f"a value is missing after '{word}:'", "add a value here")
    return expression(r)


# ---- primitives


def primitive(r: Reader) -> t.Primitive:
    """Parse ``primitive name(parameters) { sections }``; the first word is still ahead."""
    parsers: dict[str, Callable[[Reader], object]] = {
        "properties": properties,
        "geometry": geometry,
        "look": look,
        "dynamics": dynamics,
        "control": control,
        "interference": interference,
    }
    return definition(r, t.Primitive, "primitive", head(r, "primitive"), parsers)


def _colon(r: Reader, word: str) -> None:
    if r.kinds[r.i] in ("{", "[") and word in ("properties", "dynamics"):
        return  # told as brackets of the wrong kind
    r.sign(":", f"after '{word}'")


def properties(r: Reader) -> t.Properties:
    """Parse ``: (name: value, ...)``."""
    first = r.i - 1
    _colon(r, "properties")
    return t.Properties(_fields(r, "properties", "(density: 1000 kg/m^3, color: red)"),
                      span=r.span_from(first))  # fmt: skip


def _fields(r: Reader, word: str, example: str) -> tuple[t.Argument, ...]:
    if r.kinds[r.i] in ("{", "["):
        end = closing_of(r, r.i)[0]
        inner = re.split(r"[;,\n]", r.text[r.spans[r.i][1] : r.starts[end]])
        shown = ", ".join(each.strip().replace(" = ", ": ") for each in inner if each.strip())
        told = f"what '{word}' says stands in ( )"
        r.error_here(
            "stray", told, f"write {word}: ({shown})" if shown else f"write {word}: {example}"
        )
        r.i = end + 1
        raise Lost
    if r.kinds[r.i] != "(":
        held = "" if r.new_line(r.i) else re.split("[;}]", r.line(r.i))[0].strip()
        advice = f"write {word}: {f'({held})' if held else example}"
        told = f"values in parentheses are missing after '{word}:'"
        r.lost_before("missing-value", told, advice)
    return arguments(r)


def look(r: Reader) -> t.Expression:
    """Parse ``: shape``."""
    _colon(r, "look")
    return placed(r)


def geometry(r: Reader) -> t.Geometry:
    """Parse ``: shape where { features }``."""
    first = r.i - 1
    _colon(r, "geometry")
    shape: t.Expression | None = None
    if r.words[r.i] == "none":
        r.i += 1
    else:
        shape = placed(r)
    features: list[t.Feature] = []
    if r.kinds[r.i] == "," and r.kinds[r.i + 1] == "name" and r.kinds[r.i + 2] == "(":
        r.lost_here("stray", "a primitive has one shape", "join shapes: union(shape, shape)")
    if r.kinds[r.i] == "," and r.kinds[r.i + 1] == "where":
        r.error_here("stray", "no ',' stands before 'where'", "remove ','")
        r.i += 1
    word = r.words[r.i]
    begins = r.kinds[r.i] in ("with", "name") and r.kinds[r.i + 1] == "{" and not r.new_line(r.i)
    if begins and not closest(word, ("where",)):
        r.error_here("unknown-word", f"'{word}' cannot follow a shape", "write where")
        r.kinds[r.i] = "where"
    opened = r.kinds[r.i + 1] in ("{", "begin")
    misspelt = r.kinds[r.i] == "name" and opened and closest(word, ("where",)) == "where"
    if misspelt:
        r.error_here("unknown-word", f"'{word}' cannot follow a shape", "did you mean 'where'?")
    if r.kinds[r.i] == "{" and r.kinds[r.i + 2] == "(" and isinstance(shape, t.Call):
        r.lost_here("stray", "no braces stand after a shape",
                    f"write them in its parentheses: {shape.function.text}(a, b)")  # fmt: skip
    if r.kinds[r.i] in ("{", "begin"):
        r.error_before("missing-word", "'where' is missing before the features", "add 'where' here")
        r.i -= 1
        misspelt = True
    if r.kinds[r.i] == "where" or misspelt:
        r.i += 1

        def entry(r: Reader) -> None:
            features.append(feature(r))

        block(r, "the features after 'where'", entry)
    return t.Geometry(shape, tuple(features), span=r.span_from(first))


def feature(r: Reader) -> t.Feature:
    """Parse ``[kind] name: value``."""
    first = r.i
    kind = None
    if (
        r.kinds[first] == "name"
        and r.kinds[first + 1] in RESERVED | {"name"}
        and r.kinds[first + 2] in (":", "=")
    ):
        kind = r.words[first]
        if kind not in FEATURE_KINDS:
            r.error_here(
                "unknown-word", f"'{kind}' is not a kind of feature",
                did_you_mean(kind, tuple(FEATURE_KINDS)),
            )  # fmt: skip
            kind = closest(kind, tuple(FEATURE_KINDS)) or None
        r.i += 1
    at = r.i
    if r.words[at] in SECTIONS["primitive"] and (
        r.new_line(at + 1) or r.kinds[at + 1] in ("}", ";") or r.words[at] == "properties"
    ):
        r.lost_here(
            "unknown-word", f"'{r.words[at]}' is a section of the primitive, not a feature",
            "write it after the '}' of 'where'",
        )  # fmt: skip
    name = r.name("for a feature")
    r.sign(":", f"after the feature's name '{name}'")
    value = placed(r)
    return t.Feature(kind, name, value, span=r.span_from(first), name_span=r.token_span(at))


def dynamics(r: Reader) -> t.Dynamics:
    """Parse nothing, ``:`` or ``: (mass: 2 kg, ...)``."""
    first = r.i - 1
    if r.kinds[r.i] == ":":
        r.i += 1
        if r.kinds[r.i] == "name" and not r.new_line(r.i):
            _fields(r, "dynamics", "(mass: 2 kg)")
    elif r.kinds[r.i] in ("{", "[") and not r.new_line(r.i):
        _fields(r, "dynamics", "(mass: 2 kg)")
    elif r.kinds[r.i] == "(" and not r.new_line(r.i):
        _colon(r, "dynamics")
    if r.kinds[r.i] == "(" and not r.new_line(r.i):
        return t.Dynamics(arguments(r), span=r.span_from(first))
    return t.Dynamics((), span=r.span_from(first))


def control(r: Reader) -> t.Control:
    """Parse ``: quantity = controller at feature, ...``."""
    first = r.i - 1
    _colon(r, "control")
    return t.Control(r.listed(_binding), span=r.span_from(first))


def _binding(r: Reader) -> t.Binding:
    first = r.i
    if r.kinds[first] != "name":
        r.lost_before(
            "missing-name", "what is controlled is missing", "write acceleration = controller"
        )
    named = path(r, "of what is controlled")
    quantity, before = named.parts[-1].name, named.parts[:-1]
    if r.kinds[r.i] != "=" and quantity not in ("torque", "force", "acceleration"):
        meant = "force" if r.kinds[r.i] == "at" else "torque"  # a force acts at a feature
        r.i = first
        r.lost_here("missing-word", "what is controlled is missing: torque, force, acceleration",
                    f"write {meant} = {named.text}")  # fmt: skip
    r.sign("=", f"after '{named.text}'")
    if r.kinds[r.i] != "name":
        r.lost_before(
            "missing-name", "the controller's name is missing after '='", "add a name here"
        )
    controller = path(r, "for a controller")
    at = None
    if r.kinds[r.i] == "at":
        r.i += 1
        at = path(r, "of a feature after 'at'")
    if before:
        where = at.text if at is not None else ".".join(part.name for part in before)
        place = f" at {where}" if quantity == "force" else ""
        r.findings.error(
            "wrong-kind", named.span,
            "what is controlled is acceleration, torque or force, a force at a feature named last",
            f"write {quantity} = {controller.text}{place}",
        )  # fmt: skip
    return t.Binding(quantity, controller, at, span=r.span_from(first))


def interference(r: Reader) -> t.Interference:
    """Parse ``: shape, shape``."""
    first = r.i - 1
    _colon(r, "interference")
    return t.Interference(r.listed(placed), span=r.span_from(first))


# ---- hinge types


def hinge_type(r: Reader) -> t.HingeType:
    """Parse ``hinge name(parameters) { rows }``."""
    first, at, name = head(r, "hinge")
    inputs = parameters(r)
    rows: list[t.HingeRow] = []

    def entry(r: Reader) -> None:
        rows.append(hinge_row(r))

    whole = block(r, f"hinge '{name}'", entry, ("point",))
    return t.HingeType(
        name,
        inputs,
        tuple(rows),
        span=r.span_from(first),
        name_span=r.token_span(at),
        complete=whole,
    )


_ROW = "point (0, 0, 0) of first on plane((0, 0, 0), z) of second"


def hinge_row(r: Reader) -> t.HingeRow:
    """Parse ``point P of first on surface(...) of second``."""
    first = r.i
    if r.words[first] != "point":
        r.lost_here(
            "unknown-word", f"{r.shown()} does not begin a row of a hinge",
            did_you_mean(r.words[first], ("point",), f"write {_ROW}"),
        )  # fmt: skip
    r.i += 1
    point = expression(r)
    r.word("of", "after the point", _ROW)
    point_of = _side(r)
    r.word("on", "before the surface", _ROW)
    at = r.i
    surface = expression(r)
    if isinstance(surface, t.Path):
        surface = t.Call(surface, (), span=surface.span)
    if not isinstance(surface, t.Call):
        r.i = at
        r.lost_here("wrong-kind", "a surface is due after 'on'", f"write {_ROW}")
    other = "second" if point_of == "first" else "first"
    if r.words[r.i] != "of" and r.new_line(r.i):
        told = "which body has the surface stands behind it"
        r.lost_before("missing-word", told, f"add 'of {other}' here")
    r.word("of", "after the surface", _ROW)
    surface_of = _side(r)
    if surface_of == point_of:
        r.findings.error(
            "wrong-kind", r.token_span(r.i - 1),
            f"the point and the surface are both of the {point_of}",
            f"write 'of {other}'",
        )  # fmt: skip
    return t.HingeRow(point, point_of, surface, surface_of, span=r.span_from(first))


def _side(r: Reader) -> str:
    word = r.words[r.i]
    if word in ("first", "second"):
        r.i += 1
        return word
    if r.kinds[r.i] == "name" and not r.new_line(r.i):
        guess = closest(word, ("first", "second"))
        r.error_here(
            "unknown-word", f"'{word}' is neither the first nor the second of the joined bodies",
            f"did you mean '{guess}'?" if guess else "write first or second",
        )  # fmt: skip
        r.i += 1
        return guess or "first"
    return r.lost_before(
        "missing-word", "'first' or 'second' is missing after 'of'", "add one of them"
    )
