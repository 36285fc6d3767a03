"""A person who can move over the floor: a figure on base joints, and its hands.

The base joints come first: place along x and y of the ground frame G, a turn about z (0 looks
along x), a lean forward from the hips. Lengths in m, angles in rad.

Whether arms hold what the hand carries: torques of joints beside the strength of people.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from numbers import Real
from typing import Final

import numpy as np

from articulata.analyses.reach.one_person.conditions import (
    limited,
    shares_of_strength,
    usable,
)
from articulata.analyses.reach.one_person.hands import drawn_hand, slim_hand
from articulata.analyses.reach.one_person.posture_costs import Criterion, criterion_of
from articulata.analyses.reach.one_person.shoulder_cones import ShoulderCone, shoulder_cone_of
from articulata.analyses.reach.surroundings.outlines import held
from articulata.analyses.reach.ways.footprints import Footprint
from articulata.analyses.reach.ways.stances import build_of
from articulata.domains.comfort.measured_strength import published_strength
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.geometry.shapes import Placed, Union
from articulata.kinematics.chain import Chain
from articulata.kinematics.figure import Figure, Run
from articulata.kinematics.joint import Joint, about
from articulata.kinematics.link import Link, MeshFile, Part
from articulata.kinematics.statics import Load, Statics
from articulata.world.requests.reach import FINGERTIP, TOUCHES

ALONG, ASIDE, TURN, LEAN = "base x", "base y", "base turn", "hip lean"
BASE: Final = (ALONG, ASIDE, TURN, LEAN)
"""Names of the joints that carry a person over the floor."""

HIP_HEIGHT = 1.0576
"""Height of the hips over the vertex's height above them, standing (de Leva 1996, table 4:
0.514 over 0.486 of the stature)."""

HIPS_ABOVE_SEAT = 0.0757
"""The same, above a seat: sitting height 0.5228 of the stature (ANSUR II, men), less 0.486."""


@dataclass(frozen=True, slots=True)
class Capability:
    """What is left of a person's mobility.

    ``lean`` (rad) is how far the trunk leans forward from the hips without losing balance: None
    takes 60 deg standing and 30 deg seated (proposals). ``limits`` (rad) replace those of joints.
    ``hands`` are used in this order of liking. ``comfort`` says which of several postures is best:
    a ``Discomfort``, whose weights are what this person's joints bear, or a criterion of your own.
    ``touch`` is what of the hand comes to a thing: "fingertip", "thumb" or "grip"; ``load`` (kg) is
    what the hand carries there, held still by joints as strong as people's. ``conditions`` limit
    and weaken joints: "stroke left" and others that ship, or files that end in .csv.
    """

    lean: float | None = None
    limits: Mapping[str, tuple[float, float]] | None = None
    hands: tuple[str, ...] = ("right", "left")
    comfort: Criterion | None = None
    touch: str = FINGERTIP
    load: float = 0.0
    conditions: tuple[str, ...] = ()

    def lean_for(self, footprint: Footprint) -> float:
        """Return how far the trunk leans with a way to move."""
        if self.lean is not None:
            return self.lean
        return math.radians(60.0 if footprint.seat is None else 30.0)


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A person with a way to move: ``figure`` on base joints, ``arms`` by hand.

    An arm's chain begins with the lean; ``columns`` say where its values stand in the figure's q.
    ``idle`` are the joints of the other arm while a hand reaches: it keeps out of the way and is
    not tested. ``drawn`` are, by hand and joint, the shapes with which a hand strikes the room.
    ``resting`` is how the rest of the body is held: ``rest`` within the limits.
    ``thighs`` are the coordinates that keep the legs where they are while the hips lean.
    ``comfort`` tells what postures cost, ``bearings`` by hand which of them hold a load with joints
    that ``conditions`` weaken.
    """

    figure: Figure
    footprint: Footprint
    hips: float
    arms: Mapping[str, Chain]
    columns: Mapping[str, IntArray]
    idle: Mapping[str, tuple[str, ...]]
    drawn: Mapping[str, Mapping[str, tuple[Part, ...]]]
    cones: Mapping[str, ShoulderCone | None]
    rest: Rest
    resting: Array
    thighs: tuple[int, ...]
    comfort: Criterion
    bearings: Mapping[str, Bearing | None]
    conditions: tuple[str, ...] = ()

    def below(self, hand: str) -> tuple[str, ...]:
        """Return the joints whose links stand on the floor: all but those of an arm."""
        arm = set(self.figure.path(hand))
        return tuple(joint.name for k, joint in enumerate(self.figure.joints) if k not in arm)

    def striking(self, hand: str) -> frozenset[str]:
        """Return the joints of forearm and hand: what is kept off the rest of the body."""
        names = [self.figure.joints[k].name for k in self.figure.path(hand)]
        bent = next((k for k, name in enumerate(names) if "elbow" in name), len(names) - 4)
        return frozenset(names[max(bent, 0) :])

    def touching(self, hand: str) -> tuple[tuple[str, str], ...]:
        """Return pairs of joints whose links may touch: all but forearm and hand with the rest.

        How far trunk, thighs and shoulders press against each other the joints' limits tell.
        """
        free = self.striking(hand)
        rest = [joint.name for joint in self.figure.joints if joint.name not in free]
        return tuple(itertools.combinations(rest, 2))

    @property
    def load(self) -> float:
        """The load in the hand that reaches, kg."""
        return max((each.load for each in self.bearings.values() if each is not None), default=0.0)

    def carrying(self, load: float) -> Body:
        """Return the same person with a ``load`` in the hand that reaches, kg."""
        bearings = {
            hand: bearing_of(self.figure, hand, self.columns[hand], load, self.conditions)
            for hand in self.arms
        }
        return replace(self, bearings=bearings)

    @property
    def lean(self) -> float:
        """How far the trunk leans forward from the hips at most, rad."""
        return float(self.figure.upper[3])

    @property
    def covered(self) -> tuple[str, ...]:
        """The joints of the legs where the footprint covers them: where the person stands."""
        if self.footprint.seat is not None:
            return ()
        figure = self.figure
        legs: set[int] = set()
        for number, joint in enumerate(figure.joints):
            if joint.name in HIPS or figure.parents[number] in legs:
                legs.add(number)
        return tuple(figure.joints[k].name for k in sorted(legs))

    def bend(self, q: Array) -> Array:
        """Return how far the trunk is bent forward, rad: hips to the middle of the shoulders."""
        figure = self.figure
        X = figure.poses(q)
        hips = X[..., figure.index(LEAN), :3, 3]
        marks = [m for m in ("r_shoulder", "l_shoulder") if m in figure.landmarks]
        if not marks:
            return np.asarray(q[..., 3])
        middle = np.mean([figure.landmark(q, m)[..., :3, 3] for m in marks], axis=0) - hips
        turn = q[..., 2]
        ahead = np.cos(turn) * middle[..., 0] + np.sin(turn) * middle[..., 1]
        return np.asarray(np.arctan2(ahead, middle[..., 2]))

    def leaning(self, hand: str, share: float) -> Chain:
        """Return the chain of an arm, with hips that lean by a ``share`` of ``lean`` at most."""
        return _leaning(self.arms[hand], share * self.lean)

    def bearable(self, hand: str, q: Array) -> BoolArray:
        """Return which postures (n, dof) keep the upper arm in its cone, and hold the load."""
        cone, bearing = self.cones[hand], self.bearings[hand]
        kept = np.ones(len(q), bool) if cone is None else cone.holds(q)
        if bearing is not None:
            kept[kept] = bearing.holds(q[kept])
        return kept

    def postures(self, hand: str, base: Array, q: Array) -> Array:
        """Return the figure's postures (n, dof) for bases (n, 3) and an arm's values (n, k)."""
        whole = np.repeat(self.resting[None], len(q), axis=0)
        whole[:, :3] = base
        whole[:, self.columns[hand]] = q
        for column in self.thighs:
            bent = whole[:, column] + whole[:, 3]
            whole[:, column] = np.clip(bent, self.figure.lower[column], self.figure.upper[column])
        return whole


