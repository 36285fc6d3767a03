"""Recordings and figures as files that other programs open: the suffix says which."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from articulata.errors import FormatError
from articulata.formats import csv
from articulata.formats.bvh.bvh_figures import Clip
from articulata.formats.bvh.text import write_bvh
from articulata.formats.joint_motions import write_storage, write_trajectory
from articulata.geometry.quaternion import q_to_matrix
from articulata.kinematics.serial import Serial, units_of
from articulata.kinematics.trajectory import Trajectory
from articulata.records.files import write_whole
from articulata.records.observed import BASE, JOINT
from articulata.records.stored import several
from articulata.report.colors import screen_color
from articulata.report.plots import picture, plot
from articulata.report.recording_tables import all_paths, table
from articulata.world.unfit_arguments import not_taken

if TYPE_CHECKING:
    from articulata.formats.csv import Columns
    from articulata.kinematics.figure import Figure
    from articulata.records.recording import Recording

SUFFIXES = {
    ".html": "a replay page that opens offline",
    ".csv": "a table of quantities over time",
    ".mat": "the same for MATLAB and Octave",
    ".bvh": "a figure's motion in the bones of motion capture",
    ".mot": "joint angles in degrees for OpenSim",
    ".sto": "joint angles in radians for OpenSim",
    ".png": "a plot",
    ".svg": "a plot",
    ".pdf": "a plot",
    ".wrl": "bodies that move, in VRML97",
    ".x3d": "bodies that move, in X3D",
    ".glb": "bodies that move, in glTF",
    ".artrun": "the recording itself",
}


def export(
    source: Recording | Figure | Trajectory,
    path: str | os.PathLike[str],
    paths: str | Sequence[str] | Serial | None = None,
    *,
    every: float | None = None,
) -> None:
    """Write a recording, a figure (``.urdf``) or a trajectory (``.csv``, ``.json``) to ``path``.

    ``paths`` choose the quantities of tables and plots; None takes every channel for a table and
    what is usual for a plot. Of a motion they choose figures, and for ``.bvh`` one where there are
    several; of a trajectory they name its joints, or are its chain, which knows what slides.
    ``every`` (s), more than 0, thins the frames of a page, or is the step of a trajectory: 10 ms
    where it is not given. Its JSON is a message JointTrajectory of ROS.
    """
    from articulata.kinematics.figure import Figure
    from articulata.records.recording import Recording

    target = Path(path)
    if isinstance(source, Figure):
        _export_figure(source, target)
        return
    chain = paths if isinstance(paths, Serial) else None
    if chain is not None and not isinstance(source, Trajectory):
        raise not_taken("export", "a trajectory with a chain", source)
    if isinstance(paths, Serial):
        paths = paths.names
    chosen = None if paths is None else several(paths)
    if isinstance(source, Trajectory):
        _export_trajectory(source, target, chosen, every, chain)
        return
    if not isinstance(source, Recording):
        raise not_taken("export", "a recording, a figure or a trajectory", source)
    write_whole(target, exported(source, target.suffix.lower(), chosen, every=every))


def _export_figure(figure: Figure, target: Path) -> None:
    from articulata.formats.urdf.urdf_writer import write_urdf

    if target.suffix.lower() != ".urdf":
        raise FormatError(
            f"a figure cannot be written as '{target.suffix or 'no suffix'}'; give .urdf, which "
            "`articulata convert arm.urdf arm.xml` makes a model of MuJoCo, .sdf, .usda or .glb"
        )
    made = write_urdf(figure, target.parent, stem=target.stem)
    for name, content in made.meshes.items():
        file = target.parent / name
        file.parent.mkdir(exist_ok=True)
        write_whole(file, content)
    # The description comes last: what it names is there when it is.
    write_whole(target, made.text.encode())


def _export_trajectory(
    made: Trajectory,
    target: Path,
    joints: Sequence[str] | None,
    every: float | None,
    chain: Serial | None,
) -> None:
    import numpy as np

    from articulata.report.page.recording_page import check_interval

    check_interval(every)
    times, q = made.sampled(0.01 if every is None else every)
    _, rates, accelerations = made.at(times)
    names = [f"q{k + 1}" for k in range(q.shape[1])] if joints is None else list(joints)
    if len(names) != q.shape[1]:
        raise FormatError(f"this trajectory has {q.shape[1]} joints, and {len(names)} are named")
    units = ["rad, m" for _ in names] if chain is None else list(units_of(chain))
    if target.suffix.lower() == ".json":
        text = write_trajectory(names, times, q, rates, accelerations)
    elif target.suffix.lower() == ".csv":
        text = csv.write(
            csv.Columns(
                ("time", *names, *(f"{name} rate" for name in names)),
                ("s", *units, *(each.replace(",", "/s,") + "/s" for each in units)),
                np.column_stack([times, q, rates]),
            )
        )
    else:
        raise FormatError(
            f"a trajectory cannot be written as '{target.suffix or 'no suffix'}'; give .csv or "
            ".json"
        )
    write_whole(target, text.encode())


def exported(
    recording: Recording, suffix: str, paths: Sequence[str] | None, *, every: float | None = None
) -> bytes:
    """Return the bytes of a file with ``suffix``."""
    from articulata.report.page.recording_page import check_interval

    check_interval(every)
    if suffix == ".html":
        from articulata.report.page.recording_page import page

        return page(recording, paths, every=every).encode()
    if suffix in (".csv", ".mat"):
        made = table(recording, all_paths(recording) if paths is None else paths)
        return csv.write(made).encode() if suffix == ".csv" else _matlab(made)
    if suffix in (".mot", ".sto"):
        return _storage(recording, paths, degrees=suffix == ".mot").encode()
    if suffix == ".bvh":
        return _motion_capture(recording, paths).encode()
    if suffix in (".png", ".svg", ".pdf"):
        return picture(plot(recording, paths), suffix)
    if suffix in (".wrl", ".x3d", ".glb"):
        return _scene(recording, suffix)
    if suffix == ".artrun":
        return recording.to_bytes()
    if suffix == ".urdf":
        raise FormatError("a recording cannot be written as '.urdf', which holds a figure alone")
    if suffix == ".gltf":
        raise FormatError("glTF is written as one file that holds its buffers: give .glb")
    if suffix in (".mp4", ".webm", ".mov", ".avi", ".gif"):
        raise FormatError(f"'{suffix}' is saved by a browser: export .html, open it and press V")
    known = ", ".join(f"{each} ({what})" for each, what in SUFFIXES.items())
    raise FormatError(f"a recording cannot be written as '{suffix or 'no suffix'}'; give {known}")


def _matlab(columns: Columns) -> bytes:
    """Return a file of MATLAB 5 with ``time`` (n, 1), ``values`` (n, m), and cells of ``names``.

    The day that SciPy writes into its head is left out: the same table gives the same file.
    """
    import numpy as np
    from scipy.io import savemat

    out = io.BytesIO()
    held = {
        "time": columns.values[:, :1],
        "values": columns.values[:, 1:],
        "names": np.array(columns.names[1:], object)[:, None],
        "units": np.array(columns.units[1:], object)[:, None],
    }
    savemat(out, held)
    return b"MATLAB 5.0 MAT-file, made by Articulata".ljust(116) + out.getvalue()[116:]


def _scene(recording: Recording, suffix: str) -> bytes:
    """Return the bodies of a recording, moving, as a world of others."""
    from articulata.formats.gltf.gltf_writer import write_glb
    from articulata.formats.scenes.world_scene import scene_of_recording
    from articulata.formats.vrml.vrml_writer import write_vrml, write_x3d

    scene = scene_of_recording(recording, screen_color)
    if suffix == ".glb":
        return write_glb(scene)
    return (write_vrml if suffix == ".wrl" else write_x3d)(scene).encode()


def _motion_capture(recording: Recording, who: Sequence[str] | None) -> str:
    """Return the motion of a recording's figure, ``who`` of several, as a BVH."""
    import numpy as np

    from articulata.formats.bvh.bvh_figures import motion_of
    from articulata.kinematics.world_figure import figure_of
    from articulata.report.viewer.motion_sources import up_of

    if JOINT not in recording.channels or not len(recording.times):
        raise FormatError(
            "a motion is written of a recording with figures; this one has none. Track a person, or"
            " simulate a world with a figure"
        )
    labels = recording.channels[JOINT].labels
    bases = recording.channels[BASE].labels
    known = list(dict.fromkeys(label.partition(".")[0] for label in labels))
    chosen = known if who is None else _chosen(who, labels)
    if len(chosen) > 1:
        raise FormatError(
            f"a .bvh holds one figure, and these are {', '.join(chosen)}; name the one to write"
            f" (--of {chosen[0]})"
        )
    (name,) = chosen
    figure = figure_of(recording.world, name)
    last = np.append(np.diff(recording.times) > 0.0, True)
    columns = [labels.index(f"{name}.{joint}") for joint in figure.names]
    rows = np.array(recording.array(BASE))[last, bases.index(name)]
    X_WF = np.tile(np.eye(4), (len(rows), 1, 1))
    X_WF[:, :3, :3], X_WF[:, :3, 3] = q_to_matrix(rows[:, 3:]), rows[:, :3]
    q = np.array(recording.array(JOINT))[last][:, columns]
    clip = Clip(recording.times[last], q, X_WF)
    return write_bvh(motion_of(figure, clip, up=up_of(recording.world)))


