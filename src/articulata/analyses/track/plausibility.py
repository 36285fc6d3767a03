"""Whether what is tracked can be a person, and if not, what has most likely been taken wrongly.

Sensors whose frame is upside down, whose quaternions are of another order or that sit on the other
arm give postures in silence, of a body that cannot be: elbows that bend backward, joints beyond
their limits, turns that an elbow and a wrist do not have, postures of a calibration that do not
agree. Each likely mistake is taken back in turn, the calibration and the first seconds of movement
are computed anew, and what is left says which explains them.

Without places a frame that is upside down and arms that are exchanged, left for right, cannot be
told apart: each shows the mirrored motion of the other. Both are named then.

Sensors that sit where others should: seen by how they turn and move from N to T.

From N to T every part of an arm turns by a right angle, left and right the opposite ways, head and
trunk not at all; and hands go farther than forearms, these farther than upper arms. Arms that are
exchanged as a whole look like a wearer seen from behind: movement tells (``plausibility``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from articulata.analyses.track.arms import TrackedArm, arms_from
from articulata.analyses.track.calibration import Held, heading_between, level
from articulata.analyses.track.tracked_person import ARM_PARTS, TrackedBody
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import (
    q_conjugate,
    q_distance,
    q_exp,
    q_from_matrix,
    q_log,
    q_multiply,
    q_normalize,
    q_rotate,
    q_to_matrix,
)
from articulata.geometry.rotation import Rotation
from articulata.records.samples import QUATERNIONS, UPS, Convention

MOVED = np.radians(35.0)
"""The turn from upper arm to forearm has to vary by this much (rad) before movement tells."""

WRONG = 7.0
"""Degrees rms beyond which something is wrong with what is tracked."""

ELSEWHERE = 20.0
"""Degrees rms beyond which a wearer who holds one posture is told that he faced elsewhere: headings
that drift look so as well."""

BETTER = 0.65
"""A mistake is named where it leaves less than this share of what is wrong without it. Of sensors
that are worn as they should be none leaves less than 0.8."""

ALIKE = 1.25
"""Explanations that leave up to so many times what the best leaves are named beside it."""

TWICE = 0.7
"""Two mistakes at once are named where they leave less than this share of what one leaves."""

MARGIN = np.radians(12.0)
"""How far (rad) people go beyond a figure's limits."""

WORST = 45.0
"""Degrees: a joint that is wrong by more counts as by so many."""

ASIDE = np.radians(35.0)
"""How far (rad) the line between two sensors may point beside that between their limbs."""

SIDES = "rl"
"""Both sides of a body, by the first letters of what sits on them."""

FAR = 0.25
"""m between two sensors from which on the line between them tells something."""

HEADINGS = np.radians(np.arange(0.0, 360.0, 15.0))
"""Headings that are tried where one posture alone was held, rad beside the one that was taken."""


class Verdict(NamedTuple):
    """What is most likely wrong, "" for nothing, and by how much joints are wrong as it is.

    ``wrong`` is in deg rms, NaN where too little is known.
    """

    story: str = ""
    wrong: float = np.nan


