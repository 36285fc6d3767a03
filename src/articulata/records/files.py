"""Writing files: whole, so that no reader sees a part, and by one writer at a time."""

from __future__ import annotations

import contextlib
import itertools
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

from articulata.errors import FormatWarning, RecordingError

SOURCE = ".source"
"""The file of a folder ``out/NAME`` that tells whose results it holds."""


def write_whole(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` through a file beside it, so that no failure leaves a part.

    A file that is there keeps its permissions.
    """
    temporary = path.with_name(f".{path.name}.part")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(OSError):  # who may read what was there may read this
            temporary.chmod(path.stat().st_mode & 0o777)
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise RecordingError(
            f"{path} cannot be written ({error.strerror}); nothing was left behind."
            " Free some space, or give a folder that exists and that you may write to"
        ) from error


@contextlib.contextmanager
def making(folder: Path) -> Iterator[None]:
    """Turn the system's refusal to make ``folder`` into a RecordingError that says what to do."""
    try:
        yield
    except OSError as error:
        raise RecordingError(
            f"the folder {folder} cannot be made ({error.strerror}); give another, that you may"
            " write to"
        ) from error


def make_folder(folder: Path) -> None:
    """Make a folder unless it is there; raise RecordingError where nothing can be written to it."""
    with making(folder):
        folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise RecordingError(
            f"the folder {folder} may not be written to; give another, or change its permissions"
        )


def folder_of(source: Path, under: Path = Path("out")) -> Path:
    """Return ``under/NAME`` of a file, or the next free name where another file's results are.

    A folder is free where no file that is still there has marked it; see ``mark``.
    """
    for number in itertools.count(1):
        folder = under / (source.stem if number == 1 else f"{source.stem}-{number}")
        try:
            owner = Path((folder / SOURCE).read_text("utf-8"))
        except (OSError, ValueError):  # a new folder, or one that nobody has marked
            return folder
        if owner == source.resolve() or not owner.is_file():
            return folder
    raise AssertionError


def mark(folder: Path, source: Path) -> None:
    """Make the folder that ``folder_of`` gives for ``source``; warn where its name is another."""
    make_folder(folder)
    write_whole(folder / SOURCE, str(source.resolve()).encode())
    if folder.name != source.stem:
        taken = folder.with_name(source.stem)
        told = f"{taken} holds results of another file; those of {source} go to {folder}"
        warnings.warn(told, FormatWarning, stacklevel=2)


def claim(descriptor: int, name: str) -> None:
    """Take the open file or folder ``descriptor`` for this writer alone, until it is closed.

    The system gives it back when the writer is killed. Raises RecordingError where another writer
    has it; ``name`` is how the message calls it.
    """
    try:
        import fcntl
    except ImportError:  # a system without such locks
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RecordingError(
            f"{name} is being written by another run; wait for its end, or give another folder"
        ) from None
    except OSError:
        # Not every file system knows locks, and a device needs none.
        return


@contextlib.contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Keep other runs out of ``folder`` while this one writes there."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # a system that opens no folders, or a folder that only takes files
        yield
        return
    try:
        claim(descriptor, f"the folder {folder}")
        yield
    finally:
        os.close(descriptor)
