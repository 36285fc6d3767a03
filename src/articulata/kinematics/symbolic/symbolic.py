"""A closed form that can be read, printed in a paper and imported.

Its quantities have names as text and Python write them and as LaTeX does.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from articulata.errors import KinematicsError
from articulata.kinematics.joint import PRISMATIC
from articulata.kinematics.symbolic.tip_expressions import derive
from articulata.kinematics.symbolic.trigonometric_sums import Angle, Atom, Pool, Product, Sum

if TYPE_CHECKING:
    from articulata.kinematics.serial import Serial

_TAKEN = re.compile(
    r"[cs](\d[\dm_]*|[a-z]|z\d+)|t\d+|r\d\d|p[xyz]|J\d[\d_]*|np|q|X|J|cos|sin|tip|jacobian"
)
"""Words that a closed form uses itself."""
_SPECIAL = {"_": r"\_", " ": r"\ ", "#": r"\#", "%": r"\%", "&": r"\&", "$": r"\$"}


@dataclass(frozen=True, slots=True)
class Name:
    """One quantity: ``word`` is an identifier, ``latex`` its form in a formula."""

    word: str
    latex: str


def variables(names: Sequence[str]) -> tuple[Name, ...]:
    """Return names for coordinates called ``names``: identifiers, each only once."""
    found: list[Name] = []
    words: set[str] = set()
    for name in names:
        word = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "q"
        if word[0].isdigit() or keyword.iskeyword(word) or _TAKEN.fullmatch(word):
            word = f"q_{word}"
        while word in words:
            word += "_"
        words.add(word)
        safe = re.sub(r"[\\{}^~]", "", name)
        text = "".join(_SPECIAL.get(character, character) for character in safe)
        found.append(Name(word, rf"\mathrm{{{text or 'q'}}}"))
    return tuple(found)


def letters(angles: Sequence[Angle]) -> dict[Angle, Name]:
    """Return what follows c or s of each angle: ``23`` for the second coordinate plus the third.

    Past nine coordinates the numbers are set apart; ``2m3`` is a difference. Angles with other
    factors than 1 and -1 are lettered a, b, ...
    """
    wide = any(number > 8 for angle in angles for number, _ in angle)
    found: dict[Angle, Name] = {}
    lettered = 0
    for angle in angles:
        if any(abs(factor) != 1.0 for _, factor in angle):
            letter = chr(ord("a") + lettered) if lettered < 26 else f"z{lettered}"
            found[angle] = Name(letter, letter)
            lettered += 1
            continue
        word = latex = ""
        for number, factor in angle:
            apart = "_" if wide and word else ""
            comma = "," if wide and latex else ""
            word += ("m" if factor < 0 else apart) + str(number + 1)
            latex += ("-" if factor < 0 else comma) + str(number + 1)
        found[angle] = Name(word, latex)
    return found


def atom_name(atom: Atom, names: Sequence[Name], found: dict[Angle, Name]) -> Name:
    """Return the name of an atom."""
    if atom.kind == "value":
        return names[atom.angle[0][0]]
    letter, own = atom.kind[0], found[atom.angle]
    return Name(f"{letter}{own.word}", f"{letter}_{{{own.latex}}}")


Entry: TypeAlias = tuple[Product, float] | None
"""One entry of a matrix: a product and its coefficient; None is 0."""


@dataclass(frozen=True, slots=True)
class Notation:
    """How equations are written.

    A sum that occurs more than once gets a name from ``least`` atoms on; where ``entries`` holds,
    the entry that it is serves as its name.
    """

    latex: bool
    least: int
    entries: bool

    @property
    def equals(self) -> str:
        """Between the two sides."""
        return " &= " if self.latex else " = "

    @property
    def times(self) -> str:
        """Between factors."""
        return r" \, " if self.latex else "*"

    @property
    def brackets(self) -> tuple[str, str]:
        """Around a sum."""
        return (r"\left(", r"\right)") if self.latex else ("(", ")")


TEXT = Notation(latex=False, least=5, entries=True)
LATEX = Notation(latex=True, least=5, entries=True)
PYTHON = Notation(latex=False, least=0, entries=False)


class Writer:
    """Writes ``entries`` in terms of ``coordinates``; remembers what it has named."""

    def __init__(
        self, notation: Notation, coordinates: Sequence[str], entries: Iterable[Entry]
    ) -> None:
        self._notation = notation
        self.variables: tuple[Name, ...] = variables(coordinates)
        self._uses: dict[Sum, int] = {}
        self._sizes: dict[Sum, int] = {}
        self._atoms: dict[Atom, None] = {}
        for entry in entries:
            if entry is not None:
                self._count(entry[0])
        used = {atom.angle for atom in self._atoms if atom.kind != "value"}
        self._letters = letters(sorted(used, key=lambda angle: (len(angle), angle)))
        self._names: dict[Sum, str] = {}
        self._made = 0

    def functions(self, prefix: str = "") -> list[str]:
        """Return a line for every cosine and sine in use; ``prefix`` says where cos is found."""
        lines = []
        atoms = [atom for atom in self._atoms if atom.kind != "value"]
        for atom in sorted(atoms, key=lambda a: (len(a.angle), a.angle, a.kind)):
            angle = self._terms(
                (Product((Atom("value", ((number, 1.0),)),)), factor)
                for number, factor in atom.angle
            )
            call = rf"\{atom.kind}({angle})" if self._notation.latex else f"{atom.kind}({angle})"
            lines.append(f"{self._atom(atom)}{self._notation.equals}{prefix}{call}")
        return lines

    def equations(self, entries: Iterable[tuple[Name, Entry]]) -> list[str]:
        """Return a line for every entry, and before it lines for the sums that it shares."""
        lines: list[str] = []
        for name, entry in entries:
            shown = self._show(name)
            if entry is None:
                lines.append(f"{shown}{self._notation.equals}0")
                continue
            product, factor = entry
            whole = None if product.atoms else product.rest
            serves = self._notation.entries and factor == 1.0 and whole not in self._names
            for inner in self._unnamed(product):
                if not (serves and inner is whole):
                    self._made += 1
                    word = f"t_{{{self._made}}}" if self._notation.latex else f"t{self._made}"
                    lines.append(f"{word}{self._notation.equals}{self._terms(inner.terms)}")
                    self._names[inner] = word
            if whole is None or whole in self._names:
                lines.append(f"{shown}{self._notation.equals}{self._terms([entry])}")
                continue
            terms = [(part, factor * own) for part, own in whole.terms]
            lines.append(f"{shown}{self._notation.equals}{self._terms(terms)}")
            if serves:
                self._names[whole] = shown
        return lines

    def _count(self, product: Product) -> int:
        """Count uses and atoms below ``product``; return how many atoms it has written out."""
        size = len(product.atoms)
        for atom in product.atoms:
            self._atoms[atom] = None
        rest = product.rest
        if rest is None:
            return size
        self._uses[rest] = self._uses.get(rest, 0) + 1
        if rest not in self._sizes:
            self._sizes[rest] = sum(max(self._count(part), 1) for part, _ in rest.terms)
        return size + self._sizes[rest]

    def _unnamed(self, product: Product) -> Iterator[Sum]:
        """Yield the sums in ``product`` that deserve a name and have none, innermost first."""
        rest = product.rest
        if rest is None or rest in self._names:
            return
        for part, _ in rest.terms:
            yield from self._unnamed(part)
        repeated = self._uses[rest] > 1 and self._sizes[rest] >= self._notation.least
        if repeated and rest not in self._names:
            yield rest

    def _terms(self, terms: Iterable[tuple[Product, float]]) -> str:
        written = ""
        # A sum reads better when it does not begin with a minus.
        for product, factor in sorted(terms, key=lambda term: term[1] < 0):
            sign = "-" if factor < 0 else "+"
            body = self._product(product, abs(factor))
            if written:
                written += f" {sign} {body}"
            else:
                written = f"-{body}" if sign == "-" else body
        return written

    def _product(self, product: Product, factor: float) -> str:
        parts = [number(factor)] if factor != 1.0 else []
        parts += [self._atom(atom) for atom in product.atoms]
        if product.rest is not None:
            name = self._names.get(product.rest)
            opened, closed = self._notation.brackets
            parts.append(name or f"{opened}{self._terms(product.rest.terms)}{closed}")
        return self._notation.times.join(parts) or "1"

    def _atom(self, atom: Atom) -> str:
        return self._show(atom_name(atom, self.variables, self._letters))

    def _show(self, name: Name) -> str:
        return name.latex if self._notation.latex else name.word


def number(value: float) -> str:
    """Return the fewest of 15 to 17 digits that give ``value`` back to its last bit but one."""
    for digits in (15, 16):
        text = f"{value:.{digits}g}"
        if abs(float(text) - value) <= 2.3e-16 * abs(value):
            return text
    return repr(value)


Matrix: TypeAlias = tuple[tuple[Entry, ...], ...]

_AXES = ((1, "x"), (2, "y"), (3, "z"))


@dataclass(frozen=True)
class Symbolic:
    """Forward kinematics and Jacobian of a chain in closed form.

    ``text``, ``latex`` and ``python`` say the same; ``str()`` gives the text. ``names`` are the
    chain's free coordinates and ``units`` "rad" or "m" for each. ``pose`` is ``X_WT`` without its
    last row, ``jacobian`` has rows v then w, in W.
    """

    title: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    pose: Matrix
    jacobian: Matrix

    def __str__(self) -> str:
        return self.text

    @cached_property
    def text(self) -> str:
        """Plain text: lines ``name = expression`` in terms of the lines before."""
        writer = Writer(TEXT, self.names, _flat(self.pose, self.jacobian))
        lines = [f"# Forward kinematics of {self.title}: X_WT has rows r11 r12 r13 px and so on."]
        for variable, name, unit in zip(writer.variables, self.names, self.units, strict=True):
            known = "" if variable.word == name else f" ({name})"
            lines.append(f"# {variable.word}{known}: {unit}")
        lines += writer.functions()
        lines += writer.equations(_pose_entries(self.pose))
        lines += ["", "# Jacobian of the tip in W: rows 1 to 3 are v, 4 to 6 are w."]
        lines += writer.equations(_jacobian_entries(self.jacobian))
        return "\n".join(lines) + "\n"

    @cached_property
    def latex(self) -> str:
        """LaTeX: the pose's matrix, then an ``aligned`` block each for its entries and J's."""
        writer = Writer(LATEX, self.names, _flat(self.pose, self.jacobian))
        rows = r" \\ ".join(rf"r_{{{r}1}} & r_{{{r}2}} & r_{{{r}3}} & p_{c}" for r, c in _AXES)
        pose = [*writer.functions(), *writer.equations(_pose_entries(self.pose))]
        blocks = [
            rf"X_{{WT}} = \begin{{bmatrix}} {rows} \\ 0 & 0 & 0 & 1 \end{{bmatrix}}",
            *(
                "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"
                for lines in (pose, writer.equations(_jacobian_entries(self.jacobian)))
                if lines
            ),
        ]
        return "\n\n".join(blocks) + "\n"

    @cached_property
    def python(self) -> str:
        """A module that needs NumPy alone: ``tip(q)`` and ``jacobian(q)`` for any batch shape."""
        title = self.title.replace("\\", "/").replace('"', "'")
        return "\n".join(
            [
                f'"""Forward kinematics and Jacobian of {title}, in closed form."""',
                "",
                "import numpy as np",
                *self._function("tip", "X", self.pose, "the tip's pose in W", 4),
                *self._function("jacobian", "J", self.jacobian, "rows v then w in W", 6),
                "",
            ]
        )

    def _function(self, name: str, result: str, matrix: Matrix, what: str, rows: int) -> list[str]:
        writer = Writer(PYTHON, self.names, _flat(matrix))
        words = [variable.word for variable in writer.variables]
        given = ", ".join(f"{word} ({unit})" for word, unit in zip(words, self.units, strict=True))
        count, columns = len(words), 4 if rows == 4 else len(words)
        body = [
            "q = np.asarray(q, dtype=float)",
            f"if q.shape[-1:] != ({count},):",
            f'    raise ValueError(f"a posture has {count} values, not shape {{q.shape}}")',
        ]
        if count:
            body.append(f"{', '.join(words)}{',' * (count == 1)} = np.moveaxis(q, -1, 0)")
        body += writer.functions("np.")
        body.append(f"{result} = np.zeros((*q.shape[:-1], {rows}, {columns}))")
        entries = (
            (Name(f"{result}[..., {r}, {c}]", ""), entry)
            for r, row in enumerate(matrix)
            for c, entry in enumerate(row)
            if entry is not None
        )
        body += writer.equations(entries)
        body += ["X[..., 3, 3] = 1.0"] * (rows == 4)
        body.append(f"return {result}")
        return [
            "",
            "",
            f"def {name}(q):",
            f'    """Return {what}, (*batch, {rows}, {columns}), for postures (*batch, {count}).',
            "",
            f"    A posture is {given or 'empty: nothing moves'}.",
            '    """',
            *(f"    {line}" for line in body),
        ]


