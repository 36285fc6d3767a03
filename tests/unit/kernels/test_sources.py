"""What compiled code is keyed by: a module and all that it imports among the kernels."""

from __future__ import annotations

import ast
import io
import tokenize

import pytest

from articulata.kernels import sources
from articulata.kernels.sources import HOME, PACKAGE, logic, module_hash, room_hash, seen_from

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


def clear() -> None:
    for function in (logic, module_hash):
        function.cache_clear()


def code(source: str) -> list[tuple[int, str]]:
    """Return the tokens of a source without comments, docstrings and white space."""
    left = [(tokenize.NEWLINE, "\n")]
    spaces = (tokenize.INDENT, tokenize.DEDENT, tokenize.NL, tokenize.COMMENT)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in spaces:
            left.append((token.type, token.string))
        if [kind for kind, _ in left[-3:]] == [tokenize.NEWLINE, tokenize.STRING, tokenize.NEWLINE]:
            del left[-2:]
    return left


@pytest.mark.parametrize("name", MODULES)
def test_all_code_counts_and_nothing_else(name: str) -> None:
    path = sources._names()[name]
    lines = logic(path).splitlines()
    assert code(logic(path)) == code(path.read_text("utf-8"))
    assert set(lines) <= {line.split("  #")[0] for line in path.read_text("utf-8").splitlines()}
    assert not any(line.lstrip().startswith(("#", '"""')) or not line for line in lines)


def test_a_change_counts_where_it_is_seen_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = HOME / "multibody" / "contact" / "contact_solution.py"
    names = [f"{PACKAGE}.{name}" for name in MODULES]
    before = {name: module_hash(name) for name in names}
    read = type(changed).read_text
    monkeypatch.setattr(
        type(changed),
        "read_text",
        lambda path, encoding: read(path, encoding) + "added = 1\n" * (path == changed),
    )
    clear()
    after = {name: module_hash(name) for name in names}
    clear()
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
