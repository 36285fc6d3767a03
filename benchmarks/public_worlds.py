"""Every VRML97 and X3D file of public folders: read or refused, and with which words.

``python -m benchmarks.public_worlds FOLDER ...`` prints how many files of each folder are read, the
refusals by kind with a file of each, what is passed over most often, and the slowest file. It runs
each folder in a process of its own of at most 4 GiB, so a file that takes too much is told.
"""

from __future__ import annotations

import argparse
import re
import resource
import time
import warnings
from collections import Counter, defaultdict
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

from articulata.errors import ArticulataError, FormatWarning
from articulata.formats.scenes.scene_text import world_text
from articulata.formats.vrml.graph_scene import read_scene

ENDINGS: Final = (".wrl", ".wrz", ".x3d", ".x3dv", ".x3dz", ".x3dvz", ".x3dj", ".wrl.gz", ".x3d.gz",
                  ".x3dv.gz")  # fmt: skip
MOST_MEMORY: Final = 4 * 2**30
"""Bytes of address space of the process that reads."""
PATIENCE: Final = 600.0
"""s after which a file is given up."""


def worlds(folder: Path) -> list[Path]:
    """Return the files of a folder that are called as worlds."""
    return sorted(path for path in folder.rglob("*") if path.name.lower().endswith(ENDINGS)
                  and path.is_file())  # fmt: skip


def answer(path: Path) -> tuple[str, Counter[str]]:
    """Return why a file is refused, "" where it is read, and what was passed over."""
    try:
        scene = read_scene(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FormatWarning)
            world_text(scene)
    except ArticulataError as error:
        return str(error), Counter()
    except Exception as error:  # a fault of the reader, which is what is looked for here
        return f"ESCAPED {type(error).__name__}: {error}", Counter()
    return "", scene.lost


def _serve(files: list[Path], pipe: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    for path in files:
        pipe.send(answer(path))
    pipe.close()


def answers(files: list[Path]) -> list[tuple[Path, str, Counter[str], float]]:
    """Return file, refusal, what was passed over, and s, of every file."""
    found: list[tuple[Path, str, Counter[str], float]] = []
    context = get_context("spawn")
    while len(found) < len(files):
        ours, theirs = context.Pipe()
        server = context.Process(target=_serve, args=(files[len(found) :], theirs), daemon=True)
        server.start()
        theirs.close()
        while len(found) < len(files):
            path, begin = files[len(found)], time.monotonic()
            try:
                told = (
                    ours.recv() if ours.poll(PATIENCE) else (f"ESCAPED {PATIENCE:g} s", Counter())
                )
            except EOFError:
                told = "ESCAPED the process ended", Counter()
            found.append((path, *told, time.monotonic() - begin))
            if told[0].startswith(("ESCAPED the", f"ESCAPED {PATIENCE:g}")):
                break
        server.kill()
        server.join()
    return found


def kind(refusal: str) -> str:
    """Return a refusal without its places, names and numbers."""
    words = re.sub(r"(?:^|(?<=\s))/\S+?:(?:\d+:\d+:)?", "", refusal).strip()
    words = words.partition("; did you mean")[0]
    return re.sub(r"'[^']*'", "'...'", re.sub(r"\b\d[\d.e+-]*", "N", words))[:110]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="+", type=Path)
    parser.add_argument("--all", action="store_true", help="print every refusal")
    given = parser.parse_args()
    for folder in given.folder:
        found = answers(worlds(folder.resolve()))
        refused = [(path, told) for path, told, _, _ in found if told]
        print(f"{folder.name}: {len(found)} files, {len(found) - len(refused)} read")
        kinds: dict[str, list[tuple[Path, str]]] = defaultdict(list)
        for path, told in refused:
            kinds[kind(told)].append((path, told))
        for words, each in sorted(kinds.items(), key=lambda item: -len(item[1])):
            print(f"  {len(each):4} {words}\n       {each[0][1][:300]}")
            for _, told in each[1:] if given.all else ():
                print(f"       {told[:300]}")
        lost = Counter[str]()
        for _, _, passed, _ in found:
            lost.update({re.sub(r"'[^']*'", "'...'", each) for each in passed})
        print("  passed over, in files:", *(f"{n} {what};" for what, n in lost.most_common(150)))
        for path, _, _, took in sorted(found, key=lambda each: -each[3])[:5]:
            print(f"  {took:.1f} s {path.relative_to(folder.resolve())}")


if __name__ == "__main__":
    main()
