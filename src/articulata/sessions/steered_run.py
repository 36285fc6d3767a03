"""A running simulation held by the hand: paused, paced, and ordered about.

The run, in its own thread, asks ``commands`` at the start of every cycle; whoever steers calls
``order`` from any other thread. What changes the run is handed to it as a command, which it
records; pausing and pacing change nothing but when the next cycle is computed.

Orders are typed, one a line. ``pause``, ``continue``, ``step N`` and ``speed X`` change how fast it
goes and leave no trace. ``start``, ``set``, ``break``, ``remove``, ``ignore``, ``heed`` and
``stop`` change the run and are recorded. ``at T`` before an order keeps it until T seconds.
"""

from __future__ import annotations

import math
import threading
import time as clock
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from articulata.errors import ArticulataError, ControllerError, NameNotFound
from articulata.world.edits.force_edits import Heed, Ignore
from articulata.world.edits.motion_edits import StartMotion
from articulata.world.edits.structure_edits import BreakHinge, RemoveBody, broken
from articulata.world.edits.transaction import Edit
from articulata.world.edits.value_edits import SetProperty
from articulata.world.model import World
from articulata.world.paths import hint

if TYPE_CHECKING:
    from articulata.analyses.simulate.reacting import Command

FORMS: Final = {
    "pause": "pause",
    "continue": "continue",
    "step": "step [N]",
    "speed": "speed X (or: speed max)",
    "start": "start SEQUENCE [for CONTROLLER] (or: start FIGURE.MOTION)",
    "set": "set BODY.PROPERTY = VALUE",
    "break": "break HINGE (or: break FORCE)",
    "remove": "remove BODY",
    "ignore": "ignore BODY with BODY",
    "heed": "heed BODY with BODY",
    "stop": "stop",
}
"""How each order is written."""

PACING: Final = frozenset({"pause", "continue", "step", "speed"})
"""Orders that change how a run is shown and nothing of what happens in it."""


@dataclass(frozen=True, slots=True)
class Order:
    """One order: ``verb``, the words after it as typed, and when (s) it is due.

    ``edits`` change the world; ``number`` belongs to step and speed; ``sequence`` and
    ``controller`` to start, the latter empty where none is named.
    """

    text: str
    verb: str
    due: float = 0.0
    edits: tuple[Edit, ...] = ()
    number: float = 1.0
    sequence: str = ""
    controller: str = ""

    @property
    def begins_motion(self) -> bool:
        """Whether it starts a motion of a figure, "anna.wave", and no sequence of controls."""
        return self.verb == "start" and "." in self.sequence


def order_of(text: str) -> Order:
    """Return the order that ``text`` gives; ArticulataError says how it is written."""
    words = text.split()
    due = 0.0
    if words[:1] == ["at"]:
        due = _number(words[1] if len(words) > 1 else "", "at T ORDER")
        words = words[2:]
    if not words:
        raise ArticulataError(f"no order is given; there are {', '.join(FORMS)}")
    verb, rest = words[0], words[1:]
    told = " ".join(words)
    if verb not in FORMS:
        raise NameNotFound(f"there is no order '{verb}'{hint(verb, list(FORMS))}")
    form = FORMS[verb]
    if verb in ("pause", "continue", "stop"):
        _fits(not rest, told, form)
        return Order(told, verb, due)
    if verb == "step":
        count = _number(rest[0], form) if rest else 1.0
        _fits(len(rest) <= 1 and count >= 1 and count == int(count), told, form)
        return Order(told, verb, due, number=count)
    if verb == "speed":
        _fits(len(rest) == 1, told, form)
        speed = math.inf if rest == ["max"] else _number(rest[0], form)
        _fits(speed > 0, told, form)
        return Order(told, verb, due, number=speed)
    if verb == "start":
        named = len(rest) == 3 and rest[1] == "for"
        _fits(len(rest) == 1 or named, told, form)
        return Order(told, verb, due, sequence=rest[0], controller=rest[2] if named else "")
    return Order(told, verb, due, (_edit(verb, rest, told),))


def _edit(verb: str, rest: list[str], told: str) -> Edit:
    form = FORMS[verb]
    if verb in ("ignore", "heed"):
        _fits(len(rest) == 3 and rest[1] == "with", told, form)
        return (Ignore if verb == "ignore" else Heed)(rest[0], rest[2])
    if verb == "set":
        path, equals, value = " ".join(rest).partition("=")
        _fits(bool(equals and path.strip() and value.strip()), told, form)
        return SetProperty(path.strip(), _value(value.strip()))
    _fits(len(rest) == 1, told, form)
    return BreakHinge(rest[0]) if verb == "break" else RemoveBody(rest[0])


def _value(text: str) -> float | str | tuple[float, ...]:
    """Return a number in SI units, several in brackets, or the word as it stands ("red")."""
    if text.startswith("(") and text.endswith(")"):
        parts = text[1:-1].replace(",", " ").split()
        return tuple(_number(part, "numbers in brackets, as in (0, -9.81, 0)") for part in parts)
    try:
        number = float(text)
    except ValueError:
        return text
    _fits(math.isfinite(number), text, "a finite number")
    return number


