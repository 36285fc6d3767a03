"""Who gets what is tracked: the browser, files beside the takes, avatars of other programs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from articulata.analyses.track.humanoid_bones import HumanoidBones
from articulata.errors import ArticulataError
from articulata.kinematics.figure import Figure
from articulata.network.osc_sender import AVATARS, RATE, AvatarPort
from articulata.network.rosbridge import ROSBRIDGE_PORT, TOPIC, RosbridgePort
from articulata.records.files import make_folder
from articulata.records.recording import load
from articulata.records.samples import DeviceReport
from articulata.records.tracking import TrackedPosture
from articulata.report.export import export
from articulata.sessions.track.person import Person
from articulata.world.requests.track import Outlet

LOCAL = "127.0.0.1"

OF_ONE_FIGURE = (".bvh", ".mot", ".sto")
"""Files that hold one figure each."""

FILES = (".artrun", ".bvh", ".csv", ".mot", ".sto", ".html")
"""What takes are written as for other programs."""

ROSBRIDGE = "rosbridge"
FOLLOWERS = {word: port for word, (_, port) in AVATARS.items()} | {ROSBRIDGE: ROSBRIDGE_PORT}
"""What follows a person over a network, and the port that hears it."""

MOST_FRAMES = 240.0


@dataclass(frozen=True, slots=True)
class AvatarChoice:
    """An avatar that follows ``who`` ("" the only one), and how it is reached."""

    who: str
    protocol: str
    host: str = LOCAL
    port: int = 0
    rate: float = RATE
    topic: str = TOPIC


@dataclass(frozen=True, slots=True)
class Outlets:
    """Whether the browser shows it, files beside the takes, avatars."""

    viewer: bool = True
    files: tuple[Path, ...] = ()
    avatars: tuple[AvatarChoice, ...] = ()


def outlets_of(said: Sequence[Outlet], words: Sequence[str], names: Sequence[str]) -> Outlets:
    """Return the outlets that a text names and those of a command, for people called ``names``.

    The browser shows it unless a text names outlets without it.
    """
    viewer = not said or any(each.name == "viewer" for each in said)
    files, avatars = [], []
    for each in said:
        if each.name == "file":
            files.append(str(each.to))
        elif each.name != "viewer":
            to = "" if each.to is None else str(each.to)
            avatars.append(avatar_of(f"{each.name}://{to if ':' in to else f'{LOCAL}:{to}'}"))
    for word in words:
        who, equals, rest = word.partition("=")
        named = bool(equals) and who.isidentifier()
        if (rest if named else word).partition(":")[0] in FOLLOWERS:
            avatars.append(avatar_of(rest if named else word, who if named else ""))
        else:
            files.append(word)
    for file in files:
        if Path(file).suffix.lower() not in FILES:
            raise ArticulataError(
                f"to: file {file!r} is of no kind that a take is written as; give one of"
                f" {', '.join(FILES)}, or an avatar as in vmc://127.0.0.1:39539"
            )
    for avatar in avatars:
        if avatar.who not in names and not (avatar.who == "" and len(names) == 1):
            example = f"--to {next(iter(names))}={avatar.protocol}://{avatar.host}:{avatar.port}"
            raise ArticulataError(
                f"to: {avatar.protocol}: an avatar follows one person;"
                f" {f'nobody is called {avatar.who}' if avatar.who else 'say which'}"
                + (f", as in {example}" if any(names) else "")
            )
    return Outlets(viewer, tuple(map(Path, files)), tuple(avatars))


def avatar_of(text: str, who: str = "") -> AvatarChoice:
    """Return what "vmc", "vmc:39540" or "vmc://192.168.1.7:39539?rate=30" means.

    ``topic`` is asked of rosbridge alone.
    """
    protocol, colon, rest = text.partition(":")
    url = urlsplit(text if rest.startswith("//") else f"{protocol}://{LOCAL}{colon}{rest}")
    try:
        port = url.port or FOLLOWERS[protocol]
        asked = parse_qs(url.query, strict_parsing=bool(url.query))
        rate = float(asked.pop("rate", [str(RATE)])[-1])
        topic = asked.pop("topic", [TOPIC])[-1] if protocol == ROSBRIDGE else TOPIC
        if (
            asked
            or url.path
            or not topic.startswith("/")
            or not 1.0 <= rate <= MOST_FRAMES
            or url.username is not None
        ):
            raise ValueError
    except ValueError:
        raise ArticulataError(
            f"to: {text!r} is no address of an avatar; give {protocol}://HOST:PORT, and perhaps"
            f" ?rate= with 1 to {MOST_FRAMES:g} frames a second, as in"
            f" {protocol}://{LOCAL}:{FOLLOWERS[protocol]}?rate=60"
        ) from None
    return AvatarChoice(who, protocol, url.hostname or LOCAL, port, rate, topic)


class AvatarOutlet:
    """An avatar that follows the person numbered ``person``."""

    def __init__(self, port: AvatarPort, bones: HumanoidBones, person: int) -> None:
        self._port, self._bones, self.person = port, bones, person

    def report(self) -> DeviceReport:
        """Return how many frames have left, and whether somebody hears them."""
        return self._port.report()

    def follow(self, posture: TrackedPosture) -> None:
        """Send a posture if a frame is due."""
        if self._port.due():
            self._port.send(self._bones.at(posture))


class JointsOutlet:
    """A ROS topic that tells the joints of the person numbered ``person``."""

    def __init__(self, port: RosbridgePort, figure: Figure, person: int) -> None:
        self._port, self._figure, self.person = port, figure, person

    def report(self) -> DeviceReport:
        """Return how many postures have left, and whether a server hears them."""
        return self._port.report()

    def follow(self, posture: TrackedPosture) -> None:
        """Send a posture."""
        self._port.send(self._figure.named(posture.q))


def opened_avatars(
    choices: Sequence[AvatarChoice], people: Sequence[Person], around: ExitStack
) -> list[AvatarOutlet | JointsOutlet]:
    """Return avatars, and topics of ROS, whose addresses are open ``around``."""
    names = [person.name for person in people]
    found: list[AvatarOutlet | JointsOutlet] = []
    for each in choices:
        person = names.index(each.who) if each.who else 0
        body, where = people[person].body, (each.host, each.port)
        if each.protocol == ROSBRIDGE:
            topic = around.enter_context(RosbridgePort(*where, topic=each.topic, rate=each.rate))
            found.append(JointsOutlet(topic, body.figure, person))
        else:
            port = around.enter_context(AvatarPort(each.protocol, *where, rate=each.rate))
            found.append(AvatarOutlet(port, HumanoidBones(body), person))
    return found


def exported(takes: Sequence[Path], file: Path, names: tuple[str, ...]) -> list[Path]:
    """Write the takes as ``file``, a second one with its number; return the files.

    Formats of one figure are written for each of several people, with their names.
    """
    made = []
    alone = names if file.suffix.lower() in OF_ONE_FIGURE else ()
    for number, take in enumerate(takes, 1):
        counted = file if number == 1 else file.with_stem(f"{file.stem}-{number:03d}")
        make_folder(counted.parent)
        recording = load(take)
        for name in alone or ("",):
            target = counted.with_stem(f"{counted.stem}-{name}") if name else counted
            export(recording, target, (name,) if name else None)
            made.append(target)
    return made