def _chosen(who: Sequence[str], labels: Sequence[str]) -> list[str]:
    """Return figures by name that joints' ``labels`` are of."""
    known = list(dict.fromkeys(label.partition(".")[0] for label in labels))
    strange = [name for name in who if name not in known]
    if strange or not who:
        raise FormatError(
            f"the recording has no figure '{''.join(strange[:1])}'; its figures are"
            f" {', '.join(known)}"
        )
    return list(who)


def _storage(recording: Recording, who: Sequence[str] | None, *, degrees: bool) -> str:
    """Return the joint values of a recording's figures, ``who`` of them, as OpenSim reads them."""
    import numpy as np

    if JOINT not in recording.channels or not len(recording.times):
        raise FormatError(
            "joint angles are written of a recording with figures; this one has none. Track a"
            " person, or simulate a world with a figure"
        )
    # of two frames at one instant the later holds
    last = np.append(np.diff(recording.times) > 0.0, True)
    labels = list(recording.channels[JOINT].labels)
    if who is not None:
        wanted = _chosen(who, labels)
        labels = [label for label in labels if label.partition(".")[0] in wanted]
    columns = [recording.channels[JOINT].labels.index(label) for label in labels]
    values = np.array(recording.array(JOINT))[last][:, columns]
    names = [label.partition(".")[2] for label in labels]
    if len(set(names)) < len(names):
        names = labels
    shown = np.degrees(values) if degrees else values
    whose = list(dict.fromkeys(label.partition(".")[0] for label in labels))
    title = whose[0] if len(whose) == 1 else recording.world.name
    return write_storage(title, recording.times[last], names, shown, degrees=degrees)
