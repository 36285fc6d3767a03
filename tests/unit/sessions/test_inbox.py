"""Who waits for mail is woken by what he waits for, and by nothing else."""

from __future__ import annotations

import threading
import time

from articulata.records.samples import Sample
from articulata.sessions.track.wish import Inbox, Wish

SAMPLES = [Sample(1, 0.0, 0.0, (1.0, 0.0, 0.0, 0.0))]


def waited(mail: Inbox, what: object, limit: float, *, samples: bool) -> float:
    """Return how many seconds somebody waits, ``limit`` at most, to whom ``what`` comes soon."""
    coming = threading.Timer(0.02, mail.put, (what,))
    coming.start()
    begun = time.monotonic()
    mail.wait(limit, samples=samples)
    passed = time.monotonic() - begun
    coming.join(20.0)
    return passed


def test_wishes_wake_and_samples_where_they_are_waited_for() -> None:
    mail = Inbox()
    assert waited(mail, Wish("mark"), 20.0, samples=False) < 19.0
    assert mail.take() == Wish("mark")
    assert waited(mail, SAMPLES, 20.0, samples=True) < 19.0
    assert mail.first is mail.take() is SAMPLES
    assert waited(mail, SAMPLES, 0.3, samples=False) >= 0.3
    # a wish behind samples that nobody has taken out wakes as well; what is there is not waited for
    assert waited(mail, Wish("end"), 20.0, samples=False) < 19.0
    begun = time.monotonic()
    mail.wait(20.0, samples=True)
    assert time.monotonic() - begun < 19.0
    assert [mail.take(), mail.take(), mail.take()] == [SAMPLES, Wish("end"), []]
    assert mail.first is None
    assert mail.empty
