"""Fronts of postures as tables, plots, and as something that can be drawn: a world a posture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from articulata.errors import RecordingError
from articulata.formats import csv
from articulata.geometry.arrays import Array
from articulata.kinematics.assembly.assembling import quaternions_of
from articulata.kinematics.floating_base import BASE, with_floating_base
from articulata.kinematics.world_figure import figure_of
from articulata.records.header import Header
from articulata.records.observed import POSE
from articulata.records.recorder import Recorder
from articulata.records.recording import Recording
from articulata.records.state import Channel, Frame
from articulata.report.plots import INKS, drawing
from articulata.world.document import parse
from articulata.world.model import World

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from articulata.records.posture_fronts import Evolution, Front

COLUMNS = ("x", "y", "z", "qw", "qx", "qy", "qz")

MOST_JOINTS = 24
"""Joints in the plot of joint values: those that move most over the front."""

STROKES = (".-", ".--", ".:")
"""Lines of these joints: the next one where the colours begin again."""


def table(front: Front) -> str:
    """Return the front as CSV: a row a posture, values and joints with their units."""
    return csv.write_rows(list(front.rows()))


def world_of(front: Front) -> World:
    """Return the world that the postures were taken in; RecordingError where there is none."""
    if not front.world:
        raise RecordingError(
            "this front was asked of a figure alone, without a world to draw it in; ask by a "
            "request of a text"
        )
    document = parse(front.world, "the front's world")
    return document.world(document.worlds[-1])


def motion_of_front(front: Front, times: Array, q: Array) -> Recording:
    """Return a recording of postures ``q`` (n, dof) at ``times`` (n,) s in a front's world."""
    world = world_of(front)
    return _recorded(world, times, body_poses(world, front, q))


def body_poses(world: World, front: Front, q: Array | None = None) -> Array:
    """Return the poses (n, bodies, 7) of all bodies of ``world`` in each posture of a front.

    With ``q`` (n, dof) in these postures instead.
    """
    postures = front.q if q is None else q
    figure = figure_of(world, front.component)
    floating = front.names[: len(BASE)] == BASE
    if floating:
        figure = with_floating_base(figure)
    rows = np.array([(*b.pose.position, *b.pose.orientation) for b in world.bodies.values()])
    poses = np.tile(rows, (len(postures), 1, 1))
    where = {id: number for number, id in enumerate(world.bodies)}
    X_WL = figure.poses(postures)
    for id, joint in world.figures[front.component].carriers.items():
        if joint or floating:
            X = X_WL[:, figure.index(joint or BASE[-1])]
            poses[:, where[id], :3] = X[:, :3, 3]
            poses[:, where[id], 3:] = quaternions_of(X[:, :3, :3])
    return poses


def recording_of(front: Front) -> Recording:
    """Return a recording whose frames are the postures, one a second, in the front's order."""
    world = world_of(front)
    return _recorded(world, np.arange(float(len(front))), body_poses(world, front))


def standing(world: World) -> Recording:
    """Return a recording of one frame: all bodies of an assembled ``world`` where they are."""
    rows = [(*b.pose.position, *b.pose.orientation) for b in world.bodies.values()]
    return _recorded(world, np.zeros(1), np.array(rows).reshape(1, -1, len(COLUMNS)))


def _recorded(world: World, times: Array, poses: Array) -> Recording:
    with Recorder(Header(world, method="pose")) as recorder:
        recorder.layout([Channel(POSE, "m, 1", tuple(world.bodies), COLUMNS)])
        for time, each in zip(times.tolist(), poses, strict=True):
            recorder.frame(Frame(time, {POSE: each}))
    return recorder.recording()


