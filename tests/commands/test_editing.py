"""``articulata fmt`` and ``articulata lsp``: what they write, and what an editor gets to hear."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from articulata.app.text_commands import formed
from articulata.errors import WorldError
from articulata.world.language.grammar_tables import textmate
from articulata.world.world_files import LIBRARY

ROOT = Path(__file__).parents[2]

UNTIDY = """world  swing{gravity:(0,-9.81,0)   # falls
  # what hangs
  components {anchor : fixed_point}}
"""

TIDY = """world swing {
  gravity: (0, -9.81, 0)  # falls
  components {
    # what hangs
    anchor: fixed_point
  }
}
"""


def test_form_is_canonical_and_keeps_comments(tmp_path: Path) -> None:
    file = tmp_path / "swing.art"
    file.write_text(UNTIDY)
    assert formed([file], check=True) == [file]
    assert file.read_text() == UNTIDY
    assert formed([file], check=False) == [file]
    assert file.read_text() == TIDY
    assert formed([file], check=True) == []


@pytest.mark.parametrize("source", sorted(LIBRARY.rglob("*.art")), ids=lambda path: path.stem)
def test_every_text_of_the_library_keeps_its_comments(source: Path, tmp_path: Path) -> None:
    file = tmp_path / source.name
    file.write_bytes(source.read_bytes())
    formed([file], check=False)
    assert sorted(re.findall(r"#.*", file.read_text())) == sorted(
        re.findall(r"#.*", source.read_text("utf-8"))
    )
    assert formed([file], check=True) == []


def test_a_text_with_errors_is_left(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.art", tmp_path / "bad.art"
    good.write_text(UNTIDY)
    bad.write_text("world w { components a: fixed_point ) structure")
    with pytest.raises(WorldError, match="closes nothing"):
        formed([good, bad], check=False)
    assert good.read_text() == UNTIDY


def test_the_editors_grammar_is_that_of_the_language() -> None:
    """Where this fails, write ``textmate()`` into the file."""
    file = ROOT / "editors" / "vscode" / "syntaxes" / "art.tmLanguage.json"
    assert file.read_text("utf-8") == textmate()
    patterns = {
        each["name"]: re.compile(each["match"]) for each in json.loads(textmate())["patterns"]
    }
    assert patterns["keyword.control.art"].search("join a to b")
    assert (
        patterns["support.function.art"].search("with ball.and.socket").group() == "ball.and.socket"
    )  # type: ignore[union-attr] # it is there
    assert not patterns["keyword.control.art"].search("joined")


def test_a_client_edits_a_text(tmp_path: Path) -> None:
    file = tmp_path / "tower.art"
    text = (LIBRARY / "gallery" / "wrecking.art").read_text("utf-8")
    with ThreadPoolExecutor(1) as apart:  # pages of other tests leave a running loop here
        apart.submit(asyncio.run, asyncio.wait_for(_session(file, text), 120)).result()


async def _session(file: Path, text: str) -> None:
    client = LanguageClient("a scripted client", "1")
    heard: asyncio.Queue[Any] = asyncio.Queue()

    @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def told(found: lsp.PublishDiagnosticsParams) -> None:
        heard.put_nowait(found)

    await client.start_io(sys.executable, "-m", "articulata", "lsp")
    await client.initialize_async(lsp.InitializeParams(capabilities=lsp.ClientCapabilities()))
    uri = file.as_uri()
    wrong = text.replace("arm: boom", "arm: bom")
    client.text_document_did_open(
        lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, "art", 1, wrong))
    )
    (finding,) = (await heard.get()).diagnostics
    line = next(k for k, each in enumerate(wrong.splitlines()) if "arm: bom" in each)
    assert (finding.range.start.line, finding.range.start.character) == (line, 9)
    assert "boom" in finding.message
    identifier = lsp.TextDocumentIdentifier(uri)
    version = lsp.VersionedTextDocumentIdentifier(2, uri)
    client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(
            version, [lsp.TextDocumentContentChangeWholeDocument(text=text)]
        )
    )
    assert len((await heard.get()).diagnostics) == 0
    items = await client.text_document_completion_async(
        lsp.CompletionParams(identifier, lsp.Position(line, 9))
    )
    assert {"boom", "weight"} <= {each.label for each in items}
    hover = await client.text_document_hover_async(
        lsp.HoverParams(identifier, lsp.Position(line, 10))
    )
    assert "primitive boom" in hover.contents.value
    place = await client.text_document_definition_async(
        lsp.DefinitionParams(identifier, lsp.Position(line, 10))
    )
    begun = next(k for k, each in enumerate(text.splitlines()) if "primitive boom" in each)
    assert (place.uri, place.range.start.line) == (uri, begun)
    edit = await client.text_document_rename_async(
        lsp.RenameParams(identifier, lsp.Position(begun, 11), "jib")
    )
    assert len(edit.changes[uri]) == 2
    (formed_text,) = await client.text_document_formatting_async(
        lsp.DocumentFormattingParams(identifier, lsp.FormattingOptions(2, insert_spaces=True))
    )
    assert "primitive boom {" in formed_text.new_text
    while not heard.empty():
        heard.get_nowait()
    asked = "track t {\n  figure: person\n  from: fastrak\n}\n"
    client.text_document_did_open(
        lsp.DidOpenTextDocumentParams(
            lsp.TextDocumentItem(file.with_name("t.art").as_uri(), "art", 1, asked)
        )
    )
    assert not (await heard.get()).diagnostics  # what is quick comes first
    (refused,) = (await heard.get()).diagnostics
    assert (refused.range.start.line, refused.code) == (2, "refused")
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
