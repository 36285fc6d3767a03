"""A world's text edited in the browser: what is wrong with it is said, what is right is shown.

The page has the text; it is checked and simulated by a process of its own, written to the file when
the user saves it and not before. What somebody else wrote to the file meanwhile is not written over
unasked.
"""

from __future__ import annotations

import hashlib
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from articulata.errors import ArticulataError, Diagnostic, WorldError
from articulata.kinematics.assembly.assembling import assemble
from articulata.records.files import write_whole
from articulata.records.recording import load
from articulata.report.folder import monitored
from articulata.report.viewer.editor import LONGEST, EditorServer
from articulata.report.viewer.motion_sources import motion_of
from articulata.sessions.newest_text import NewestText, meant, read_text
from articulata.world.assistance import offers
from articulata.world.requests.request import Report

NEW: Final = """# A ball falls, a rod swings. Change a number and see.
let rubber = material(density: 1100 kg/m^3, restitution: 0.8)

primitive ball {
  properties: (material: rubber, color: orange)
  geometry: sphere(10 cm)
  dynamics
}

primitive rod(span: length) {
  properties: (material: material(density: 2700 kg/m^3), color: steel)
  geometry: cuboid(4 cm, span, 4 cm) where {
    top: (0, span / 2, 0)
  }
  dynamics
}

world first {
  gravity: (0, -9.81, 0)
  components {
    floor: ground
    nail: fixed_point
    ball: ball
    rod: rod(80 cm)
  }
  structure {
    join rod to nail with pin(axis: z) as hook matching (top, center)
    place nail by nail.center at (0, 1.2 m, 0), hook.angle = 60 deg
    place ball by ball.center at (60 cm, 1 m, 0)
  }
}

simulate first {
  time: (10 ms, 5 s)
}
"""
"""What a new file begins with."""

PERIOD: Final = 0.1
"""s between two looks whether the newest text is being minded."""
LOOK: Final = 0.5
"""s between two looks at the file."""
MOST_OFFERED: Final = 300
"""Words that are offered at once."""


@dataclass(frozen=True, slots=True)
class OnDisk:
    """What a file holds: its text, each line ended by a line feed, and what tells it from others.

    ``version`` is empty where there is no file. ``ends`` is what ends its lines there.
    """

    text: str = NEW
    version: str = ""
    ends: str = "\n"


def on_disk(file: Path) -> OnDisk:
    """Return what ``file`` holds."""
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return OnDisk()
    ends = "\r\n" if b"\r\n" in data else "\n"
    text = data.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    return OnDisk(text, hashlib.sha256(data).hexdigest()[:16], ends)


