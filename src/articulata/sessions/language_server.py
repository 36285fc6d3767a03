"""A language server: findings, completion, meaning, definition, renaming and form in an editor.

It speaks the Language Server Protocol on standard input and output, by ``pygls``. Texts are read
and checked, nothing of them is executed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from articulata import __version__
from articulata.errors import Diagnostic, MissingExtra, WorldError
from articulata.world.assistance import Kind, meaning, offers, origin, uses
from articulata.world.document import Document, parse
from articulata.world.language.source import Span
from articulata.world.language.syntax.grammar import is_bare

try:
    from lsprotocol import types as lsp
    from pygls.lsp.server import LanguageServer
    from pygls.uris import from_fs_path, to_fs_path
    from pygls.workspace import TextDocument
except ImportError:
    raise MissingExtra(
        "the language server needs the package 'pygls'; install it with "
        "pip install 'articulata[editor]'"
    ) from None

_KINDS: dict[Kind, lsp.CompletionItemKind] = {
    "word": lsp.CompletionItemKind.Keyword,
    "type": lsp.CompletionItemKind.Class,
    "name": lsp.CompletionItemKind.Variable,
    "function": lsp.CompletionItemKind.Function,
}


class _Texts:
    """The texts that are open, as they were read last."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[str, Document]] = {}

    def document(self, text: TextDocument) -> Document | None:
        """Return the document of a text; None where it cannot be read at all."""
        known = self._read.get(text.uri)
        if known is None or known[0] != text.source:
            file = to_fs_path(text.uri) or text.uri
            folder = Path(file).parent
            try:
                made = parse(text.source, file, folder=folder if folder.is_dir() else None)
            except WorldError:
                return None
            known = self._read[text.uri] = (text.source, made)
        return known[1]

    def forget(self, uri: str) -> None:
        """Forget a text that was closed."""
        self._read.pop(uri, None)


def server() -> LanguageServer:
    """Return a language server, ready to be started."""
    made, texts = LanguageServer("articulata", __version__), _Texts()
    _listen(made, texts)
    _explain(made, texts)
    _rewrite(made, texts)
    return made


def _listen(made: LanguageServer, texts: _Texts) -> None:
    """Tell the findings about each text that is opened, changed or saved."""

    def show(uri: str, found: Iterable[Diagnostic]) -> None:
        made.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri, [_finding(each) for each in found])
        )

    def tell(uri: str, *, whole: bool) -> None:
        """Show the findings about a text; ``whole`` elaborates its worlds and begins requests."""
        document = texts.document(made.workspace.get_text_document(uri))
        if document is None:
            show(uri, ())
        elif not whole:
            show(uri, document.diagnostics)
        else:
            found = document.check(starts=False)
            show(uri, found)
            made.thread_pool.submit(begin, uri, document, found)

    def begin(uri: str, document: Document, known: Sequence[Diagnostic]) -> None:
        """Show what requests are refused for as well, unless the text is another one by then."""
        found = document.check()
        if found != known and texts.document(made.workspace.get_text_document(uri)) is document:
            show(uri, found)

    @made.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(asked: lsp.DidOpenTextDocumentParams) -> None:
        tell(asked.text_document.uri, whole=True)

    @made.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(asked: lsp.DidSaveTextDocumentParams) -> None:
        tell(asked.text_document.uri, whole=True)

    @made.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(asked: lsp.DidChangeTextDocumentParams) -> None:
        tell(asked.text_document.uri, whole=False)

    @made.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(asked: lsp.DidCloseTextDocumentParams) -> None:
        texts.forget(asked.text_document.uri)


def _explain(made: LanguageServer, texts: _Texts) -> None:
    """Answer what may stand somewhere, what a word means and where it is from."""

    @made.feature(
        lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=[".", ":", "("])
    )
    def completed(asked: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        text = made.workspace.get_text_document(asked.text_document.uri)
        document = texts.document(text)
        if document is None:
            return []
        return [
            lsp.CompletionItem(
                each.label, kind=_KINDS[each.kind], detail=each.form, documentation=each.meaning
            )
            for each in offers(document, text.source, text.offset_at_position(asked.position))
        ]

    @made.feature(lsp.TEXT_DOCUMENT_HOVER)
    def explained(asked: lsp.HoverParams) -> lsp.Hover | None:
        text = made.workspace.get_text_document(asked.text_document.uri)
        document = texts.document(text)
        offset = text.offset_at_position(asked.position)
        found = meaning(document, text.source, offset) if document is not None else None
        if found is None:
            return None
        said = lsp.MarkupContent(lsp.MarkupKind.Markdown, found[0])
        return lsp.Hover(said, _range(text, found[1]))

    @made.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def defined(asked: lsp.DefinitionParams) -> lsp.Location | None:
        text = made.workspace.get_text_document(asked.text_document.uri)
        document = texts.document(text)
        offset = text.offset_at_position(asked.position)
        found = origin(document, text.source, offset) if document is not None else None
        uri = from_fs_path(str(Path(found[0].file).resolve())) if found is not None else None
        if found is None or uri is None:
            return None
        return lsp.Location(uri, _range(TextDocument(uri, found[0].text), found[1]))


def _rewrite(made: LanguageServer, texts: _Texts) -> None:
    """Rename, and bring a text into its canonical form."""

    @made.feature(lsp.TEXT_DOCUMENT_RENAME)
    def renamed(asked: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        text = made.workspace.get_text_document(asked.text_document.uri)
        document, offset = texts.document(text), text.offset_at_position(asked.position)
        places = uses(document, text.source, offset) if document is not None else []
        if not places or not is_bare(asked.new_name):
            return None
        edits = [lsp.TextEdit(_range(text, each), asked.new_name) for each in places]
        return lsp.WorkspaceEdit({asked.text_document.uri: edits})

    @made.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def formed(asked: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
        text = made.workspace.get_text_document(asked.text_document.uri)
        document = texts.document(text)
        if document is None or any(each.severity == "error" for each in document.diagnostics):
            return None
        end = lsp.Position(len(text.lines) + 1, 0)
        return [lsp.TextEdit(lsp.Range(lsp.Position(0, 0), end), document.text)]


def _finding(found: Diagnostic) -> lsp.Diagnostic:
    """Return a finding as editors show it; its advice stands below it."""
    start = lsp.Position(found.line - 1, found.column - 1)
    end = lsp.Position(max(found.end_line, found.line) - 1, max(found.end_column, 1) - 1)
    if (end.line, end.character) <= (start.line, start.character):
        end = lsp.Position(start.line, start.character + 1)
    grade = lsp.DiagnosticSeverity
    return lsp.Diagnostic(
        lsp.Range(start, end),
        "\n".join(filter(None, (found.message, found.suggestion))),
        grade.Error if found.severity == "error" else grade.Warning,
        code=found.code,
        source="articulata",
    )


def _range(text: TextDocument, span: Span) -> lsp.Range:
    return lsp.Range(*map(text.client_position_at_offset, span))