def plot_front(front: Front) -> Drawing:
    """Return the values of the postures, each pair of aims against each other.

    What else is attainable in grey, the front in colour, with utopia point, knee and choice.
    """
    from matplotlib.figure import Figure as Drawing

    k = len(front.aims)
    pairs = [(a, b) for a in range(k) for b in range(a + 1, k)]
    with drawing():
        wide = min(len(pairs), 3) or 1
        rows = -(-len(pairs) // wide) if pairs else 1
        figure = Drawing(figsize=(4.6 * wide, 4.0 * rows), layout="constrained")
        axes = figure.subplots(rows, wide, squeeze=False).ravel()
        for axis, (a, b) in zip(axes, pairs, strict=False):
            _pair(axis, front, a, b)
        for axis in axes[max(len(pairs), 1) :]:
            axis.set_visible(False)
        if not pairs:
            _alone(axes[0], front)
        else:
            axes[0].legend(loc="best", fontsize=7, handlelength=1.0)
    return figure


def _pair(axis: Any, front: Front, a: int, b: int) -> None:
    plot = axis.plot
    if len(front.image):
        plot(front.image[:, a], front.image[:, b], ".", color="#c9d1da", ms=3, label="attainable")
    good = ~front.dominated
    plot(front.values[good, a], front.values[good, b], ".", color=INKS[0], ms=4, label="front")
    if front.dominated.any():
        plot(*front.values[front.dominated][:, (a, b)].T, "x", color="#5b6675", label="dominated")
    plot(front.utopia[a], front.utopia[b], "*", color=INKS[2], ms=10, label="utopia point")
    plot(*front.values[front.knee, [a, b]], "s", color=INKS[6], ms=6, mfc="none", label="knee")
    plot(*front.values[front.chosen, [a, b]], "o", color=INKS[1], ms=8, mfc="none", label="chosen")
    axis.set_xlabel(str(front.aims[a]))
    axis.set_ylabel(str(front.aims[b]))
    axis.grid(visible=True)


def _alone(axis: Any, front: Front) -> None:
    axis.plot(np.arange(len(front)), front.values[:, 0], "o", color=INKS[0])
    axis.set_xlabel("posture")
    axis.set_ylabel(str(front.aims[0]))


def plot_postures(front: Front) -> Drawing:
    """Return the joints along the front, each as a share of the range of its values there."""
    from matplotlib.figure import Figure as Drawing

    moved = np.ptp(front.q, axis=0)
    chosen = np.sort(np.argsort(-moved, kind="stable")[: min(MOST_JOINTS, int((moved > 0).sum()))])
    scale = np.where([unit == "m" for unit in front.units], 100.0, 180.0 / np.pi)
    with drawing():
        figure = Drawing(figsize=(9.0, 6.0), layout="constrained")
        over, under = figure.subplots(2, 1, sharex=True, height_ratios=(1, 2))
        number = np.arange(len(front))
        for k, aim in enumerate(front.aims):
            column = front.costs[:, k]
            low, high = column.min(), column.max()
            share = (column - low) / (high - low if high > low else 1.0)
            over.plot(number, share, ".-", ms=3, color=INKS[k % len(INKS)], label=aim.name)
        over.set_ylabel("0 best, 1 worst")
        over.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=7)
        for rank, column_number in enumerate(chosen):
            under.plot(
                number,
                scale[column_number] * front.q[:, column_number],
                STROKES[rank // len(INKS)],
                ms=2,
                color=INKS[rank % len(INKS)],
                label=front.names[column_number],
            )
        under.set_ylabel("joints (deg; slides: cm)")
        under.set_xlabel(f"posture, by {front.aims[0].name}")
        if len(chosen):
            under.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=6)
        for axis in (over, under):
            axis.axvline(front.chosen, color=INKS[1], linewidth=1.0, linestyle=(0, (3, 3)))
            axis.grid(visible=True)
    return figure


def plot_evolution(evolution: Evolution, exact: Front | None = None) -> Drawing:
    """Return the six panels in which the toolbox of 2005 showed an evolution.

    With ``exact``, the front of the same question, its chosen posture is drawn beside them.

    Above: the range of what targets are off, the joints of the best individual, the 85th percentile
    of all; below: the joints of all individuals, what they are off, the order of the islands.
    """
    from matplotlib.figure import Figure as Drawing

    generation = np.arange(1, len(evolution.miss) + 1)
    joints = np.arange(1, evolution.variables.shape[1] + 1)
    with drawing():
        figure = Drawing(figsize=(11.0, 6.4), layout="constrained")
        (a, b, c), (d, e, f) = figure.subplots(2, 3)
        a.fill_between(generation, *evolution.spread.T, color="#c9d1da", label="all individuals")
        a.plot(generation, evolution.miss, color=INKS[0], label="best")
        a.set(yscale="log", xlabel="generation", ylabel="off its target (m, rad)")
        a.legend(fontsize=7)
        for number, name in enumerate(evolution.names):
            color = INKS[number % len(INKS)]
            b.plot(generation, evolution.best[:, number], color=color, label=name)
            if exact is not None:
                b.axhline(exact.named()[name], color=color, linewidth=0.8, linestyle=(0, (3, 3)))
        b.set(xlabel="generation", ylabel="best individual (rad, m)")
        if len(evolution.names) <= len(INKS):
            b.legend(fontsize=7)
        c.plot(generation, evolution.percentile, color=INKS[1])
        c.set(yscale="log", xlabel="generation", ylabel="85th percentile (m, rad)")
        d.plot(joints, evolution.variables.T, color=INKS[0], alpha=0.25, linewidth=0.7)
        if exact is not None:
            answer = [exact.named()[name] for name in evolution.names]
            d.plot(joints, answer, "o--", color=INKS[1], linewidth=0.8, ms=4, label="exact")
            d.legend(fontsize=7)
        d.set(xlabel="joint", ylabel="all individuals (rad, m)", xticks=joints)
        e.semilogy(evolution.objectives, ".", color=INKS[2], ms=4)
        e.set(xlabel="individual", ylabel="off its target (m, rad)")
        for island in range(evolution.order.shape[1]):
            f.plot(generation, evolution.order[:, island], color=INKS[island % len(INKS)])
        f.set(xlabel="generation", ylabel="order of the islands")
        for axis in (a, b, c, d, e, f):
            axis.grid(visible=True)
    return figure