@lru_cache(maxsize=64)
def _leaning(chain: Chain, most: float) -> Chain:
    """Return a chain whose first joint bends by ``most`` rad at most; it is kept, made ready."""
    hips = replace(chain.joints[0], limits=(0.0, most))
    return Chain([hips, *chain.joints[1:]], base=chain.base, end=chain.end, name=chain.name)


HIPS: Final = ("l_hip_flexion", "r_hip_flexion")
"""Joints that bend the thighs against the pelvis."""


@dataclass(frozen=True, slots=True, eq=False)
class Rest:
    """How a figure stands or sits: posture ``q`` by ``name``, height of ``hips``, any ``legs``."""

    name: str
    q: Array
    hips: float
    legs: bool


def _rest(person: Figure, footprint: Footprint) -> Rest:
    seat = footprint.seat
    name = "standing" if seat is None else "seated"
    if name not in person.postures:
        name = "neutral"
    q = person.neutral if name == "neutral" else person.posture(name)

    def rise(mark: str) -> float:
        X = np.linalg.inv(person.base) @ person.landmark(q, mark)
        return float(X[:3, 3] @ person.up)

    if seat is None and "r_sole" in person.landmarks:
        return Rest(name, q, -rise("r_sole"), True)
    if seat is not None and "seat" in person.landmarks:
        return Rest(name, q, seat - rise("seat"), True)
    crown = next((rise(m) for m in ("skull_tip", "vertex") if m in person.landmarks), None)
    if crown is None:
        tips = [(np.linalg.inv(person.base) @ X)[:3, 3] @ person.up for X in person.poses(q)]
        crown = 1.35 * float(max(tips))
    hips = HIP_HEIGHT * crown if seat is None else seat + HIPS_ABOVE_SEAT * crown
    return Rest(name, q, hips, False)


