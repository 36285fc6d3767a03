"""Where the architecture tests look: the package's modules and the project's own text files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "articulata"

TEXT_FOLDERS = ("src", "tests", "docs", "benchmarks", "locks", "scripts", "changelog.d", ".ci")
TEXT_ENDINGS = {".py", ".md", ".art", ".txt", ".in", ".toml", ".js", ".html", ".css", ".json", ""}


def modules() -> dict[str, Path]:
    """Return every module of the package by its full name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_in(path: Path) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield every import of a module: at its top, in functions, for type checking."""
    return imports_of(ast.parse(path.read_text(encoding="utf-8")))


def imports_of(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield what ``imports_in`` does, of a module that is parsed."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        for inside in ("body", "orelse", "finalbody", "handlers", "cases"):
            todo += getattr(node, inside, ())


def text_files() -> list[Path]:
    """Return every text file that belongs to the project, whether or not git is there to ask."""
    files = [path for path in ROOT.iterdir() if path.is_file()]
    for folder in TEXT_FOLDERS:
        files += [path for path in (ROOT / folder).rglob("*") if path.is_file()]
    return sorted(
        path
        for path in files
        if path.suffix in TEXT_ENDINGS
        and path.name != ".git"
        and not any(part in ("__pycache__", "node_modules") for part in path.parts)
        and not any(part.endswith(".egg-info") for part in path.parts)
    )
