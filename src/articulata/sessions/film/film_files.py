"""``articulata film``: from a file to a camera in the browser, or to files of a recorded move.

Devices that steer a flight are each read by a thread of its own, into the page's mailbox.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Final, Protocol

from articulata.analyses.film.film_question import Setting, setting_of
from articulata.analyses.film.free_pilot import FreePilot
from articulata.analyses.film.pilot import Pilot
from articulata.analyses.film.takes import Take, fly
from articulata.devices.puck.doors import ReplayedPuck, puck
from articulata.devices.puck.puck_reports import Six
from articulata.errors import WorldError
from articulata.records.camera_moves import CameraMove
from articulata.records.files import claimed, write_whole
from articulata.records.recording import load
from articulata.records.samples import DeviceReports
from articulata.report.viewer.conversation import Mailbox
from articulata.sessions.command_fields import FilmAsked
from articulata.sessions.film.moves import read_move, read_reports, times_told
from articulata.sessions.film.results import ROBOT, Filmed, Listener, filmed, write_film
from articulata.sessions.film.robot_loop import (
    SIMULATED,
    LiveRobot,
    motion_for,
    rehearse,
    serve_robot,
)
from articulata.sessions.given_files import request_in
from articulata.world.document import read
from articulata.world.requests.choices import DeviceChoice
from articulata.world.requests.film import MoveChoice
from articulata.world.requests.request import Request, asked_at
from articulata.world.world_files import shipped

WAIT: Final = 0.05
PREPARING: Final = "preparing the flight; the first time kernels are compiled, up to a minute"
"""What the page says until there is something to fly."""
STEERS: Final = ("spacemouse", "gamepad")


class Steering(Protocol):
    """A device that is read: ``matter`` is what is wrong with it, "" where nothing is.

    ``fault`` is what was wrong with the last report that was passed over.
    """

    name: str
    matter: str

    @property
    def fault(self) -> str:
        """What was wrong with a report, "" for nothing."""
        ...

    def read(self, timeout: float) -> Six | None:
        """Return where it is once it has said so, None after ``timeout`` s without news."""
        ...

    def close(self) -> None:
        """Let it go."""
        ...


class SteeringDevices:
    """Reads the devices of ``sources`` until it is closed; use it as a context manager.

    ``say`` is told what is the matter with one, once each time that changes. ``replayed`` are
    recorded reports, played once ``ready`` says that somebody looks on.
    """

    def __init__(
        self,
        sources: Iterable[DeviceChoice],
        wishes: Mailbox[Any],
        say: Callable[[str], None],
        *,
        replayed: DeviceReports | None = None,
        ready: Callable[[], bool] = lambda: True,
    ) -> None:
        self._wishes, self._say, self._ready = wishes, say, ready
        self._closing = threading.Event()
        self._pucks: list[Steering] = [
            puck(each.name, each.port) for each in sources if each.name in STEERS
        ]
        if replayed is not None:
            self._pucks.append(ReplayedPuck("the recorded device", replayed))
        self._threads = [
            threading.Thread(target=self._read, args=(each,), name=each.name, daemon=True)
            for each in self._pucks
        ]

    def __enter__(self) -> SteeringDevices:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        for thread in self._threads:
            thread.join(timeout=2)
        for each in self._pucks:
            each.close()

    def _read(self, device: Steering) -> None:
        said = told = ""
        while isinstance(device, ReplayedPuck) and not self._ready():
            if self._closing.wait(WAIT):
                return
        while not self._closing.is_set():
            axes = device.read(WAIT)
            if axes is not None:
                self._wishes.put("report", axes)
            if device.fault != told:
                told = device.fault
                if told:
                    self._say(f"{device.name}: a report was passed over, {told}")
            if device.matter != said:
                said = device.matter
                self._say(said or f"{device.name} is back")


def setting_in(file: Path, world: str = "") -> Setting:
    """Return the setting of the request to film in ``file`` that ``world`` means."""
    return _setting(request_in(read(file), "film", world))


def begun(request: Request) -> Setting:
    """Return the setting of a request whose recorded move and device can be read."""
    setting, file = _setting(request), Path(request.span.file)
    move_in(setting, file)
    reports_in(setting, file)
    return setting


def _setting(request: Request) -> Setting:
    """Return the setting of a request; the recording of its world is beside its text."""
    motion, moving = getattr(request.question, "motion", ""), None
    if motion:
        with asked_at(request.span):
            moving = load(Path(request.span.file).parent / motion)
    return setting_of(request, moving)


def move_in(setting: Setting, file: Path) -> tuple[CameraMove | None, list[Path]]:
    """Return the recorded move that a request names, and the file it is in."""
    for source in setting.question.sources:
        if isinstance(source, MoveChoice):
            path = file.parent / str(source.port)
            with asked_at(source.span):
                move = read_move(
                    path,
                    setting.question.frames,
                    setting.camera.lens.sensor[1],
                    camera=source.camera,
                    animation=source.animation,
                    eased=source.eased,
                    up=setting.up,
                )
            return move, [path]
    return None, []


def reports_in(
    setting: Setting, file: Path, play: Path | None = None
) -> tuple[DeviceReports | None, list[Path]]:
    """Return the recorded device that is to be played: ``play``, else the one a request names."""
    if play is not None:
        return read_reports(play), [play]
    for source in setting.question.sources:
        if source.name == "recording" and source.port is not None:
            path = file.parent / str(source.port)
            with asked_at(source.span):
                return read_reports(path), [path]
    return None, []


def flown(setting: Setting, reports: DeviceReports) -> Take:
    """Return what the setting's camera makes of a recorded device, from the start on."""
    if setting.carrier is None:
        return fly(FreePilot(setting), reports, setting=setting)
    pilot = Pilot(setting.carrier, setting.q, steering=setting.steering, shaping=setting.shaping)
    return fly(pilot, reports, setting=setting)