class Editing:
    """Does what a page asks, on a thread of its own, and tells it what became of it."""

    def __init__(self, file: Path, server: EditorServer, world: str = "") -> None:
        # where a link points to is written, the link stays
        self._file, self._server, self._world = file.resolve(), server, world
        self._disk, self._looked = on_disk(self._file), time.monotonic()
        self._text: str | None = None
        self._made = self._found = self._shown = self._page = 0
        self._findings: Sequence[Diagnostic] = ()
        self._reports: tuple[Report, ...] = ()
        self._run = ""
        self._offers: dict[str, Any] = {}
        self._saved: dict[str, Any] = {}
        self._folder = TemporaryDirectory(prefix="articulata-edit-", ignore_cleanup_errors=True)
        self._newest = NewestText(self._file, Path(self._folder.name), world, server.wishes.put)
        self._closing = threading.Event()
        self._change(self._disk.text)
        self._say()
        self._thread = threading.Thread(target=self._go, name="editing", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Do no more."""
        self._closing.set()
        self._thread.join(timeout=5)
        self._newest.close()
        self._folder.cleanup()

    def _go(self) -> None:
        granting = {
            "text": self._take, "save": self._save, "complete": self._complete,
            "found": self._find, "run": self._play, "ended": self._end,
        }  # fmt: skip
        while not self._closing.is_set():
            for name, (number, to) in self._server.wishes.take(PERIOD).items():
                try:
                    granting[name](number, to)
                except (ArticulataError, OSError) as error:
                    self._run = str(error)
                except Exception as error:  # what is asked next is done anyhow
                    traceback.print_exc()
                    self._run = f"This went wrong ({type(error).__name__}: {error}); type on."
                self._say()
            self._newest.mind()
            if time.monotonic() - self._looked > LOOK:
                self._look()

    # ---- what a page asks

    def _take(self, number: int, text: Any) -> None:
        self._page = number
        if isinstance(text, str) and text != self._text:
            self._change(text)

    def _change(self, text: str) -> None:
        """Have another text checked and shown."""
        self._text, self._run = text, "Checking ..."
        self._made += 1
        self._newest.give(self._made, text)

    def _save(self, number: int, to: Any) -> None:
        """Write a text over the version of the file that it is made of, over no other one."""
        text, version = to["text"], to["version"]
        self._saved = {"number": number, "version": "", "problem": ""}
        self._disk = on_disk(self._file)
        if self._disk.version != version and self._disk.text != text:
            return  # the page sees that the file is another one, and asks
        try:
            write_whole(self._file, text.replace("\n", self._disk.ends).encode())
        except (ArticulataError, ValueError) as error:
            self._saved["problem"] = str(error)
            return
        self._disk = on_disk(self._file)
        self._saved["version"] = self._disk.version

    def _complete(self, number: int, to: Any) -> None:
        text = to["text"]
        try:
            found = offers(read_text(text, self._file), text, to["offset"])
        except WorldError:
            found = []
        items = [
            {"label": each.label, "kind": each.kind, "form": each.form, "meaning": each.meaning}
            for each in found[:MOST_OFFERED]
        ]
        self._offers = {"number": number, "items": items}

    def _look(self) -> None:
        """Tell the page where somebody else has written to the file."""
        self._looked, known = time.monotonic(), self._disk.version
        self._disk = on_disk(self._file)
        if self._disk.version != known:
            self._say()

    # ---- what becomes of the text

    def _find(self, number: int, found: Sequence[Diagnostic]) -> None:
        if number != self._made:
            return
        self._findings, self._found = found, number
        if any(each.severity == "error" for each in found):
            self._run = "The picture is that of the text before the mistake."
        else:
            self._stand(number)

    def _stand(self, number: int) -> None:
        """Show the world as it stands at the start, once for each text."""
        if self._shown == number or self._text is None:
            return
        self._shown, self._run, self._reports = number, "As it stands at the start.", ()
        document = read_text(self._text, self._file)
        request = meant(document, self._world)
        if request is not None:
            self._reports = request.reports
            world = assemble(document.world(request))
        elif document.figures:
            world = assemble(document.standing_world(document.figures[0]))
        else:
            self._run = "Nothing is to be seen yet: the text holds no world and no figure."
            return
        self._server.viewer.show(replace(motion_of(world), world=None), stay=True)

    def _play(self, number: int, run: tuple[Path | None, bool, str]) -> None:
        """Play a run as far as it has come."""
        record, ended, why = run
        if number != self._made:
            return
        self._stand(number)
        self._run = why if ended else "Simulating ..."
        if record is None:
            return
        recording = load(record)
        if len(recording.times):
            motion = motion_of(recording)
            plotted = monitored(recording, self._reports) or motion.shown_first
            self._server.viewer.grow(replace(motion, shown_first=plotted), growing=not ended)
            said = "Simulated" if ended else "Simulating:"
            self._run = f"{said} {recording.times[-1]:.4g} s. {why}".strip()

    def _end(self, _: int, __: object) -> None:
        self._run = "The process that checks the text has ended; change the text to try again."

    def _say(self) -> None:
        self._server.say({
            "file": self._file.name, "text": self._disk.text, "version": self._disk.version,
            "number": self._page if self._found == self._made else 0, "run": self._run,
            "offers": self._offers, "saved": self._saved, "longest": LONGEST,
            "findings": [
                {
                    "line": each.line, "column": each.column, "end_line": each.end_line,
                    "end_column": each.end_column, "severity": each.severity,
                    "message": each.message, "suggestion": each.suggestion,
                    "file": "" if each.file == str(self._file) else each.file,
                }
                for each in self._findings
            ],
        })  # fmt: skip


def edit_file(
    file: Path,
    world: str,
    port: int | None,
    told: Callable[[str], None],
    note: Callable[[str], None],
) -> None:
    """Let the text of a file be edited in the browser until Ctrl-C; ``told`` hears the address.

    ``note`` hears what else the user should know.
    """
    if not file.suffix:
        file = file.with_suffix(".art")
    if file.suffix != ".art":
        raise WorldError(f"{file} is no world's text; name one that ends in .art, as first.art")
    if not file.resolve().parent.is_dir():
        raise WorldError(f"there is no folder {file.resolve().parent}; make it first")
    if file.exists():
        try:
            long = 2 * len(file.read_text("utf-8")) > LONGEST
        except (OSError, UnicodeDecodeError) as error:
            raise WorldError(f"{file} cannot be read ({error}); give a text in UTF-8") from None
        if long:
            raise WorldError(f"{file} is longer than {LONGEST // 2} characters; use another editor")
    else:
        note(f"{file} is new: the page begins with a small world, and writes it when you save")
    with EditorServer(port=port) as server:
        editing = Editing(file, server, world)
        told(server.address)
        try:
            server.viewer.wait()
        finally:
            editing.close()
