"""Who waits for mail is woken by what he waits for, and by nothing else."""

from __future__ import annotations

import threading
import time

from articulata.records.samples import Sample
from articulata.sessions.track.inbox import Inbox, Wish

SAMPLES = [Sample(1, 0.0, 0.0, (1.0, 0.0, 0.0, 0.0))]


def waited(mail: Inbox, what: object, *, samples: bool) -> float:
    """Return how many seconds somebody waits to whom ``what`` comes after 0.05 s, 0.5 at most."""
    threading.Timer(0.05, mail.put, (what,)).start()
    begun = time.monotonic()
    mail.wait(0.5, samples=samples)
    return time.monotonic() - begun


def test_wishes_wake_and_samples_where_they_are_waited_for() -> None:
    mail = Inbox()
    assert waited(mail, Wish("mark"), samples=False) < 0.45
    assert mail.take() == Wish("mark")
    assert waited(mail, SAMPLES, samples=True) < 0.45
    assert mail.first is mail.take() is SAMPLES
    assert waited(mail, SAMPLES, samples=False) >= 0.5
    # a wish behind samples that nobody has taken out wakes as well; what is there is not waited for
    assert waited(mail, Wish("end"), samples=False) < 0.45
    begun = time.monotonic()
    mail.wait(5.0, samples=True)
    assert time.monotonic() - begun < 2.5
    assert [mail.take(), mail.take(), mail.take()] == [SAMPLES, Wish("end"), []]
    assert mail.first is None
    assert mail.empty
