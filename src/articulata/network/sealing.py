"""Packets that nobody else can read, change or send again: ChaCha20-Poly1305 under a shared key.

A sealed packet is

- a head that is not secret: magic ``AS``, the sender's session (8 random bytes), the packet's
  number (32 bits), and when it was sent (UTC, s, 32 bits);
- the packet, encrypted, and a tag of 16 bytes that covers the head too (RFC 8439).

Each session has a key of its own (keyed BLAKE2b of the shared one, RFC 7693), so that no two
senders ever use one number twice. A packet counts once: numbers that have come are known for
``WINDOW`` packets, and what was sent more than ``SKEW`` s away from our clock is left out, so that
a recorded session is worth nothing later. Who has just started knows no numbers yet, and can be
shown what was sent within ``SKEW``.
"""

from __future__ import annotations

import hashlib
import importlib.util
import secrets
import stat
import struct
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from articulata.errors import ArticulataError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

MAGIC = b"AS"
HEAD = struct.Struct(">2s8sII")
_NONCE = struct.Struct(">4xII")
OVERHEAD = HEAD.size + 16
"""Bytes by which a packet grows."""

WINDOW = 4096
"""Packets of a session behind its newest one that may still come: 0.4 s of 160 figures."""

SKEW = 30.0
"""Seconds by which clocks may differ."""

SILENT = 2.0 * SKEW
"""Seconds of silence after which a session is forgotten; its packets are too old by then."""

MOST_SESSIONS = 4096
SHORTEST = 16
"""Characters of a secret at least."""


def key_of(path: Path) -> bytes:
    """Return the key (32 bytes) that a file's secret stands for, stretched by scrypt (RFC 7914)."""
    try:
        with path.open("rb") as file:
            secret = file.read(4096).strip()
            mode = path.stat().st_mode
    except OSError as error:
        raise ArticulataError(
            f"the key {path} cannot be read ({error.strerror}). Write a secret of {SHORTEST}"
            " characters or more into a file, the same on each machine"
        ) from error
    if len(secret) < SHORTEST:
        raise ArticulataError(
            f"the key {path} holds {len(secret)} characters; a secret has {SHORTEST} or more"
        )
    if sys.platform != "win32" and mode & (stat.S_IRGRP | stat.S_IROTH):
        raise ArticulataError(
            f"others on this machine can read the key {path}; take that from them: chmod 600 {path}"
        )
    return hashlib.scrypt(secret, salt=b"articulata exercise", n=1 << 14, r=8, p=1, dklen=32)


@dataclass(slots=True, eq=False)
class _Session:
    """Somebody else's session: its cipher, the newest number, which have come, when (s)."""

    cipher: ChaCha20Poly1305
    newest: int
    seen: int
    heard: float

    def is_new(self, number: int) -> bool:
        """Take note of a number; return False for one that has come, or is too late to know."""
        ahead = number - self.newest
        if ahead > 0:
            self.seen = (self.seen << min(ahead, WINDOW) | 1) & (1 << WINDOW) - 1
            self.newest = number
            return True
        if -ahead >= WINDOW or self.seen >> -ahead & 1:
            return False
        self.seen |= 1 << -ahead
        return True


class Sealing:
    """Seals packets of ours, and opens those of others who have the same ``key`` (32 bytes).

    ``refused`` counts what was left out, by why. ``clock`` gives the time of day (UTC, s).
    """

    def __init__(self, key: bytes, *, clock: Callable[[], float] = time.time) -> None:
        if importlib.util.find_spec("cryptography") is None:
            raise ArticulataError(
                "packets are sealed by the package cryptography; install it with: "
                "pip install 'articulata[sealed]'"
            )
        self._key, self._clock = key, clock
        self.refused: Counter[str] = Counter()
        self._sessions: dict[bytes, _Session] = {}
        self._begin()

    def _begin(self) -> None:
        self._session, self._number = secrets.token_bytes(8), 0
        self._cipher = self._cipher_of(self._session)

    def _cipher_of(self, session: bytes) -> ChaCha20Poly1305:
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        own = hashlib.blake2b(session, key=self._key, digest_size=32, person=b"articulata seal")
        return ChaCha20Poly1305(own.digest())

    def sealed(self, data: bytes) -> bytes:
        """Return a packet as it leaves."""
        if self._number == 0xFFFFFFFF:
            self._begin()
        self._number += 1
        sent = int(self._clock()) & 0xFFFFFFFF
        head = HEAD.pack(MAGIC, self._session, self._number, sent)
        return head + self._cipher.encrypt(_NONCE.pack(self._number, sent), data, head)

    def opened(self, data: bytes) -> bytes | None:
        """Return what somebody sealed; None, and counted, for what is not to be believed."""
        from cryptography.exceptions import InvalidTag

        if len(data) < OVERHEAD or not data.startswith(MAGIC):
            self.refused["not sealed"] += 1
            return None
        _, name, number, sent = HEAD.unpack_from(data)
        if name == self._session:  # a group gives us back our own
            return None
        now = self._clock()
        session = self._sessions.get(name)
        cipher = self._cipher_of(name) if session is None else session.cipher
        head, nonce = data[: HEAD.size], _NONCE.pack(number, sent)
        try:
            plain = cipher.decrypt(nonce, data[HEAD.size :], head)
        except InvalidTag:
            self.refused["sealed by another key, or changed on the way"] += 1
            return None
        if abs(now - sent) > SKEW:
            self.refused["sealed at another time: a replay, or a clock that is wrong"] += 1
            return None
        if session is None:
            self._forget(now)
            if len(self._sessions) >= MOST_SESSIONS:
                self.refused["of more senders than can be held"] += 1
                return None
            session = self._sessions[name] = _Session(cipher, number - 1, 0, now)
        if not session.is_new(number):
            self.refused["come twice, or too late"] += 1
            return None
        session.heard = now
        return plain

    def _forget(self, now: float) -> None:
        """Forget who has been silent for long."""
        for name, each in list(self._sessions.items()):
            if now - each.heard > SILENT:
                del self._sessions[name]
