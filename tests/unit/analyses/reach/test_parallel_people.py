"""People answered abreast: in processes of their own, on threads, and what becomes of mishaps."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import rooms
from articulata.analyses.reach.cohorts.parallel_people import Tally, abreast, in_turn
from articulata.kernels.lanes.host import THREADS_VARIABLE
from rooms_by_chance import Ability, furnished, study

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes start as copies there")

BEGIN = """
import os, signal, sys, threading, time
from articulata.analyses.reach.cohorts.parallel_people import Tally, abreast, in_turn
HOME = os.getpid()
def there():
    return os.getpid() != HOME
"""


def run(text: str, threads: int = 3) -> str:
    """Return what a process of one thread writes that does ``text``."""
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + text],
        env={**os.environ, THREADS_VARIABLE: str(threads), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_answers_come_in_order_and_are_told_as_soon_as_all_are_there() -> None:
    assert run("""
told = []
tally = Tally(5, told.append)
heard = []
def first(item):
    assert there()
    tally.count(item, 10)
    return item, os.getpid()
def then(item):
    return item * item, os.getpid()
in_turn([first, then], range(5), [heard.append, heard.append], tally, apart=True)
one, two = heard
assert [item for item, _ in one] == list(range(5)), one
assert [item for item, _ in two] == [0, 1, 4, 9, 16], two
assert [who for _, who in one] == [who for _, who in two], "each stays where it began"
assert len({who for _, who in one}) == 3
assert told[-1] == 50 and told == sorted(told), told
print("done")
""") == "done\n"  # fmt: skip


def test_an_error_is_raised_as_if_there_were_no_processes() -> None:
    assert run("""
def work(item):
    if item == 3:
        raise LookupError(f"no {item}")
    return item
try:
    abreast(work, range(6), apart=True)
except LookupError as error:
    print(error)
""") == "no 3\n"  # fmt: skip


def test_answers_of_a_process_that_is_killed_are_made_here() -> None:
    assert run("""
def work(item):
    if there() and item == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return item
print(abreast(work, range(6), apart=True))
""") == "[0, 1, 2, 3, 4, 5]\n"  # fmt: skip


def test_who_hears_may_stop_it_and_no_process_is_left() -> None:
    assert run("""
def work(item):
    return os.getpid()
def heard(found):
    global processes
    processes = set(found)
    raise KeyboardInterrupt
try:
    in_turn([work, lambda item: time.sleep(60)], range(3), [heard, heard], apart=True)
except KeyboardInterrupt:
    for process in processes:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            print("gone")
""") == "gone\n" * 3  # fmt: skip


def test_processes_end_with_the_one_that_asked(tmp_path: Path) -> None:
    text = f"""
def work(item):
    open(f"{tmp_path}/{{os.getpid()}}", "w").close()
    time.sleep(60)
abreast(work, range(2), apart=True)
"""
    asked = subprocess.Popen(
        [sys.executable, "-c", BEGIN + text],
        env={**os.environ, THREADS_VARIABLE: "2", "OPENBLAS_NUM_THREADS": "1"},
    )
    try:
        assert becomes(lambda: len(list(tmp_path.iterdir())) == 2)
    finally:
        asked.kill()
        asked.wait()
    processes = [int(each.name) for each in tmp_path.iterdir()]
    assert becomes(lambda: not any(map(lives, processes)))


def becomes(true: Callable[[], bool]) -> bool:
    """Return whether something becomes true within half a minute."""
    end = time.monotonic() + 30.0
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
    return true()


def lives(process: int) -> bool:
    """Return whether a process is there and no zombie."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def test_a_process_of_several_threads_is_not_copied() -> None:
    assert run("""
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
def work(item):
    time.sleep(0.05)
    return os.getpid(), threading.get_ident()
found = abreast(work, range(3), apart=True)
assert {process for process, _ in found} == {HOME}
assert len({thread for _, thread in found}) == 3
print("done")
os._exit(0) if sys.stdout.flush() is None else None
""") == "done\n"  # fmt: skip


def test_on_threads_the_caller_hears_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(THREADS_VARIABLE, "2")
    told: list[int] = []
    tally = Tally(2, told.append)

    def work(item: int) -> int:
        for done in range(1, 4):
            tally.count(item, done)
            time.sleep(0.1)
        return item

    assert abreast(work, range(2), tally) == [0, 1]
    assert told[-1] == 6
    assert 0 < told[0] < 6
    with pytest.raises(ZeroDivisionError):
        in_turn([lambda item: 1 // item], range(2), [told.extend])


def test_a_map_has_the_same_bytes_in_processes() -> None:
    text = f"""
from hashlib import sha256
sys.path.insert(0, {str(Path(rooms.__file__).parent)!r})
import articulata as art
from articulata.analyses.reach.cohorts import parallel_people as module
from rooms import document
parted = []
wrapped = module._in_processes
module._in_processes = lambda *given: (parted.append(given), wrapped(*given))
made = art.reach(
    document().world("room"), mobility=[art.OnFoot(), art.Wheelchair()], objects=["shelf"], grid=0.6
).bytes()
assert bool(parted) == (os.environ["{THREADS_VARIABLE}"] != "1")
print(sha256(made).hexdigest())
"""
    assert run(text, 1) == run(text, 2)


@pytest.mark.parametrize(("processors", "groups"), [(2, [2, 1, 1]), (4, [1, 1, 1, 1])])
def test_those_who_share_an_envelope_share_a_process_where_no_other_waits(
    processors: int, groups: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    who = ("on foot", "with walker", "on wheelchair", "on power_chair")
    asked = study(furnished(5), Ability(", ".join(f"person(1.70 m, woman) {each}" for each in who)))
    dealt: list[list[list[str]]] = []
    module = "articulata.analyses.reach.study"
    monkeypatch.setattr(f"{module}.may_part", lambda: True)
    monkeypatch.setattr(f"{module}.thread_count", lambda: processors)
    monkeypatch.setattr(f"{module}.in_turn", lambda works, items, *_, **__: dealt.append(items))
    asked.in_turn([], [], apart=True)
    assert [len(each) for each in dealt[0]] == groups
    assert [name for each in dealt[0] for name in each] == list(asked.names)