def body_of(person: Figure, footprint: Footprint, capability: Capability) -> Body:
    """Return a person on base joints; raise KinematicsError for a figure without hands."""
    person = _limited(person, capability)
    touch, hands = capability.touch, usable(capability.hands, capability.conditions)
    for hand in hands:
        _tip(person, hand, touch)
    rest = _rest(person, footprint)
    hips, (up, ahead) = rest.hips, _axes(person)
    lean = capability.lean_for(footprint)
    if not 0.0 <= lean <= np.pi / 2:
        raise KinematicsError(f"the lean of a trunk is an angle from 0 to 90 deg, not {lean} rad")
    resting = np.clip(rest.q, person.lower, person.upper)
    lean = _as_far_as_hips(person, resting, lean)
    joints = [*_base_joints(up, ahead, hips, lean), *person.joints]
    parents = [-1, 0, 1, 2, *(3 if p < 0 else p + 4 for p in person.parents)]
    shapes = tuple(Part(shape, pose) for shape, pose in footprint.shapes(hips, legs=rest.legs))
    links = dict(person.links)
    links[TURN] = Link("device", collisions=shapes, visuals=shapes)
    links[LEAN] = replace(person.root, name="hips")
    for name, link in person.links.items():
        links[name] = _simplified(link)
    runs, drawn, landmarks = {}, {}, dict(person.landmarks)
    for hand in hands:
        joint, X_LP = _tip(person, hand, touch)
        runs[hand] = Run(LEAN, joint, X_LP)
        links[joint] = slim_hand(links[joint], X_LP)
        drawn[hand] = {joint: drawn_hand(person.links[joint], links[joint], X_LP)}
    if not runs:
        raise KinematicsError("a person reaches with at least one hand; give hands=('right',)")
    moved = Figure(
        joints,
        parents,
        name=person.name,
        links=links,
        chains=runs,
        landmarks=landmarks,
        up=(0.0, 0.0, 1.0),
        measures=person.measures,
        unit=person.unit,
        unit_size=person.unit_size,
    )
    columns = {hand: moved.chain_coordinates(hand) for hand in runs}
    conditions = capability.conditions
    resting = np.concatenate([np.zeros(4), resting])
    return Body(
        moved,
        footprint.worn_by(build_of(moved, resting, hips, LEAN)),
        hips,
        {hand: moved.chain(hand) for hand in runs},
        columns,
        {hand: _idle(person, hand, touch) for hand in runs},
        drawn,
        {hand: shoulder_cone_of(moved, hand, moved.path(hand), up, ahead) for hand in runs},
        rest,
        resting,
        tuple(moved.coordinate(each) for each in HIPS if each in moved.names),
        criterion_of(moved, capability.comfort, BASE),
        {h: bearing_of(moved, h, columns[h], capability.load, conditions) for h in runs},
        conditions,
    )


def _limited(person: Figure, capability: Capability) -> Figure:
    """Return a person whose joints go no further than she says."""
    person = limited(person, capability.conditions)
    if not capability.limits:
        return person
    for joint, ends in capability.limits.items():
        if not (np.abs(ends) <= 2.0 * np.pi).all():
            raise KinematicsError(
                f"limits of '{joint}' are two angles in rad, no more than a turn, not {ends[0]:g} "
                f"and {ends[1]:g}; leave out a joint whose limits stay as they are"
            )
    return person.with_limits(dict(capability.limits))


def _base_joints(up: Array, ahead: Array, hips: float, lean: float) -> list[Joint]:
    """Return the joints below a person: over the floor, about its normal, and the hips' lean.

    ``up`` and ``ahead`` (3,) are in the person's own frame, ``hips`` is their height in m and
    ``lean`` how far they lean at most in rad.
    """
    left = np.cross(up, ahead)
    X = np.eye(4)
    X[:3, :3] = np.stack([ahead, left, up])
    X[2, 3] = hips
    tilt = about(left.tolist())
    along, aside = about((1.0, 0.0, 0.0)), about((0.0, 1.0, 0.0))
    far = (-1e3, 1e3)
    return [
        Joint(ALONG, "prismatic", along, along.T, far),
        Joint(ASIDE, "prismatic", aside, aside.T, far),
        Joint(TURN, "revolute", limits=(-4 * np.pi, 4 * np.pi), link="device"),
        Joint(LEAN, "revolute", X @ tilt, tilt.T, (0.0, lean), link="hips"),
    ]