@dataclass(frozen=True, slots=True)
class Mistake:
    """Something that may have been taken wrongly.

    ``convention`` is the sender's, ``exchanged`` pairs of roles that sit in each other's places,
    ``ahead`` whether the wearer may have faced elsewhere than was believed.
    """

    convention: Convention = Convention()  # noqa: RUF009 - a frozen value
    exchanged: tuple[tuple[str, str], ...] = ()
    ahead: bool = False

    @property
    def several(self) -> bool:
        """Whether two things would have to be wrong at once."""
        return self.convention.quaternion != "wxyz" and self.convention.up != "z"

    @property
    def sides(self) -> str:
        """The sides of the arms that it is about."""
        if len(self.exchanged) == 1 and len({role[0] for role in self.exchanged[0]}) == 1:
            return self.exchanged[0][0][0]
        return SIDES

    def worn(self, stations: Mapping[int, str]) -> dict[int, str]:
        """Return what stations sit on, if this mistake was made."""
        other = {a: b for pair in self.exchanged for a, b in (pair, pair[::-1])}
        return {station: other.get(role, role) for station, role in stations.items()}

    def story(self, stations: Mapping[int, str]) -> str:
        """Return what was taken wrongly, and what to do."""
        if self.ahead:
            return (
                "the wearer did not face along the x axis of the sensors' frame (calibrate by"
                " n_pose,t_pose)"
            )
        if self.exchanged:
            pairs = " and ".join(f"{a} with {b}" for a, b in self.exchanged)
            if len(self.exchanged) > 1 and {a[1:] for a, _ in self.exchanged} == {
                b[1:] for _, b in self.exchanged
            }:
                pairs = "the right arm with the left"
            seats = ", ".join(f"{s} {role}" for s, role in sorted(self.worn(stations).items()))
            return f'sensors are exchanged, {pairs} (--stations "{seats}")'
        said = []
        if self.convention.quaternion != "wxyz":
            order = {
                "xyzw": "quaternions are in the order x,y,z,w",
                "conjugate": "quaternions are conjugated, from the earth to the sensor",
                "xyzw-conjugate": "quaternions are conjugated, and in the order x,y,z,w",
            }
            said.append(order[self.convention.quaternion])
        if self.convention.up != "z":
            up = self.convention.up
            how = "is upside down or mirrored" if up == "-z" else f"has {up} up"
            said.append(f"the sensors' frame {how}")
        return f"{' and '.join(said)} ({self.convention.options})"


def mistakes(stations: Mapping[int, str]) -> Iterator[Mistake]:
    """Yield what may be wrong with sensors that sit on ``stations``."""
    for quaternion in QUATERNIONS:
        for up in UPS:
            if convention := Convention(quaternion, up):
                yield Mistake(convention)
    roles = set(stations.values())
    upper, forearm, hand = ARM_PARTS
    sides = [tuple((f"{side}_{a}", f"{side}_{b}") for side in "rl")
             for a, b in ((forearm, hand), (upper, forearm), (upper, hand))]  # fmt: skip
    across = tuple((f"r_{part}", f"l_{part}") for part in ARM_PARTS)
    sets = [across, *((pair,) for pairs in (*sides, across) for pair in pairs), *sides[:2]]
    for exchanged in sets:
        known = tuple((a, b) for a, b in exchanged if a in roles and b in roles)
        if known and (exchanged is across or len(known) == len(exchanged)):
            yield Mistake(exchanged=known)


def implausible(
    body: TrackedBody,
    stations: Mapping[int, str],
    postures: Sequence[Held],
    moved: Mapping[int, Array] | None = None,
    *,
    heading: float = 0.0,
) -> Verdict:
    """Return whether postures and movement can be a person's, and what is wrong if not.

    ``moved`` are orientations ``R_TS`` as quaternions (n, 4) by station, at the same n times;
    without it the postures alone are looked at. ``heading`` (rad) is what was believed where one
    posture was held.
    """
    if moved is not None and not _bent(body, stations, moved):
        moved = None
    if moved is None and len(postures) < 2 and not any(each.places for each in postures):
        return Verdict()
    look = _Look(body, stations, postures, moved)
    as_is = {sides: look.wrong(Mistake(), heading, sides) for sides in (SIDES, *SIDES)}
    if max(as_is.values()) < WRONG:
        return Verdict("", as_is[SIDES])
    tried = [*mistakes(stations), *([Mistake(ahead=True)] if len(postures) == 1 else [])]
    shares = {
        each: look.wrong(each, heading, each.sides) / as_is[each.sides]
        for each in tried
        if as_is[each.sides] >= WRONG
    }
    likely = _likely(shares)
    if not likely or (likely[0].ahead and as_is[SIDES] < ELSEWHERE):
        return Verdict("", as_is[SIDES])
    causes = "; or ".join(each.story(stations) for each in likely)
    best = likely[0]
    left, after = as_is[best.sides], shares[best] * as_is[best.sides]
    return Verdict(
        f"what is tracked is no posture of a person: joints are wrong by {left:.0f} deg rms, and by"
        f" {after:.0f} if {causes}",
        as_is[SIDES],
    )


