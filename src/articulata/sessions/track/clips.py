"""Motion capture as what an emulated wearer does: a BVH, or an AMC with its skeleton beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from articulata.analyses.track.body import TrackedBody, tracked_body
from articulata.analyses.track.retargeting import Limb, retargeted
from articulata.errors import ArticulataError, FormatError
from articulata.formats.asfamc.amc_motion import parse_amc
from articulata.formats.asfamc.asf_skeleton import Skeleton, parse_asf
from articulata.formats.bvh.bvh_figures import figure_of_bvh
from articulata.formats.bvh.text import parse_bvh
from articulata.geometry.arrays import Array
from articulata.kinematics.figure import Figure

CLIPS = (".bvh", ".amc")
"""Files of motion capture."""

BONES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "r": (
        ("r_upper_arm", "rightarm", "rightupperarm", "rightshoulder"),
        ("r_forearm", "rightforearm", "rightlowerarm", "rightelbow"),
        ("r_hand", "righthand", "rightwrist"),
    ),
    "l": (
        ("l_upper_arm", "leftarm", "leftupperarm", "leftshoulder"),
        ("l_forearm", "leftforearm", "leftlowerarm", "leftelbow"),
        ("l_hand", "lefthand", "leftwrist"),
    ),
}
"""What upper arms, forearms and hands are called in BVH files, in small letters; first found."""


def clip_of(file: Path, body: TrackedBody) -> Callable[[float], Array]:
    """Return what ``body`` does, (dof,) rad at a time in s, who moves as a clip does, repeated."""
    try:
        if file.suffix.lower() == ".bvh":
            figure, clip = figure_of_bvh(parse_bvh(file.read_text("utf-8")))
            limbs = _named(figure, file)
        else:
            skeleton = _skeleton(file)
            figure, clip = skeleton.figure, parse_amc(file.read_text("ascii"), skeleton)
            other = tracked_body(figure)
            limbs = {
                side: Limb(arm.root, (arm.links[0], arm.links[1], arm.links[2]))
                for side, arm in zip(other.sides, other.arms.each, strict=True)
            }
    except (OSError, UnicodeError) as error:
        raise ArticulataError(f"{file} cannot be read: {error}") from None
    except FormatError as error:
        raise FormatError(f"{file}: {error}") from None
    found = retargeted(figure, limbs, clip.q, body)
    times, last = clip.times - clip.times[0], len(clip.times) - 1

    def posture(time: float) -> Array:
        at = time % float(times[-1]) if last and times[-1] > 0.0 else 0.0
        k = int(np.clip(np.searchsorted(times, at, side="right") - 1, 0, max(last - 1, 0)))
        if not last:
            return np.asarray(found[0])
        share = (at - times[k]) / (times[k + 1] - times[k])
        return np.asarray(found[k] + share * (found[k + 1] - found[k]))

    return posture


def _skeleton(file: Path) -> Skeleton:
    """Return the skeleton of an AMC: 02.asf of 02_01.amc, else the only one beside it."""
    beside = file.with_name(f"{file.stem.partition('_')[0]}.asf")
    if not beside.exists():
        others = sorted(file.parent.glob("*.asf"))
        if len(others) != 1:
            raise ArticulataError(
                f"{file} has no skeleton beside it; put its .asf into the same folder, as"
                f" {beside.name}"
            )
        (beside,) = others
    return parse_asf(beside.read_text("ascii"))


def _named(figure: Figure, file: Path) -> dict[str, Limb]:
    """Return arms of a BVH by the names of its bones: a bone's last joint carries it."""
    links: dict[str, tuple[int, int]] = {}
    for number, joint in enumerate(figure.joints):
        bone = joint.name.rpartition(" ")[0] or joint.name
        word = bone.rpartition(":")[2].lower()
        links[word] = (links.get(word, (number, number))[0], number)
    found = {}
    for side, parts in BONES.items():
        chosen = [next((links[w] for w in words if w in links), None) for words in parts]
        upper, forearm, hand = chosen
        if upper and forearm and hand:
            found[side] = Limb(figure.parents[upper[0]], (upper[1], forearm[1], hand[1]))
    if not found:
        raise FormatError(
            f"no arm is found by the names of its bones ({', '.join(sorted(links)[:8])} ...);"
            " an arm is RightArm, RightForeArm, RightHand, or r_upper_arm, r_forearm, r_hand"
        )
    return found
