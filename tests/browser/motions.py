"""A motion made by hand for the tests of viewers, and waiting for what a slow machine does late."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from playwright.sync_api import Page

from articulata.errors import NameNotFound
from articulata.geometry.arrays import Array
from articulata.geometry.shapes import Cuboid
from articulata.records.events import Event
from articulata.report.arrows import Arrows
from articulata.report.viewer.motion_sources import Look, Motion


def swinging(title: str = "swing", color: tuple[int, int, int] = (200, 60, 50)) -> Motion:
    """A rod that swings below a driver without a body, 10 s, 20 frames a second."""
    times = np.arange(200) * 0.05
    angle = 0.9 * np.sin(2 * times)
    poses = np.zeros((200, 2, 7))
    poses[:, :, 3] = 1.0
    poses[:, 1, 0], poses[:, 1, 1] = 1.5 * np.sin(angle), -1.5 * np.cos(angle)
    poses[:, 1, 3], poses[:, 1, 6] = np.cos(angle / 2), np.sin(angle / 2)
    forces = np.zeros((200, 1, 6))
    forces[:, 0, 4] = 60.0

    def series(path: str) -> tuple[Array, str]:
        if path != "swing.angle":
            raise NameNotFound(f"there is no quantity {path!r}")
        return angle, "rad"

    return Motion(
        title,
        (Look("driver", None, (90, 90, 90)), Look("rod", Cuboid(1.0, 3.0, 1.0), color)),
        times,
        poses,
        (0.0, 1.0, 0.0),
        (Event(2.0, "impact", story="rod hits the stop"), Event(5.0, "break")),
        (Arrows("hinge", forces),),
        {"swing": ("angle",)},
        series,
    )


def until(holds: Callable[[], bool], page: Page, seconds: float = 120.0) -> None:
    """Wait until ``holds``: a slow machine draws late, but it draws."""
    for _ in range(int(seconds / 0.1)):
        if holds():
            return
        page.wait_for_timeout(100)
    assert holds()


def choose(page: Page, label: str, option: str) -> None:
    """Choose an option of the control called ``label``."""
    page.locator(f"xpath=//*[text()='{label}']/following::input[1]").click()
    page.get_by_role("option", name=option, exact=True).click()


def on_screen(page: Page, clients: Mapping[int, Any], point: Array) -> tuple[float, float]:
    """Where a point (3,) in W is on the page, by the browser's own camera."""
    (client,) = clients.values()
    camera, box = client.camera, page.locator("canvas").first.bounding_box()
    assert box is not None
    ahead = np.asarray(camera.look_at) - np.asarray(camera.position)
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, np.asarray(camera.up_direction))
    right /= np.linalg.norm(right)
    away = point - np.asarray(camera.position)
    scale = box["height"] / 2 / np.tan(camera.fov / 2) / (away @ ahead)
    x = box["x"] + box["width"] / 2 + scale * (away @ right)
    return x, box["y"] + box["height"] / 2 - scale * (away @ np.cross(right, ahead))