def _likely(shares: Mapping[Mistake, float]) -> list[Mistake]:
    """Return the mistakes that explain most, the best first.

    ``shares`` say how much each leaves of what is wrong.
    """
    single = min((share for each, share in shares.items() if not each.several), default=np.inf)
    best = min(shares.values(), default=np.inf)
    if single < BETTER and best > TWICE * single:
        shares = {each: share for each, share in shares.items() if not each.several}
        best = single
    if best >= BETTER:
        return []
    likely = [each for each, share in shares.items() if share <= max(ALIKE * best, best + 0.03)]
    likely.sort(key=lambda each: shares[each])
    # the same on both sides is one mistake
    for each in shares:
        alone = [Mistake(exchanged=(pair,)) for pair in each.exchanged]
        named = likely[0] == each or likely[0] in alone
        if len(alone) > 1 and named and all(shares.get(a, 1.0) < BETTER for a in alone):
            return [each]
    return likely


def _bent(body: TrackedBody, stations: Mapping[int, str], moved: Mapping[int, Array]) -> bool:
    """Return whether an elbow has bent enough, or turned, to tell something."""
    station_of = {role: station for station, role in stations.items()}
    for side in body.sides:
        pair = [station_of.get(f"{side}_{part}", 0) for part in ARM_PARTS[:2]]
        if all(s in moved for s in pair):
            upper, fore = (Rotation.from_quaternion(moved[s]) for s in pair)
            turn = upper.inverse() @ fore
            if float(np.max(turn[0].distance(turn))) > MOVED:
                return True
    return False


