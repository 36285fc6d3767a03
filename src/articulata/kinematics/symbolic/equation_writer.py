"""Equations of a closed form in one notation, with names for what is used more than once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from articulata.kinematics.symbolic.naming import Name, atom_name, letters, variables
from articulata.kinematics.symbolic.trigonometric_sums import Atom, Product, Sum

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
