"""What a recording says about itself before its first frame."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType

from articulata.errors import RecordingError, WorldError
from articulata.records.codec import encode, misfits
from articulata.world.model import OneWorld, World
from articulata.world.requests.request import Rule
from articulata.world.writing.worlds import art_text

RECORDED_VERSIONS = ("articulata", "numpy", "numba")
"""Packages whose versions decide the bytes of a run."""

Setting = float | str | bool | None


@functools.cache
def versions(*more: str) -> Mapping[str, str]:
    """Return the installed versions of the packages that decide a run's bytes, and of ``more``."""
    found = {}
    for name in (*RECORDED_VERSIONS, *more):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return MappingProxyType(found)


@dataclass(frozen=True, slots=True)
class Header:
    """How a recording was made: all that is needed to look at it, and to run it again.

    ``world`` is the assembled world at the start; it carries the canonical text and the
    arguments. ``step`` and ``until`` are in s, ``method`` names the integrator and ``settings``
    holds its parameters; ``rules`` are the ``on`` clauses it obeyed, ``start`` the time (s) of the
    state it went on from, None for the world's own start. Neither clock time nor machine nor
    folder is part of it.
    """

    world: World
    step: float | None = None
    until: float | None = None
    method: str = ""
    seed: int = 0
    domains: tuple[str, ...] | None = None
    settings: Mapping[str, Setting] = field(default_factory=lambda: MappingProxyType({}))
    versions: Mapping[str, str] = field(default_factory=versions)
    rules: tuple[Rule, ...] = ()
    start: float | None = None

    @property
    def stored(self) -> tuple[str, list[object]]:
        """The world's text and the world as data, made once for recordings of one world."""
        return _stored(OneWorld(self.world))

    def plain(self) -> dict[str, object]:
        """Return everything but the world as plain values."""
        return {
            "text": self.stored[0],
            "world": self.world.name,
            "arguments": list(self.world.arguments),
            "step": self.step,
            "until": self.until,
            "method": self.method,
            "seed": self.seed,
            "domains": None if self.domains is None else list(self.domains),
            "settings": dict(self.settings),
            "versions": dict(self.versions),
            **({"rules": encode(self.rules)} if self.rules else {}),
            **({} if self.start is None else {"start": self.start}),
        }


def plain_header(plain: Mapping[str, object], world: World, rules: object) -> Header:
    """Return the header that ``Header.plain`` made ``plain`` of.

    Raises RecordingError where a value is of another type.
    """
    domains = plain.get("domains")
    values = {
        "step": plain.get("step"),
        "until": plain.get("until"),
        "method": plain.get("method", ""),
        "seed": plain.get("seed", 0),
        "domains": tuple(domains) if isinstance(domains, list) else domains,
        "settings": plain.get("settings", {}),
        "versions": plain.get("versions", {}),
        "rules": rules,
        "start": plain.get("start"),
    }
    wrong = misfits(Header, values, Header)
    if wrong:
        raise RecordingError(
            f"the header's '{wrong[0]}' is {str(values[wrong[0]])[:60]!r}; the recording was"
            " changed or made up"
        )
    for name in ("settings", "versions"):
        values[name] = MappingProxyType(values[name])  # type: ignore[arg-type] # looked at above
    return Header(world, **values)  # type: ignore[arg-type] # looked at above


@functools.lru_cache(maxsize=1)
def _stored(same: OneWorld) -> tuple[str, list[object]]:
    return same.world.text or _written(same.world), encode(same.world)


def _written(world: World) -> str:
    """Return the text of an edited or built world; nothing where the language has no words."""
    try:
        return art_text(world)
    except WorldError:
        # The world itself is stored as data beside the text, so nothing is lost.
        return ""