class _Look:
    """What there is to look at: postures that were held, and movement.

    Arrays run over headings h that are tried, postures p and frames n.
    """

    def __init__(
        self,
        body: TrackedBody,
        stations: Mapping[int, str],
        postures: Sequence[Held],
        moved: Mapping[int, Array] | None,
    ) -> None:
        self._body, self._postures = body, postures
        self._stations = {s: role for s, role in stations.items() if s in postures[0].turned}
        self._moved = moved or {}
        self._told = {s: np.array([p.turned[s].q for p in postures]) for s in self._stations}
        self._level = level(body).q
        seen = [body.orientations(each.q) for each in postures]
        self._q_FB = {
            role: q_from_matrix(np.array([each[role] for each in seen])) for role in seen[0]
        }
        self._rest = body.figure.poses(body.rest)[:, :3, :3]
        self._links = self._placed()

    def wrong(self, mistake: Mistake, heading: float, sides: str) -> float:
        """Return by how much joints are wrong, deg rms, if ``mistake`` was made; inf for all.

        ``heading`` (rad) is what was believed, for one posture; arms on ``sides`` count.
        """
        M = mistake.convention.matrix
        roles = mistake.worn(self._stations)
        told = {s: q @ M.T for s, q in self._told.items()}
        headings = heading + (HEADINGS if mistake != Mistake() else np.zeros(1))
        if len(self._postures) > 1:
            found = self._heading(roles, told)
            if found is None:
                return np.inf
            headings = np.array([found])
        q_FT = q_multiply(self._level, q_exp(-headings[:, None] * np.array((0.0, 0.0, 1.0))))
        mounts, doubt = {}, []
        for s, role in roles.items():
            each = q_multiply(
                q_conjugate(q_multiply(q_FT[:, None], told[s])), self._q_FB[role]
            )  # (h, p, 4)
            alike = np.sign(np.sum(each * each[:, :1], axis=-1, keepdims=True))
            mounts[s] = q_normalize(np.sum(alike * each, axis=1))
            if role[0] in sides or sides == SIDES:
                doubt.append(q_distance(mounts[s][:, None], each).max(axis=1))
        parts = [self._aside(roles, mistake, q_FT)]
        parts += [_capped(np.stack(doubt, axis=1))] if doubt else []
        parts += self._joints(roles, M, q_FT, mounts, sides)
        squares = [np.mean(each**2, axis=1) for each in parts if each.size]
        return float(np.sqrt(np.min(np.sum(squares, axis=0))))

    def _heading(self, roles: Mapping[int, str], told: Mapping[int, Array]) -> float | None:
        """Return the heading (rad) that the step between two postures gives."""
        turns = []
        for s, role in roles.items():
            expected, measured = self._q_FB[role], told[s]
            turn = q_log(q_multiply(expected[1], q_conjugate(expected[0])))
            turns.append(
                (
                    q_rotate(q_conjugate(self._level), turn),
                    q_log(q_multiply(measured[1], q_conjugate(measured[0]))),
                )
            )
        expected, measured = np.swapaxes(np.array(turns), 0, 1)
        return heading_between(expected, measured)

    def _joints(
        self,
        roles: Mapping[int, str],
        M: Array,
        q_FT: Array,
        mounts: Mapping[int, Array],
        sides: str,
    ) -> list[Array]:
        """Return what is left at elbows and wrists, and how far limits are exceeded, (h, n) deg."""
        body = self._body
        R_FB = {
            role: q_to_matrix(
                q_multiply(q_multiply(q_FT[:, None], self._moved[s] @ M.T), mounts[s][:, None])
            )
            for s, role in roles.items()
            if s in self._moved
        }
        trunk = next((R_FB[role] for role in ("sternum", "pelvis") if role in R_FB), None)
        left, beyond = [], []
        for side, arm in zip(body.sides, body.arms.each, strict=True):
            upper, forearm, hand = (R_FB.get(f"{side}_{part}") for part in ARM_PARTS)
            if side not in sides or upper is None or forearm is None:
                continue
            stand = body.figure.base[:3, :3] if arm.root < 0 else self._rest[arm.root]
            straight = forearm @ self._rest[arm.forearm].T @ self._rest[arm.hand]
            root = stand if trunk is None else trunk @ stand
            found = arms_from(
                arm,
                np.broadcast_to(root, upper.shape),
                upper,
                forearm,
                straight if hand is None else hand,
            )
            joints = slice(0 if trunk is not None else 3, 7 if hand is not None else 5)
            # of each instant the worst joint counts
            left.append(_capped(found.left).max(axis=-1))
            beyond.append(_capped(_outside(arm, found.q)[..., joints]).max(axis=-1))
        return [np.concatenate(each, axis=1) for each in (left, beyond) if each]

    def _placed(self) -> dict[str, int]:
        """Return the joints whose links carry what sensors sit on, where their places are known."""
        body = self._body
        links = {} if body.neck is None else {"skull": body.neck.head}
        for side, arm in zip(body.sides, body.arms.each, strict=True):
            links |= {f"{side}_{p}": link for p, link in zip(ARM_PARTS, arm.links, strict=True)}
            if arm.root >= 0:
                links["sternum"] = arm.root
        return links

    def _aside(self, roles: Mapping[int, str], mistake: Mistake, q_FT: Array) -> Array:
        """Return how far lines between sensors point beside those between limbs, (h, n) deg."""
        found, A = [], mistake.convention.places
        for each in self._postures:
            X = self._body.figure.poses(each.q)[:, :3, 3]
            own = [
                (X[self._links[roles[s]]], q_rotate(q_FT, A @ p))
                for s, p in each.places.items()
                if roles.get(s) in self._links
            ]
            for k, (p, seen) in enumerate(own):
                for r, other in own[:k]:
                    a, b = p - r, seen - other
                    size = np.linalg.norm(a) * np.linalg.norm(b, axis=-1)
                    if np.linalg.norm(a) > FAR and np.all(size > 0.0):
                        found.append(np.arccos(np.clip(b @ a / size, -1.0, 1.0)))
        if not found:
            return np.zeros((len(q_FT), 0))
        return _capped(np.maximum(np.stack(found, axis=1) - ASIDE, 0.0))


