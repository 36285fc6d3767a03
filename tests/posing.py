"""Questions of pose that several tests ask, and slow ways to answer them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import articulata as art

Array = npt.NDArray[np.float64]

REACH = {"r_shoulder_flexion": 0.8, "r_elbow_flexion": 1.2, "r_shoulder_rotation": 0.2}


def person() -> tuple[art.Figure, Array]:
    """Return a person and the pose of the right hand in a posture that reaches forward."""
    figure = art.figure("human_upper_body")
    return figure, figure.landmark(figure.vector(REACH), "right hand")


def seven_joints() -> art.Figure:
    """Return an arm like an iiwa as a figure, its tip called ``tip``."""
    quarter = np.pi / 2
    alpha = [-quarter, quarter, quarter, -quarter, -quarter, quarter, 0.0]
    d = [0.34, 0.0, 0.40, 0.0, 0.40, 0.0, 0.126]
    limits = np.radians([170, 120, 170, 120, 170, 120, 175])
    rows = [art.DH(d=d[i], alpha=alpha[i], limits=(-limits[i], limits[i])) for i in range(7)]
    chain = art.Chain.standard_dh(rows, name="seven")
    last = chain.joints[-1].name
    return art.Figure(
        chain.joints, [-1, *range(6)], name="seven", landmarks={"tip": art.Landmark(last)}
    )


def dominates(a: Array, b: Array) -> bool:
    """Return whether values a are nowhere above b and somewhere below."""
    return all(x <= y for x, y in zip(a, b, strict=True)) and any(
        x < y for x, y in zip(a, b, strict=True)
    )


def plain_front(values: Array) -> list[int]:
    """Return the rows that no other dominates, each compared with each."""
    return [
        i for i in range(len(values)) if not any(dominates(other, values[i]) for other in values)
    ]
