"""What may not stand in the project's files: silent ignores, local paths, registry addresses."""

from __future__ import annotations

import ast
import re
import tomllib

import pytest

from .sources import ROOT, imports_in, modules, text_files

# Put together from pieces, so that this file does not hold what it looks for.
LOCAL_ROOTS = "|".join(["work", "home", "Users"])
REGISTRIES = "|".join(
    ["py" + r"pi\.org", "python" + "hosted", "npm" + "js", "index" + "-url[ =]+http"]
)
FORBIDDEN = {
    "a path of one machine": re.compile(rf"(?<![\w.])/({LOCAL_ROOTS})/\w"),
    "a package registry": re.compile(REGISTRIES),
    "an address of a local file": re.compile("file" + r":///\w"),
}

IGNORE = re.compile(r"#\s*(?:noqa|type:\s*ignore|pragma:|ruff:|fmt:\s*off|mypy:)(?P<rest>.*)")
CODES = re.compile(r"^(?::?\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*|\[[\w, -]+\])?[\s#:-]*")


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_holds(what: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}"
        for path in text_files()
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if FORBIDDEN[what].search(line)
    ]
    assert found == []


def unexplained(text: str) -> list[str]:
    return [
        line.strip()
        for line in text.splitlines()
        if (match := IGNORE.search(line)) and len(CODES.sub("", match["rest"].strip())) < 8
    ]


def test_every_ignore_has_its_reason() -> None:
    found = {name: unexplained(path.read_text()) for name, path in modules().items()}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_an_ignore_without_a_reason_is_noticed() -> None:
    assert unexplained("x = 1  # noqa" + ": N806")
    assert unexplained("x = 1  # type: " + "ignore[arg-type]")
    assert not unexplained("x = 1  # noqa" + ": N806 # the symbol of the source")
    assert not unexplained("x = 1  # type: " + "ignore[arg-type] # stubs miss the overload")


def test_settings_explain_what_they_switch_off() -> None:
    lines = (ROOT / "pyproject.toml").read_text().splitlines()
    start = lines.index("[tool.ruff.lint]")
    end = next(i for i in range(start + 1, len(lines)) if lines[i].startswith("[tool.mypy"))
    rules = [line for line in lines[start:end] if re.match(r'\s*"[A-Z]+\d+",|"[^"]+" = \[', line)]
    assert rules
    assert [line for line in rules if "#" not in line] == []


def test_locks_hold_versions_and_hashes_only() -> None:
    for path in sorted((ROOT / "locks").glob("*.txt")):
        text = path.read_text()
        assert "://" not in text, path.name
        requirements = re.findall(r"^([\w.-]+)==", text, re.MULTILINE)
        assert requirements
        blocks = re.split(r"^(?=[\w.-]+==)", text, flags=re.MULTILINE)[1:]
        assert [block for block in blocks if "--hash=sha256:" not in block] == [], path.name


def test_locks_agree() -> None:
    """One environment serves demo, test and bench, so a package has one version in all."""
    pin = re.compile(r"^([\w.-]+)==(\S+)([^\\]*)", re.MULTILINE)
    versions: dict[tuple[str, str], set[str]] = {}
    for name in ("base", "test", "bench"):
        path = ROOT / "locks" / f"{name}.txt"
        if path.exists():
            for package, version, marker in pin.findall(path.read_text()):
                versions.setdefault((package, marker.strip()), set()).add(version)
    assert {key: found for key, found in versions.items() if len(found) > 1} == {}


def named_dependencies() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {re.split(r"[<>=\[ ;]", entry)[0].lower() for entry in project["dependencies"]}


def test_every_dependency_is_locked() -> None:
    locked = set(re.findall(r"^([\w.-]+)==", (ROOT / "locks/base.txt").read_text(), re.MULTILINE))
    assert named_dependencies() - locked == set()


def test_the_package_imports_every_dependency() -> None:
    """What the base installs is imported somewhere, if only within a function."""
    imported: set[str] = set()
    for path in modules().values():
        for node in imports_in(path):
            if isinstance(node, ast.Import):
                imported.update(each.name.partition(".")[0] for each in node.names)
            elif node.module and not node.level:
                imported.add(node.module.partition(".")[0])
    assert named_dependencies() - imported == set()