def _outside(arm: TrackedArm, q: Array) -> Array:
    """Return by how much angles (n, 7) rad are beyond limits and a margin, rad."""
    low, high, middle = arm.limits.T
    near = (q - middle + np.pi) % (2.0 * np.pi) - np.pi + middle
    over = np.maximum(np.maximum(low - near, near - high) - MARGIN, 0.0)
    return np.where(np.isfinite(over), over, 0.0)


def _capped(angles: Array) -> Array:
    return np.asarray(np.minimum(np.abs(np.degrees(angles)), WORST))


TURNED = np.radians(45.0)
"""Half of a right angle: a sensor that turned by more has turned, one by less has not."""

NEARER = 0.08
"""m: a hand's sensor that goes less far than its forearm's by this much sits on the forearm."""


def mixed_up(body: TrackedBody, stations: Mapping[int, str], postures: Sequence[Held]) -> str:
    """Return what seems to be wrong with two stations, a sentence; "" where nothing is.

    The first two postures are compared; there is nothing to say unless one turns arms from the
    other as T does from N.
    """
    if len(postures) < 2:
        return ""
    first, second = postures[0], postures[1]
    at_first, at_second = body.orientations(first.q), body.orientations(second.q)
    wanted, seen = {}, {}
    for station, role in stations.items():
        if station in first.turned and station in second.turned:
            after = Rotation.from_matrix(at_second[role], nearest=True)
            before = Rotation.from_matrix(at_first[role], nearest=True)
            wanted[station] = level(body).inverse().apply((after @ before.inverse()).log())
            seen[station] = (second.turned[station] @ first.turned[station].inverse()).log()
    sizes = {s: (np.linalg.norm(wanted[s]), np.linalg.norm(seen[s])) for s in wanted}
    idle = [s for s, (should, did) in sizes.items() if should > TURNED > did]
    busy = [s for s, (should, did) in sizes.items() if should < TURNED < did]
    if len(idle) == 1 and len(busy) == 1:
        return _said(stations, idle[0], busy[0], "one turned and should not, the other not")
    turning = [s for s, (should, did) in sizes.items() if min(should, did) > TURNED]
    headings = {s: _heading(wanted[s], seen[s]) for s in turning}
    middle = float(np.angle(sum(np.exp(1j * each) for each in headings.values())))
    backward = [
        s
        for s, each in headings.items()
        if abs(np.angle(np.exp(1j * (each - middle)))) > 0.5 * np.pi
    ]
    if len(backward) == 2 and stations[backward[0]][:1] != stations[backward[1]][:1]:
        return _said(stations, backward[0], backward[1], "they turned against the others")
    return _in_one_arm(stations, first, second)


def _in_one_arm(stations: Mapping[int, str], first: Held, second: Held) -> str:
    """Return which two of an arm's stations are exchanged, by how far they went."""
    station_of = {role: station for station, role in stations.items()}
    for side in ("r", "l"):
        own = [station_of.get(f"{side}_{part}") for part in ARM_PARTS]
        ways = [
            float(np.linalg.norm(second.places[s] - first.places[s]))
            if s is not None and s in first.places and s in second.places
            else np.nan
            for s in own
        ]
        for k in (0, 1):
            nearer, farther = own[k], own[k + 1]
            if nearer is not None and farther is not None and ways[k] > ways[k + 1] + NEARER:
                return _said(
                    stations, nearer, farther, "the outer one went less far than the inner one"
                )
    return ""


def _heading(wanted: Array, seen: Array) -> float:
    along = wanted[0] * seen[0] + wanted[1] * seen[1]
    across = wanted[0] * seen[1] - wanted[1] * seen[0]
    return float(np.arctan2(across, along))


def _said(stations: Mapping[int, str], one: int, other: int, why: str) -> str:
    return (
        f"stations {one} ({stations[one]}) and {other} ({stations[other]}) seem to be exchanged:"
        f" {why}. Exchange the sensors, or their numbers with --stations, and calibrate again"
    )
