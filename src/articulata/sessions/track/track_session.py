"""A session: devices, calibration, tracking, picture and takes, from the first byte to the last.

Each device is read by a thread of its own, which does what its samples ask for: it steps the
tracker, shows, records, then tells what is new. One thread at a time is at work; what comes
meanwhile waits in one queue, and is done by it as well. What a user wishes comes the same way; the
thread that runs the session does it.
"""

from __future__ import annotations

import gc
import math
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, cast

from articulata.analyses.track.tracker import apart
from articulata.devices.driver import Device
from articulata.errors import ArticulataError
from articulata.records.files import make_folder
from articulata.records.samples import Sample
from articulata.records.tracking import TrackedPosture
from articulata.report.viewer.track_viewer import Beside, TrackViewer
from articulata.sessions.track.calibrating import Calibrating
from articulata.sessions.track.news import NEWS_PERIOD, News, Noting
from articulata.sessions.track.person import Person
from articulata.sessions.track.posture_outlets import AvatarOutlet, JointsOutlet
from articulata.sessions.track.tracked_takes import Takes
from articulata.sessions.track.wish import (
    READINGS,
    Inbox,
    Listener,
    TrackResult,
    TrackWish,
    Wish,
    prompt,
)

OVERDUE = 0.5
"""Seconds after which they are looked at even while samples come without a pause."""

BEHIND = 0.04
"""Seconds between two pictures while samples are waiting to be recorded."""

SWEEPING = 10.0
"""Seconds between two searches for garbage, which take some milliseconds each."""

PAUSE = 0.002
"""Seconds without a sample after which those that were shown are recorded. Meanwhile the picture
leaves, and who looks on has the processor."""

ROUND = 0.1
"""Seconds between two looks at what no sample brings about: the end, and that nothing comes."""

STOPPING = 2.0
"""Seconds for which threads are awaited at the end."""


