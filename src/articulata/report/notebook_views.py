"""What a notebook shows of a value: a static picture and a short table, as one piece of HTML.

Everything is in the piece itself, so that it shows without a network and in a saved notebook.
Names and messages are escaped: files are of others.
"""

from __future__ import annotations

import base64
import html as markup
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from articulata.errors import ArticulataError
from articulata.geometry.quaternion import q_rotate
from articulata.kinematics.assembly.assembling import assemble
from articulata.kinematics.figure import Figure
from articulata.records.camera_moves import OK, VERDICTS, CameraMove, FilmVerdict
from articulata.records.carried_moves import CarriedMove
from articulata.records.events import shown_in
from articulata.records.observed import POSE
from articulata.records.posture_fronts import Front
from articulata.records.reach_maps import ReachMap
from articulata.records.reach_shares import ACCESSIBLE, SAID
from articulata.records.reach_verdicts import Verdict
from articulata.records.recording import Recording
from articulata.report.colors import JOINT
from articulata.report.drawn_scene import Item, Scene, scene_of
from articulata.report.front_tables import motion_of_front, plot_front, standing
from articulata.report.picture import picture, view_of
from articulata.report.plots import INKS, default_paths, drawing, plot
from articulata.report.portrait import portrait
from articulata.report.reach_maps import map_figure
from articulata.report.strip import strip
from articulata.world.model import World
from articulata.world.requests.reach import path_of

HEIGHT: Final = 320
"""Pixels of a picture that stands alone."""

AZIMUTH: Final = 0.42
"""rad. How far a world is turned from the front."""

DOTS: Final = 90
"""Pixels an inch of a drawing."""

LARGEST: Final = 200_000
"""Bytes of a picture; one that needs more is drawn with fewer colours."""

SNAPSHOTS: Final = 4
ROWS: Final = 12
"""Rows of a table; more are counted."""

Row = Sequence[object]


@dataclass(frozen=True, slots=True)
class View:
    """What is shown: a ``title``, functions that make ``pictures`` as PNG, a table of ``rows``."""

    title: str
    pictures: tuple[Callable[[], bytes], ...]
    head: Row
    rows: Sequence[Row]


def html(value: object) -> str:
    """Return a value as HTML; what cannot be drawn says why in its place."""
    view = _VIEWS[next(each for each in type(value).__mro__ if each in _VIEWS)](value)
    shown = [f"<p><b>{markup.escape(view.title)}</b></p>"]
    shown += [_drawn(make) for make in view.pictures]
    shown.append(_table(view.head, view.rows))
    return f'<div class="articulata">{"".join(shown)}</div>'


def _drawn(make: Callable[[], bytes]) -> str:
    try:
        data = make()
    except ArticulataError as error:
        return f'<p style="white-space:pre-wrap">no picture: {markup.escape(str(error))}</p>'
    coded = base64.b64encode(_smaller(data)).decode()
    style = "max-width:100%;background:#fff"
    return f'<p><img alt="" style="{style}" src="data:image/png;base64,{coded}"></p>'


