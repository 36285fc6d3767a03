"""A closed form that can be read, printed in a paper and imported."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from articulata.errors import KinematicsError
from articulata.kinematics.joint import PRISMATIC
from articulata.kinematics.symbolic.equation_writer import LATEX, PYTHON, TEXT, Entry, Writer
from articulata.kinematics.symbolic.naming import Name
from articulata.kinematics.symbolic.tip_expressions import derive
from articulata.kinematics.symbolic.trigonometric_sums import Pool

if TYPE_CHECKING:
    from articulata.kinematics.serial import Serial

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