def _as_far_as_hips(person: Figure, resting: Array, lean: float) -> float:
    """Return the lean (rad) that leaves the feet where they are: hips bend no further."""
    columns = [person.coordinate(each) for each in HIPS if each in person.names]
    left = min((float(person.upper[k] - resting[k]) for k in columns), default=lean)
    return lean if left > lean - 1e-9 else left


def _axes(person: Figure) -> tuple[Array, Array]:
    """Return up and ahead in the figure's own frame: H-Anim's z is ahead where y is up."""
    up = np.asarray(person.up, float)
    ahead = np.array([0.0, 0.0, 1.0]) if abs(up[1]) > 0.9 else np.array([1.0, 0.0, 0.0])
    return up, ahead


def _tip(person: Figure, hand: str, touch: str) -> tuple[str, Array]:
    if touch not in TOUCHES:
        raise KinematicsError(f"a hand touches with its {', '.join(TOUCHES)}, not '{touch}'")
    marks = TOUCHES[touch]
    if hand not in marks:
        raise KinematicsError(f"a hand is 'right' or 'left', not '{hand}'")
    for name in marks[hand]:
        mark = person.landmarks.get(name)
        if mark is not None and mark.joint:
            return mark.joint, mark.X_LP
    known = ", ".join(person.landmarks) or "none"
    raise KinematicsError(
        f"figure '{person.name}' has no {hand} {'hand' if touch == FINGERTIP else touch}: give it "
        f"a landmark called '{marks[hand][0]}'; it has {known}"
    )


def _idle(person: Figure, hand: str, touch: str) -> tuple[str, ...]:
    """Return the joints that carry the other arm alone."""
    other = next(each for each in TOUCHES[touch] if each != hand)
    marks = [m for m in TOUCHES[touch][other] if m in person.landmarks]
    if not marks:
        return ()
    mine, its = (
        _up_from(person, person.index(_tip(person, each, touch)[0])) for each in (hand, other)
    )
    moved = set(its) - set(mine)
    for number, parent in enumerate(person.parents):
        if parent in moved:
            moved.add(number)
    return tuple(person.joints[number].name for number in sorted(moved))


def _up_from(person: Figure, number: int) -> list[int]:
    found = []
    while number >= 0:
        found.append(number)
        number = person.parents[number]
    return found


def _simplified(link: Link) -> Link:
    """Return a link that strikes with one convex shape about its shapes; its looks stay."""
    parts = link.collisions or link.visuals
    found = []
    for part in parts:
        if isinstance(part.shape, MeshFile):
            return link
        found.append(Placed(part.shape, part.X_LS))
    if not found:
        return link
    shape = found[0] if len(found) == 1 else Union(tuple(found))
    return replace(link, collisions=(held(shape, np.eye(4)),))


@dataclass(frozen=True, slots=True, eq=False)
class Bearing:
    """An arm with a ``load`` (kg) in its hand.

    ``columns`` (k,) of a posture are the arm's and the trunk's; they hold ``up`` and ``down``
    (k,) N m toward larger and smaller values.
    """

    load: float
    statics: Statics
    columns: IntArray
    up: Array
    down: Array

    def holds(self, q: Array) -> BoolArray:
        """Return in which postures (n, dof) no joint needs more than people can hold."""
        tau = self.statics.torques(q)[:, self.columns]
        return np.asarray(((tau <= self.up) & (tau >= -self.down)).all(axis=1))


def bearing_of(
    figure: Figure, hand: str, columns: IntArray, load: float, conditions: tuple[str, ...] = ()
) -> Bearing | None:
    """Return what an arm bears with a ``load`` (kg) at the tip of its chain; None for no load.

    ``conditions`` leave shares of its strength.

    Strengths are those of men in manual work, one for each joint and sense (Stobbe 1982). Raise
    KinematicsError for a load that is none, and for figures whose joints have no known strength.
    """
    given: object = load
    if not (isinstance(given, Real) and 0.0 <= load < np.inf):
        shown = f"{load} kg" if isinstance(given, Real) else repr(load)
        raise KinematicsError(f"the load in a hand is {shown}; give a mass in kg, 0 or more")
    if load == 0.0:
        return None
    shares = shares_of_strength(figure.names, conditions)
    best = published_strength(figure).best
    up, down = np.multiply(best, shares, out=np.zeros_like(best), where=shares > 0.0)[:, columns]
    if not np.isfinite(up).any():
        raise KinematicsError(
            f"no joint of figure '{figure.name}' has a known strength, so nobody can tell what it "
            "carries; take 'person' or 'human_upper_body', or no load"
        )
    return Bearing(load, Statics(figure, loads=[Load(hand, load)]), columns, up, down)
