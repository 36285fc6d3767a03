"""Every code block of the documentation runs as it stands.

Python blocks of one page share a namespace and run in an empty folder, top to bottom. A block
marked ``python no-run: why`` is left out and must say why. A ``text output`` block holds exactly
what the block before it prints.

An ``art`` block is a whole text that is checked without a finding; ``art continued`` goes on where
the page's last one ended, ``art wrong: CODE`` shows a mistake and is found out by that code, and
``art part: why`` is only a piece of a text.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
from pathlib import Path

import pytest

from articulata.world.document import parse

from .blocks import ROOT, Block, blocks, pages

PYTHON = [page for page in pages() if any(b.language == "python" for b in blocks(page.read_text()))]

ART = [page for page in pages() if any(b.language == "art" for b in blocks(page.read_text()))]


def run_page(text: str, name: str) -> None:
    namespace: dict[str, object] = {"__name__": "documentation"}
    printed = ""
    for block in blocks(text):
        if block.language == "python" and not block.note:
            code = compile("\n" * (block.line - 1) + block.text, name, "exec")
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(code, namespace)
            printed = out.getvalue()
        elif block.language == "python":
            what, _, reason = block.note.partition(":")
            assert what == "no-run", f"{name}:{block.line}: unknown mark {block.note!r}"
            assert len(reason.strip()) >= 8, f"{name}:{block.line}: no-run needs a reason"
        elif block.language == "text" and block.note == "output":
            assert printed.rstrip() == block.text.rstrip(), f"{name}:{block.line}"


def check_page(text: str, name: str) -> None:
    so_far = ""
    for block in blocks(text):
        if block.language != "art":
            continue
        what, _, rest = block.note.partition(":")
        where = f"{name}:{block.line}"
        if what == "part":
            assert len(rest.strip()) >= 8, f"{where}: a part says why it is not whole"
            continue
        assert what in ("", "continued", "wrong"), f"{where}: unknown mark {block.note!r}"
        whole = so_far + block.text if what == "continued" else block.text
        findings = parse(whole, name).check()
        if what == "wrong":
            assert rest.strip() in [found.code for found in findings], (where, findings)
        else:
            assert findings == (), (where, findings)
            so_far = whole


@pytest.mark.parametrize("page", ART, ids=lambda page: str(page.relative_to(ROOT)))
def test_worlds_on_a_page_are_sound(page: Path) -> None:
    check_page(page.read_text(), str(page))


def test_an_unsound_world_is_noticed() -> None:
    check_page("```art\nlet a = 1 m\n```\n```art continued\nlet b = a + 1 m\n```\n", "page")
    with pytest.raises(AssertionError, match="page:2"):
        check_page("```art\nlet a = 1 m + 1 s\n```\n", "page")
    with pytest.raises(AssertionError, match="page:2"):
        check_page("```art wrong: other\nlet a = 1 m + 1 s\n```\n", "page")


@pytest.mark.parametrize("page", PYTHON, ids=lambda page: str(page.relative_to(ROOT)))
def test_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page.read_text(), str(page))


def test_a_block_that_fails_is_noticed() -> None:
    with pytest.raises(ZeroDivisionError):
        run_page("```python\n1 / 0\n```\n", "page")
    with pytest.raises(AssertionError, match="needs a reason"):
        run_page("```python no-run\n1 / 0\n```\n", "page")
    with pytest.raises(AssertionError, match="page:5"):
        run_page("```python\nprint(2)\n```\n```text output\n3\n```\n", "page")


def test_blocks_know_their_lines() -> None:
    text = (
        "# A page\n\n```python\nx = 1\n```\n\n  ````art no-check: why\n  world w\n  ```\n  ````\n"
    )
    assert blocks(text) == [
        Block("python", "", "x = 1\n", 4),
        Block("art", "no-check: why", "world w\n```\n", 8),
    ]


def test_relative_links_of_the_readme_lead_somewhere() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / "README.md").read_text())
    assert links
    assert [link for link in links if not os.path.exists(ROOT / link)] == []
