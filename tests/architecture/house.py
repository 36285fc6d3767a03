"""How large the house is, room by room: ``python -m tests.architecture.house``.

Code lines are those that are neither blank nor comments nor docstrings.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from .sources import PACKAGE, imports_of, modules

LONG, MANY = 60, 7
"""Lines of a function, and parameters, beyond which it is counted."""


@dataclass(slots=True)
class Room:
    """What a room holds; ``long`` and ``many`` count functions, ``single`` modules that one
    other module imports."""

    modules: int = 0
    code: int = 0
    lines: int = 0
    functions: int = 0
    long: int = 0
    many: int = 0
    single: int = 0


def room_of(name: str) -> str:
    """Return the room of a module: the folder below the package, or "articulata"."""
    parts = name.split(".")
    return parts[1] if len(parts) > 2 or (PACKAGE / parts[-1]).is_dir() else "articulata"


def code_lines(text: str, nodes: Iterable[ast.AST]) -> int:
    """Return how many lines of a module hold code, of its text and all nodes of its tree."""
    lines = text.splitlines()
    found = {k for k, line in enumerate(lines, 1) if line.strip() and line.lstrip()[0] != "#"}
    docs = set()
    for each in nodes:
        if isinstance(each, ast.Constant | ast.JoinedStr):
            # what is blank within a string, or looks like a comment, is code
            found |= {*range(each.lineno, (each.end_lineno or each.lineno) + 1)}
        # a string that stands alone says what is before or around it
        told = each.value if isinstance(each, ast.Expr) else None
        if isinstance(told, ast.Constant) and isinstance(told.value, str):
            docs |= {*range(told.lineno, (told.end_lineno or told.lineno) + 1)}
    return len(found - docs)


def measured() -> dict[str, Room]:
    """Return all rooms by name."""
    found = modules()
    rooms: dict[str, Room] = {}
    importers: Counter[str] = Counter()
    for name, path in found.items():
        room = rooms.setdefault(room_of(name), Room())
        text = path.read_text("utf-8")
        room.modules += 1
        room.lines += text.count("\n")
        tree = ast.parse(text)
        nodes = list(ast.walk(tree))
        room.code += code_lines(text, nodes)
        importers.update(_imported(tree) & found.keys())
        for function in nodes:
            if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            given = function.args
            count = len(given.posonlyargs) + len(given.args) + len(given.kwonlyargs)
            room.functions += 1
            room.long += (function.end_lineno or 0) - function.lineno + 1 > LONG
            room.many += count > MANY
    for name, path in found.items():
        rooms[room_of(name)].single += importers[name] == 1 and path.name != "__init__.py"
    return rooms


def _imported(tree: ast.Module) -> set[str]:
    """Return the names that a module imports, and those that may be modules."""
    named = set()
    for node in imports_of(tree):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif node.module:
            named |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return named


def table(rooms: dict[str, Room]) -> str:
    """Return the rooms as a table, the largest first, all of them last."""
    whole = Room(*(sum(getattr(r, f) for r in rooms.values()) for f in Room.__slots__))
    head = f"| room | modules | code lines | lines | functions over {LONG} lines | over {MANY}"
    lines = [f"{head} parameters | imported by one |", "|---|--:|--:|--:|--:|--:|--:|"]
    for name, room in (*sorted(rooms.items(), key=lambda r: -r[1].code), ("all", whole)):
        lines.append(
            f"| {name} | {room.modules} | {room.code} | {room.lines} | {room.long} | {room.many} |"
            f" {room.single} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(measured()))