def symbolic(chain: Serial, *, tolerance: float) -> Symbolic:
    """Return the closed form of ``chain``; see ``Chain.symbolic``."""
    if not 0.0 <= tolerance <= 1e-2:
        raise KinematicsError(
            f"tolerance = {tolerance:g} is not allowed; give how far an entry of a rotation may "
            "be from 0 or 1 to be taken for it, from 0 to 0.01"
        )
    pool = Pool()
    pose, jacobian = (
        tuple(tuple(pool.shared(value) if value else None for value in row) for row in matrix)
        for matrix in derive(chain, pool, tolerance=tolerance)
    )
    units = tuple("m" if chain.joints[i].kind == PRISMATIC else "rad" for i in chain.free)
    return Symbolic(chain.name or "the chain", chain.names, units, pose, jacobian)


def _flat(*matrices: Matrix) -> list[Entry]:
    return [entry for matrix in matrices for row in matrix for entry in row]


def _pose_entries(pose: Matrix) -> Iterable[tuple[Name, Entry]]:
    for (r, axis), row in zip(_AXES, pose, strict=True):
        names = [Name(f"r{r}{c}", f"r_{{{r}{c}}}") for c in (1, 2, 3)]
        yield from zip([*names, Name(f"p{axis}", f"p_{axis}")], row, strict=True)


def _jacobian_entries(jacobian: Matrix) -> Iterable[tuple[Name, Entry]]:
    wide = len(jacobian[0]) > 9
    for r, row in enumerate(jacobian, 1):
        for c, entry in enumerate(row, 1):
            word = f"J{r}_{c}" if wide else f"J{r}{c}"
            yield Name(word, f"J_{{{r},{c}}}" if wide else f"J_{{{r}{c}}}"), entry
