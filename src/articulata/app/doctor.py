"""``articulata doctor``: what is installed, what is missing, and what to do about it."""

from __future__ import annotations

import os
import platform
import re
import shutil
import socket
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution, requires, version
from importlib.util import find_spec

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "firefox", "xdg-open", "open")
"""Programs that show a page; "xdg-open" and "open" start the browser of choice."""

EXTRA = re.compile(r"""extra\s*==\s*['"]([\w-]+)['"]""")
"""How a requirement says the extra that it belongs to."""

OK, MISSING, NOTE = "ok", "MISSING", "note"


def report() -> tuple[list[str], bool]:
    """Return the findings, a line each, and whether all that commands need is there."""
    found = [*_here(), *_packages(), *_kernels(), *_ports(), *_browsers()]
    lines = [f"{state:8} {what}" for state, what in found]
    return lines, all(state != MISSING for state, _ in found)


def licences() -> list[str]:
    """Return name, version and licence of all installed packages that commands need, a line each.

    The licence is as the package's own metadata tells it.
    """
    return [f"{name} {version(name)}: {_licence(name)}" for name in sorted(_needed("articulata"))]


def _here() -> Iterator[tuple[str, str]]:
    yield OK, f"articulata {version('articulata')} in {os.path.dirname(os.path.dirname(__file__))}"
    yield OK, f"Python {platform.python_version()} ({sys.executable}) on {platform.platform()}"


def _packages() -> Iterator[tuple[str, str]]:
    """Yield the packages of the core, then the extras."""
    extras: dict[str, list[str]] = {}
    for text in requires("articulata") or ():
        name = _name(text)
        extra = EXTRA.search(text)
        if extra is not None:
            extras.setdefault(extra[1], []).append(name)
        elif (known := _version(name)) is None:
            yield MISSING, f"{name}: install it by  pip install '{text}'"
        else:
            yield OK, f"{name} {known}"
    for extra_name, names in extras.items():
        have = [f"{name} {known}" for name in names if (known := _version(name))]
        if len(have) == len(names):
            yield OK, f"extra {extra_name}: {', '.join(have)}"
        else:
            yield NOTE, f"extra {extra_name}: add it by  pip install 'articulata[{extra_name}]'"


def _kernels() -> Iterator[tuple[str, str]]:
    from articulata.kernels.compile import (
        CACHE_VARIABLE,
        SHIPPED,
        cache_base,
        cache_folder,
        level,
    )

    folder = cache_folder()
    if folder is None:
        yield NOTE, f"kernels: {cache_base()} cannot be written; set {CACHE_VARIABLE} to a folder"
    else:
        yield OK, f"kernels: {len(list(folder.iterdir()))} files in {folder}"
    if find_spec("llvmlite") is None:
        return
    known = level()
    if known is not None and (SHIPPED / known).is_dir():
        yield OK, f"kernels: compiled ahead for {known}"
    else:
        yield NOTE, "kernels: compiled when first needed; do it now by  articulata warm"


def _ports() -> Iterator[tuple[str, str]]:
    """Yield whether the viewer finds a port."""
    from articulata.report.viewer.serving import FIRST_PORT, LAST_PORT

    for port in range(FIRST_PORT, LAST_PORT + 1):
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
        yield OK, f"viewer: port {port} of 127.0.0.1 is free"
        return
    yield NOTE, f"viewer: no free port from {FIRST_PORT} to {LAST_PORT}; name one by --port"


def _browsers() -> Iterator[tuple[str, str]]:
    for name in BROWSERS:
        if shutil.which(name):
            yield OK, f"browser: {name}"
            return
    yield NOTE, "browser: none found here; open the printed address in one, or use --headless"


def _needed(name: str) -> set[str]:
    """Return the installed packages that one needs without extras, and those that these need."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for text in requires(waiting.pop()) or ():
            each = _name(text)
            if "extra ==" not in text and each not in found and _version(each) is not None:
                found.add(each)
                waiting.append(each)
    return found


def _licence(name: str) -> str:
    told = distribution(name).metadata
    classes = [each for each in told.get_all("Classifier") or () if each.startswith("License ::")]
    said = [*(told.get_all("License-Expression") or ()), *(told.get_all("License") or ())]
    short = [each for each in said if "\n" not in each.strip()]
    named = ", ".join(each.split(" :: ")[-1] for each in classes)
    return short[0] if short else named or "not told"


def _name(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0]


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
