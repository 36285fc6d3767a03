from __future__ import annotations

import threading

from articulata.report.viewer.conversation import Mailbox


def test_the_newest_value_wins() -> None:
    box: Mailbox[int] = Mailbox()
    box.put("seek", 1)
    box.put("seek", 2)
    assert box.take(0.0) == {"seek": 2}
    assert box.take(0.0) == {}


def test_values_come_in_the_order_of_their_newest_put() -> None:
    box: Mailbox[int] = Mailbox()
    box.put("a", 1)
    box.put("b", 2)
    box.put("a", 3)
    assert list(box.take(0.0)) == ["b", "a"]


def test_a_waiting_reader_is_woken() -> None:
    box: Mailbox[int] = Mailbox()
    threading.Timer(0.05, box.put, ("seek", 7)).start()
    assert box.take(10.0) == {"seek": 7}