def _table(head: Row, rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    lines = []
    if any(head):
        cells = "".join(f"<th>{markup.escape(str(each))}</th>" for each in head)
        lines.append(f"<tr>{cells}</tr>")
    lines += [
        f"<tr>{''.join(f'<td>{markup.escape(_told(x))}</td>' for x in row)}</tr>"
        for row in rows[:ROWS]
    ]
    if len(rows) > ROWS:
        lines.append(f'<tr><td colspan="{len(head)}">and {len(rows) - ROWS} more</td></tr>')
    return f'<table cellpadding="4" style="text-align:left">{"".join(lines)}</table>'


def _told(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _png(image: npt.NDArray[np.uint8]) -> bytes:
    from matplotlib.image import imsave

    out = io.BytesIO()
    imsave(out, image, format="png")
    return out.getvalue()


def _figure(made: Any) -> bytes:
    """Return a drawing as PNG."""
    out = io.BytesIO()
    with drawing():
        made.savefig(out, format="png", dpi=DOTS, metadata={"Software": None})
    return out.getvalue()


def _smaller(data: bytes) -> bytes:
    """Return a picture of at most ``LARGEST`` bytes: with fewer colours, then smaller."""
    from PIL import Image

    image = Image.open(io.BytesIO(data)).convert("RGB") if len(data) > LARGEST else None
    while image is not None and len(data) > LARGEST:
        out = io.BytesIO()
        image.quantize(128).save(out, "PNG", optimize=True)
        data = out.getvalue()
        image = image.resize((max(1, image.width * 3 // 4), max(1, image.height * 3 // 4)))
    return data


# ---- one function a kind of value


def _of_world(world: World) -> View:
    rows: list[Row] = [
        (what, len(held), _few(held))
        for what, held in (
            ("bodies", world.bodies),
            ("hinges", world.hinges),
            ("forces", world.forces),
            ("drives", world.drives),
            ("couplings", world.couplings),
            ("figures", world.figures),
        )
        if held
    ]
    drawn = (lambda: _scene(standing(assemble(world))),) if world.bodies else ()
    return View(f"World '{world.name}'", drawn, ("", "", ""), rows)


def _scene(recording: Recording) -> bytes:
    scene = scene_of(recording, [0])
    eye = np.cos(AZIMUTH) * scene.ahead + np.sin(AZIMUTH) * np.cross(scene.up, scene.ahead)
    shown = tuple(each for each in scene.items if not _hides(scene, each, eye))
    inside = 0 < len(shown) < len(scene.items)
    scene = replace(scene, items=shown) if inside else scene
    seen = view_of(scene, azimuth=AZIMUTH, elevation=0.5 if inside else 0.2)
    return _png(picture(scene, 0, seen, HEIGHT))


def _hides(scene: Scene, item: Item, eye: npt.NDArray[Any]) -> bool:
    """Return whether a thing is a wall (high, wide, thin) on the side of the ``eye`` (3,)."""
    pose = scene.poses[0, scene.number(item.body)]
    points = pose[:3] + q_rotate(pose[None, 3:], scene.surfaces[item.surface].vertices)
    across = np.cross(scene.up, scene.ahead)
    width, depth = np.ptp(points @ across), np.ptp(points @ scene.ahead)
    thin, wide = min(width, depth), max(width, depth)
    wall = np.ptp(points @ scene.up) > 1.8 and wide > 0.9 and thin < 0.3
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0)) - scene.center
    return bool(wall and middle @ eye > 0.0)


def _few(names: Iterable[str], most: int = 6) -> str:
    held = list(names)
    return ", ".join(held[:most]) + (" ..." if len(held) > most else "")


def _of_figure(figure: Figure) -> View:
    front = (0.0, 0.0, 1.0) if abs(figure.up[2]) < 0.9 else (0.0, -1.0, 0.0)
    rows: list[Row] = [("joints", f"{len(figure.joints)}, {figure.dof} free", _few(figure.names))]
    for what, names in (
        ("chains", figure.chains),
        ("postures", figure.postures),
        ("landmarks", figure.landmarks),
    ):
        if names:
            rows.append((what, str(len(names)), _few(names)))
    if figure.mass:
        rows.append(("mass", f"{figure.mass:.4g} kg", ""))
    return View(
        f"Figure '{figure.name}'",
        (lambda: _png(portrait(figure, up=figure.up, front=front, height=HEIGHT)),),
        ("", "", ""),
        rows,
    )


def _of_recording(recording: Recording) -> View:
    times = recording.times
    title = f"Recording of '{recording.world.name}': {len(times)} frames"
    if len(times):
        title += f", {times[0]:.4g} s to {times[-1]:.4g} s"
    if recording.shortfall:
        title += f". {recording.shortfall}"
    pictures: list[Callable[[], bytes]] = []
    if len(times) and POSE in recording.channels:
        pictures.append(
            lambda: _figure(
                strip(recording, float(times[0]), float(times[-1]), SNAPSHOTS, log=False)
            )
        )
    if len(times) > 1 and default_paths(recording):
        pictures.append(lambda: _figure(plot(recording)))
    shown = (shown_in(recording.world.units, each)[0] for each in recording.events)
    rows = [(each.time, each.kind, each.story or ", ".join(each.who)) for each in shown]
    return View(title, tuple(pictures), ("time (s)", "event", ""), rows)


def _of_front(front: Front) -> View:
    pictures: list[Callable[[], bytes]] = []
    if front.world:
        chosen = front.q[front.chosen][None]
        pictures.append(lambda: _scene(motion_of_front(front, np.zeros(1), chosen)))
    if front.aims and len(front) > 1:
        pictures.append(lambda: _figure(plot_front(front)))
    good = front.values[~front.dominated] if (~front.dominated).any() else front.values
    rows: list[Row] = [
        (
            str(aim),
            float(front.values[front.chosen, k]),
            float(front.values[front.knee, k]),
            float(good[:, k].min()),
            float(good[:, k].max()),
        )
        for k, aim in enumerate(front.aims)
    ]
    title = f"Front of '{front.figure}': {front.summary()}"
    return View(title, tuple(pictures), ("aim", "chosen", "knee", "least", "most"), rows)


def _of_reach(reached: ReachMap) -> View:
    title = f"Reach of {reached.person or 'a person'} in '{reached.world}'"
    ways = list(dict.fromkeys((*reached.parts, *(each.mobility for each in reached.verdicts))))
    said: dict[str, dict[str, str]] = {}
    for each in reached.verdicts:
        said.setdefault(path_of(each.asked), {})[each.mobility] = _verdict(each)
    rows: list[Row] = [(name, *(by.get(way, "") for way in ways)) for name, by in said.items()]
    if len(reached.points):
        shares = (
            f"{reached.parts[way].share(ACCESSIBLE):.1%}" if way in reached.parts else ""
            for way in ways
        )
        rows.insert(0, ("share of all points", *shares))
    pictures = (lambda: _figure(map_figure(reached)),) if len(reached.points) else ()
    return View(title, pictures, ("reached", *ways), rows)


def _verdict(verdict: Verdict) -> str:
    if verdict.accessible:
        return f"yes, {verdict.hand} hand" if verdict.hand else "yes"
    why = verdict.reason.name.lower().replace("_", " ")
    return f"{SAID[verdict.label]}: {why} {verdict.obstacle}".strip()


def _of_move(move: CameraMove) -> View:
    rows: list[Row] = [
        (name, float(values.min()), float(values.max())) for name, values in move.optics.items()
    ]
    for k, axis in enumerate("xyz"):
        place = move.X_WC[:, k, 3]
        rows.append((f"{axis} (m)", float(place.min()), float(place.max())))
    return View(
        repr(move),
        (lambda: _curves(move.times, {"camera (m)": (tuple("xyz"), move.X_WC[:, :3, 3])}),),
        ("", "least", "most"),
        rows,
    )


def _of_verdict(verdict: FilmVerdict) -> View:
    numbers, times = verdict.move.numbers, verdict.move.times
    rows = [
        (f"{numbers[a]} to {numbers[b]}", f"{times[a]:.3f} s", VERDICTS[state], why)
        for a, b, state, why in verdict.spans()
    ]
    shares = np.stack([verdict.speed, verdict.acceleration], axis=1)
    panels = {
        "joints (rad, m)": (verdict.joints, verdict.q),
        "share of limit": (("speed", "acceleration"), shares),
    }
    bad = np.asarray(verdict.state != OK)
    return View(
        repr(verdict),
        (lambda: _curves(times, panels, bad),),
        ("frames", "from", "verdict", "why"),
        rows,
    )


def _of_carried(carried: CarriedMove) -> View:
    rows = [
        (name, float(q.min()), float(q.max()), float(np.abs(rate).max()))
        for name, q, rate in zip(carried.joints, carried.q.T, carried.rates.T, strict=True)
    ]
    return View(
        repr(carried),
        (lambda: _curves(carried.times, {"joints (rad, m)": (carried.joints, carried.q)}),),
        ("joint (rad, m)", "least", "most", "fastest (/s)"),
        rows,
    )


def _curves(
    times: npt.NDArray[Any],
    panels: dict[str, tuple[tuple[str, ...], npt.NDArray[Any]]],
    marked: npt.NDArray[np.bool_] | None = None,
) -> bytes:
    """Return curves over time, a panel for each unit; ``marked`` instants are shaded."""
    from matplotlib.figure import Figure as Drawing

    with drawing():
        figure = Drawing(figsize=(7.0, 0.6 + 1.9 * len(panels)), layout="constrained")
        axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for axis, (unit, (names, values)) in zip(axes, panels.items(), strict=True):
            for number, name in enumerate(names):
                axis.plot(times, values[:, number], color=INKS[number % len(INKS)], label=name)
            if marked is not None and marked.any():
                color = np.array(JOINT) / 255
                within = axis.get_xaxis_transform()
                axis.fill_between(
                    times, 0.0, 1.0, where=marked, transform=within, color=color, alpha=0.25, lw=0
                )
            axis.set_ylabel(unit)
            axis.grid(visible=True)
            axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8)
        axes[-1].set_xlabel("time (s)")
    return _figure(figure)


_VIEWS: Final[dict[type, Callable[[Any], View]]] = {
    World: _of_world,
    Figure: _of_figure,
    Recording: _of_recording,
    Front: _of_front,
    ReachMap: _of_reach,
    CameraMove: _of_move,
    FilmVerdict: _of_verdict,
    CarriedMove: _of_carried,
}
"""How a value of each kind is shown; a kind that is ``Shown`` has its row."""