def film_file(asked: FilmAsked, listener: Listener) -> list[Path]:
    """Film without a viewer and write the folder; return the files.

    What a recorded device says is flown (``play``, or the one that the request names), else the
    request's recorded move is taken; it is judged, and slowed until the robot carries it. Then
    ``robot`` is given its joints: "simulated", or where its controller is (``serve_robot``), at
    most at ``share`` of the move's own speed; what it met is written too.
    """
    file, out, robot = shipped(asked.file), asked.folder, asked.robot
    setting = setting_in(file, asked.world)
    reports, inputs = reports_in(setting, file, asked.play)
    take = move = None
    if reports is None:
        move, inputs = move_in(setting, file)
        if move is None:
            raise WorldError(
                f"{file}: without a viewer there is nobody to fly the camera; give a recorded "
                'device with --play FILE, or name a recorded move, from: "move.json"'
            )
        listener.say(times_told(inputs[0], move))
    asked.made_folder()  # before anybody waits for an answer
    if reports is not None:
        take = flown(setting, reports)
        move = take.move(setting.question.frames)
    assert move is not None
    made = filmed(setting, move, take)
    written = write_film(setting, made, out, [file, *inputs], listener, take=take)
    if robot:
        if setting.carrier is None:
            raise WorldError(f"{file}: no robot carries this camera; --robot needs one")
        listener.say("making a thousand cycles a second of the move")
        motion = motion_for(setting, move, asked.share)
        if robot == SIMULATED:
            told = str(rehearse(setting.carrier, motion))
        else:
            told = str(serve_robot(setting.carrier, motion, robot, listener.say))
        for line in told.splitlines():
            listener.say(line)
        with claimed(out):
            write_whole(out / ROBOT, f"{told}\n".encode())
        written.append(out / ROBOT)
    return written


def open_film(asked: FilmAsked, listener: Listener, opened: Callable[[str], None]) -> None:
    """Fly the camera of a request in the browser until Ctrl-C; ``opened`` is told the address.

    What a recorded device says is played when the page is there. The controller of ``robot``, as
    ``LiveRobot`` names it, follows the flight.
    """
    # Imported here: the server is the heaviest part.
    from articulata.report.viewer.theatre import Theatre
    from articulata.sessions.film.flying import Flight

    file, robot = shipped(asked.file), asked.robot
    setting = setting_in(file, asked.world)
    reports, played = reports_in(setting, file, asked.play)
    move, inputs = move_in(setting, file)

    def keep(made: Filmed, take: Take | None) -> list[Path]:
        return write_film(
            setting, made, asked.made_folder(), [file, *inputs, *played], listener, take=take
        )

    if move is not None:
        listener.say(times_told(inputs[0], move))
    lens, title = setting.question.camera.lens, f"Film: {file.stem}"
    with Theatre(lens, title=title, port=asked.port) as theatre:
        theatre.say({"preparing": PREPARING})
        opened(theatre.address)
        flight = Flight(setting, theatre, move=move, keep=keep)
        flight.start()
        follows: AbstractContextManager[object] = nullcontext()
        if robot:
            led = flight.lead()
            assert setting.carrier is not None
            follows = live = LiveRobot(setting.carrier, led, robot, flight.tell)
            flight.served = lambda: str(live.server.served)
        with (
            follows,
            SteeringDevices(
                setting.question.sources,
                theatre.wishes,
                flight.tell,
                replayed=reports,
                ready=lambda: theatre.talking > 0,
            ),
        ):
            try:
                flight.wait()
            finally:
                flight.close()