def _number(text: str, form: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    _fits(math.isfinite(number), text, form)
    return number


def _fits(holds: bool, told: str, form: str) -> None:
    if not holds:
        raise ArticulataError(f"'{told}' cannot be understood; write: {form}")


Function = Callable[..., Any]


class Steering:
    """Who steers one run. ``say`` hears what becomes of orders, in the run's thread.

    ``speed`` is seconds of the simulation for a second of the clock on the wall, at most.
    """

    def __init__(
        self,
        *,
        paused: bool = False,
        speed: float = math.inf,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.say = say
        self._changed = threading.Condition()
        self._ended = threading.Event()
        self._paused = paused
        self._steps = 0
        self._speed = speed
        self._waiting: list[Order] = []
        self._since: tuple[float, float] | None = None
        self._sequences: Mapping[str, Function] = {}
        self._controllers: tuple[str, ...] = ()
        self._known = False
        self._active: dict[str, tuple[Function, float]] = {}
        self.time = 0.0

    @property
    def paused(self) -> bool:
        """Whether the run stands and waits."""
        return self._paused

    @property
    def sequences(self) -> tuple[str, ...]:
        """Names that can be started."""
        return tuple(self._sequences)

    def order(self, text: str) -> None:
        """Give an order; ArticulataError where it cannot be understood."""
        order = order_of(text)
        if order.verb == "start" and self._known:
            self._check_start(order)
        with self._changed:
            if order.verb in PACING and order.due <= self.time:
                self._pace(order)
            else:
                self._waiting.append(order)
            self._changed.notify_all()

    def end(self) -> None:
        """End the run before its next cycle, and what waits for its first."""
        self.order("stop")
        self._ended.set()

    def ended_within(self, seconds: float) -> bool:
        """Wait until ``end`` is called, at most so long; tell whether it was."""
        return self._ended.wait(seconds)

    def steered(
        self, controllers: Mapping[str, Function], sequences: Mapping[str, Function]
    ) -> Mapping[str, Function]:
        """Return ``controllers`` that give way to the ``sequences`` that orders start."""
        self._sequences = dict(sequences)
        self._controllers = tuple(controllers)
        self._known = True
        for order in self._waiting:
            if order.verb == "start":
                self._check_start(order)

        def switch(name: str, usual: Function) -> Function:
            def ask(t: float, sensed: Any) -> Any:
                active = self._active.get(name)
                if active is None:
                    return usual(t, sensed)
                function, begun = active
                value = function(t - begun, sensed)
                if isinstance(value, Mapping):
                    return value[name] if name in value else usual(t, sensed)
                return value

            return ask

        return {name: switch(name, usual) for name, usual in controllers.items()}

    def commands(self, time: float, world: World) -> list[Command]:
        """Wait as pause and pace ask, then return what is ordered for ``time`` (s)."""
        with self._changed:
            self.time = time
            self._hold(time)
            due = [each for each in self._waiting if self._is_due(each, time)]
            self._waiting = [each for each in self._waiting if not self._is_due(each, time)]
        found: list[Command] = []
        for order in due:
            command = self._obeyed(order, time, world)
            if command is not None:
                found.append(command)
                if command.edits:
                    world = world.edit(command.edits)
        return found

    @staticmethod
    def _is_due(order: Order, time: float) -> bool:
        # A cycle's time is a multiple of the step, rounded: 0.3 may be a little less.
        return order.due <= time + 1e-9

    def _hold(self, time: float) -> None:
        """Wait until the cycle at ``time`` may be computed; the lock is held by the caller."""
        while True:
            for order in [o for o in self._waiting if o.verb in PACING and self._is_due(o, time)]:
                self._waiting.remove(order)
                self._pace(order)
            if any(o.verb == "stop" and self._is_due(o, time) for o in self._waiting):
                return
            if self._steps > 0:
                self._steps -= 1
                self._since = None
                return
            if self._paused:
                self._since = None
                self._changed.wait()
                continue
            rest = self._until(time) - clock.monotonic()
            if rest <= 0.0:
                return
            self._changed.wait(rest)

    def _until(self, time: float) -> float:
        """Return when, by the clock on the wall, the cycle at ``time`` (s) is due."""
        if not math.isfinite(self._speed):
            return -math.inf
        if self._since is None:
            self._since = clock.monotonic(), time
        wall, begun = self._since
        return wall + (time - begun) / self._speed

    def _pace(self, order: Order) -> None:
        if order.verb == "speed":
            self._speed = order.number
        else:
            self._paused = order.verb != "continue"
        self._steps = int(order.number) if order.verb == "step" else 0
        self._since = None

    def _obeyed(self, order: Order, time: float, world: World) -> Command | None:
        """Return the command that an order is; None where it is refused, which is said."""
        from articulata.analyses.simulate.reacting import Command

        if order.begins_motion:
            order = replace(order, edits=(StartMotion(order.sequence, time),))
        elif order.verb == "start":
            function = self._sequences[order.sequence]
            for name in [order.controller] if order.controller else self._controllers:
                self._active[name] = function, time
        elif order.verb == "break":
            order = replace(order, edits=(broken(world, order.text.split()[1]),))
        try:
            if order.edits:
                world.edit(order.edits)
        except ArticulataError as error:
            # An error in a run ends it; an order that was mistyped must not.
            self.say(f"'{order.text}' at t = {time:.6g} s is refused: {error}")
            return None
        self.say(f"t = {time:.6g} s: {order.text}")
        return Command(order.text, order.edits, order.verb == "stop")

    def _check_start(self, order: Order) -> None:
        if order.begins_motion:
            return
        if order.sequence not in self._sequences:
            raise ControllerError(
                f"there is no control sequence '{order.sequence}'"
                f"{hint(order.sequence, self._sequences)}"
            )
        if order.controller and order.controller not in self._controllers:
            raise ControllerError(
                f"there is no controller '{order.controller}'"
                f"{hint(order.controller, self._controllers)}"
            )