class TrackSession:
    """People who are tracked together; ``run`` returns when the session ends.

    Stations of all are numbered together. What a user wishes goes to one of them, the first
    until another is chosen; calibrations, takes and readings are everybody's. ``avatars`` follow
    people in other programs.
    """

    def __init__(
        self,
        wish: TrackWish,
        people: Sequence[Person],
        devices: Sequence[Device],
        listener: Listener,
        *,
        viewer: Callable[..., Any] = TrackViewer,
        avatars: Sequence[AvatarOutlet | JointsOutlet] = (),
    ) -> None:
        if wish.reading not in READINGS:
            raise ArticulataError(f"--reading is {', '.join(READINGS)}, not {wish.reading!r}")
        self.wish = wish
        self.people = tuple(people)
        self.takes = Takes(wish.out, self.people)
        self.samples = self.postures = 0
        self.viewer: Any = None
        self._chosen = self.people[0]
        self._owner = {station: each for each in self.people for station in each.stations}
        self._make_viewer, self._avatars = viewer, avatars
        self._devices = list(devices)
        self._listener = listener
        self._mail = Inbox()
        self._at_work = threading.Lock()
        self._failure: BaseException | None = None
        self._news = News(self.people, [*self._devices, *avatars], self.takes, listener)
        self.closing = threading.Event()  # takes are written to their ends
        self._noting = Noting(wish, self.people, self.takes, listener, self._news.health)
        self._news.noted = self._noting.note
        self._end = math.inf
        self.notice = ""
        self._drawn = self._swept = 0.0

    # ---- what others may ask for

    def ask(self, name: str, value: object = None) -> None:
        """Leave a wish: "calibrate", "heading", "reading" (a word), "body", "take", ..."""
        self._mail.put(Wish(name, value))

    # ---- the session

    def run(self) -> TrackResult:
        """Track until the session ends."""
        for person in self.people:
            person.get_ready()
        if self.wish.seconds is not None:
            self._end = time.monotonic() + self.wish.seconds
        with ExitStack() as open_things:
            for device in self._devices:
                device.open()
                open_things.callback(device.close)
            make_folder(self.wish.out)  # before anybody holds a posture
            if not self.wish.headless:
                self.viewer = open_things.enter_context(self._viewer())
                self._noting.latency = self.viewer.latency
                self._listener.say(f"open {self.viewer.address} (Ctrl-C ends it)")
            threads = [
                threading.Thread(target=self._read, args=(device,), name=device.name, daemon=True)
                for device in self._devices
            ]
            open_things.enter_context(prompt())
            try:
                self._run(threads)
            except KeyboardInterrupt:
                pass
            except BaseException as failure:
                self._fail(failure)
            self.closing.set()
            for thread in threads:
                if thread.ident is not None:
                    thread.join(timeout=STOPPING)
            try:
                self._finish()
            except BaseException as failure:
                self._fail(failure)
        if self._failure is not None:
            raise self._failure
        return self.result

    @property
    def result(self) -> TrackResult:
        """What the session has left so far."""
        calibrations = tuple(each.calibration for each in self.people)
        return TrackResult(tuple(self.takes.files), self.samples, self.postures, calibrations)

    def _fail(self, failure: BaseException) -> None:
        """Keep the first failure, which ``run`` raises: others follow from it."""
        if self._failure is None:
            self._failure = failure

    def _viewer(self) -> Any:
        """Return the viewer of the people: the controls are the first one's."""
        first, *others = self.people
        return self._make_viewer(
            first.body.figure,
            first.body.rest,
            self.ask,
            reading=self.wish.reading,
            scripts=first.scripts.keyed(),
            arms=tuple(arm.joints for arm in first.body.arms.each),
            writable=self.wish.scripts is not None,
            bodies=first.bearing.offered,
            body=self.wish.body,
            weapon=first.follower.weapon,
            armed=self.wish.weapon,
            port=self.wish.port,
            name=first.name,
            beside=[
                Beside(each.name, each.body.figure, each.body.rest, each.follower.weapon)
                for each in others
            ],
        )

    def _run(self, threads: Sequence[threading.Thread]) -> None:
        with self._at_work:  # nothing is made of samples before there is a take
            for thread in threads:
                thread.start()
            unknown = [each for each in self.people if each.calibration is None]
            if unknown:
                self._calibrate(unknown)
            else:
                self._noting.begin(
                    {each: each.calibration for each in self.people if each.calibration}
                )
        self._perform()
        while not self._ending():
            if self.wish.until_silent and self._played() and self._mail.empty:
                return
            self._mail.wait(ROUND)
            if not self._look():
                return

    def _ending(self) -> bool:
        """Return whether the session is to end: what has come by then is recorded at the end."""
        return self.closing.is_set() or time.monotonic() > self._end

    def _finish(self) -> None:
        """Record what has come since the last look, which belongs to the take as well; close it."""
        if not self._at_work.acquire(timeout=STOPPING):
            self._listener.say("a device does not end: its last samples may lack in the take")
            self.takes.close()
            return
        try:
            while not self._mail.empty:
                mail = self._mail.take()
                if not isinstance(mail, Wish):
                    self._take(mail)
            self._news.look()
        finally:
            try:
                self._noting.end_take()
            finally:
                self._at_work.release()

    def _perform(self) -> None:
        for person in self.people:
            if person.puppet is not None:
                person.puppet.perform()

    def _played(self) -> bool:
        """Return whether every device is a recording that has been read to its end."""
        return all(getattr(device, "ended", False) for device in self._devices)

    def _read(self, device: Device) -> None:
        """Do what a device's samples ask for, whatever happens to the device."""
        try:
            while not self.closing.is_set():
                samples = device.read(PAUSE if self._noting.waiting else 0.2)
                if samples:
                    self._mail.put(samples)
                self._work(at_leisure=not samples and self._noting.waiting)
        except BaseException as failure:
            # nobody asks this thread how it ended: who runs the session tells
            self._fail(failure)
            self.ask("end")

    def _look(self) -> bool:
        """Do what was wished, and what no sample brings about; False: the session is to end."""
        while isinstance(self._mail.first, Wish):  # which nobody else takes
            with self._at_work:
                self._noting.note()
                name, value = cast(Wish, self._mail.take())
                if name == "end":
                    return False
                self._grant(name, value)
        self._work()
        # no sample has told for long; who is at work for longer still tells by himself
        if self._news.late(NEWS_PERIOD + ROUND) and self._at_work.acquire(timeout=ROUND):
            try:
                self._at_leisure()
            finally:
                self._at_work.release()
        return True

    def _work(self, *, at_leisure: bool = False) -> None:
        """Do what samples ask for that wait, unless a thread is at it, which does these as well.

        What can wait, waits until a thread is ``at_leisure``.
        """
        while (at_leisure or self._heard()) and self._at_work.acquire(blocking=False):
            try:
                while self._heard():
                    self._take(cast(Sequence[Sample], self._mail.take()))
                    self._noting.give_way()
                    if self._news.late(OVERDUE):
                        self._tell()
                if at_leisure:
                    self._at_leisure()
            finally:
                self._at_work.release()
            at_leisure = False

    def _heard(self) -> bool:
        """Return whether samples are what came first, and are to be taken now."""
        return not (self._mail.empty or isinstance(self._mail.first, Wish) or self._ending())

    def _at_leisure(self) -> None:
        """Record what was shown, and tell what is new, unless something else is due."""
        self._noting.note(until=lambda: not self._mail.empty)
        if self._mail.empty:
            self._tell()

    def _take(self, samples: Sequence[Sample]) -> None:
        """Step what samples are for; of those that came together the newest posture is shown."""
        self.samples += len(samples)
        newest: dict[Person, tuple[TrackedPosture, float]] = {}
        for step in apart(samples):
            for person, part in self._shared(step):
                if (another := person.due(part)) is not None:
                    self._listener.say(person.named("calibrated anew, by postures held again"))
                    self._noting.goes_on_by(person, another)
                posture = person.step(part)
                if posture is not None:
                    self.postures += 1
                    newest[person] = posture, part[-1].arrival
                    self._noting.put(person, part, posture)
        if newest and self.viewer is not None and self._in_time():
            for person, (posture, arrival) in newest.items():
                self.viewer.follow(posture, arrival, self.people.index(person))
        for avatar in self._avatars:
            if (person := self.people[avatar.person]) in newest:
                avatar.follow(newest[person][0])
        self._news.take(samples)

    def _shared(self, samples: Sequence[Sample]) -> Sequence[tuple[Person, Sequence[Sample]]]:
        """Return samples by the person whose they are; strangers' go with the first."""
        first = self.people[0]
        if len(self.people) == 1:
            return [(first, samples)]
        shared: dict[Person, list[Sample]] = {}
        for sample in samples:
            shared.setdefault(self._owner.get(sample.station, first), []).append(sample)
        return list(shared.items())

    def _in_time(self) -> bool:
        """Return whether a picture is due: at once, or now and then where samples are waiting.

        A machine that is too slow to draw every posture records all of them, and catches up. At
        the end none is drawn any more.
        """
        if self.closing.is_set():
            return False
        now = time.monotonic()
        if not self._mail.empty and now - self._drawn < BEHIND:
            return False
        self._drawn = now
        return True

    def _grant(self, name: str, value: object) -> None:
        calibrated = all(each.calibration is not None for each in self.people)
        if name == "calibrate" and self._played():
            self._listener.say("the recording is over: nobody holds a posture any more")
        elif name == "calibrate":
            self._calibrate(self.people)
            self._perform()
        elif name == "take" and calibrated:
            self._noting.new_take()
        elif name == "mark":
            self.takes.mark()
        elif name == "reading" and str(value) in READINGS:
            self._noting.read_by(str(value))
        elif name == "person":
            self._chosen = next((p for p in self.people if p.name == value), self._chosen)
        elif name == "heading":
            found = self._chosen.headed()
            if found is not None:
                self._noting.goes_on_by(self._chosen, found)
        else:
            try:
                self._grant_of_chosen(name, value)
            except ArticulataError as error:  # of several figures not all can do the same
                self._listener.say(self._chosen.named(str(error)))

    def _grant_of_chosen(self, name: str, value: object) -> None:
        if name == "body":
            self._chosen.bearing.begin(str(value), time.monotonic())
        elif name == "weapon" or name.startswith("hand "):
            self._chosen.bearing.grant(name, value)
        elif name in ("perform", "show", "edit", "scripts"):
            self._script(name, value)

    def _script(self, name: str, value: Any) -> None:
        """Run a motion, hold a key frame of it, change it, or take it up as it was read again."""
        person = self._chosen
        if name == "perform":
            person.perform(*value)
        elif name == "show":
            person.bearing.show(value)
        elif name == "edit":
            said = person.scripts.edit(value)
            if self.viewer is not None:
                self.viewer.scripts(person.scripts.keyed(), said)
        else:
            for each in self.people:
                each.bearing.follower = each.scripts.follower
            self._listener.say(str(value) or "the motions were read again")
            if self.viewer is not None:
                self.viewer.scripts(person.scripts.keyed(), str(value))

    # ---- calibration

    def _calibrate(self, people: Sequence[Person]) -> None:
        """Let wearers hold the postures that are wished for, and begin a take."""
        for person in people:
            person.rest()
        leading = Calibrating(self.wish, people, self._news.watch, self._listener, self)
        found = leading.run()
        if found is None:
            self.closing.set()
        else:
            # who is calibrated already goes on as he is, in the same take
            known = {p: p.calibration for p in self.people if p not in found and p.calibration}
            self._noting.begin({**known, **found})

    def passes(self, timeout: float) -> Sequence[Sample] | None:
        """Take mail while no posture is made; return its samples, None where the session ends."""
        if self._ending():
            return None
        if self._mail.empty and self._played():
            if self.takes.files:
                self._listener.say("the recording is over before the calibration is")
                return None
            raise ArticulataError(self._unfinished())
        self._mail.wait(timeout, samples=True)
        mail = self._mail.take()
        samples: Sequence[Sample] = []
        if not isinstance(mail, Wish):
            samples = mail
            self._news.take(samples)
            self.samples += len(samples)
        self._tell()
        return None if isinstance(mail, Wish) and mail.name == "end" else samples

    def _unfinished(self) -> str:
        """Return why a recording that is over leaves somebody without a calibration."""
        unheard = (h for h in self._news.health() if math.isinf(h.age))
        names = ", ".join(f"{h.station} ({h.role})" for h in unheard)
        why = f": it holds no sample of station {names}" if names else ""
        return (
            f"the recording is over before the calibration is{why}. Give --stations with the"
            " numbers in it, a recording in which the postures are held, or --calibrate none"
        )

    # ---- telling

    def _tell(self) -> None:
        """Now and then say what has changed, and look after what else can wait."""
        if not self._news.late(NEWS_PERIOD):
            return
        now = time.monotonic()
        if now - self._swept > SWEEPING:
            self._swept = now
            gc.collect()
        for each in self.people:
            each.scripts.look(lambda said: self.ask("scripts", said))
        self._news.tell(self.viewer, self._chosen, self.notice)
