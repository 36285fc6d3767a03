"""What compiled code is keyed by: a module and all that it imports among the kernels."""

from __future__ import annotations

import ast

import pytest

from articulata.kernels import sources
from articulata.kernels.sources import HOME, PACKAGE, module_hash, room_hash, seen_from

MODULES = sorted(sources._names())


def imported(name: str) -> set[str]:
    """Return the modules here that one imports, by its syntax tree, in whatever form."""
    tree = ast.parse(sources._names()[name].read_text())
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, name
            found |= {f"{node.module}.{each.name}" for each in node.names} | {str(node.module)}
    return {
        each.removeprefix(PACKAGE).removeprefix(".")
        for each in found
        if each.startswith(PACKAGE) and each.removeprefix(f"{PACKAGE}.") in MODULES
    }


@pytest.mark.parametrize("name", sorted(MODULES)[::7])
def test_all_that_a_module_imports_counts(name: str) -> None:
    seen = seen_from(name)
    assert name in seen
    for each in seen:
        assert imported(each) <= seen


def test_a_change_counts_where_it_is_seen_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = HOME / "multibody" / "contact" / "contact_solution.py"
    names = [f"{PACKAGE}.{name}" for name in MODULES]
    before = {name: module_hash(name) for name in names}
    read = type(changed).read_bytes
    monkeypatch.setattr(
        type(changed), "read_bytes", lambda path: read(path) + b"#" * (path == changed)
    )
    module_hash.cache_clear()
    after = {name: module_hash(name) for name in names}
    module_hash.cache_clear()
    others = {name for name in names if before[name] != after[name]}
    assert f"{PACKAGE}.multibody.contact.contact_steps" in others
    for other in ("multibody.integrators.dop853", "chains.dh_table"):
        assert other in MODULES
        assert f"{PACKAGE}.{other}" not in others


def test_kernels_of_others_are_made_of_everything_here() -> None:
    outside = module_hash("somewhere.else")
    assert outside not in {module_hash(f"{PACKAGE}.{name}") for name in MODULES}


def test_rooms_differ() -> None:
    assert len({room_hash(room) for room in ("multibody", "chains", "lanes", "contacts")}) == 4
