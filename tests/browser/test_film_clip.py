"""The page of a film saves what the film's camera sees: frames against projections."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import articulata as art
from articulata.analyses.film.film_question import setting_of
from articulata.geometry.camera import look_at
from articulata.report.export import exported
from articulata.sessions.film.results import Filmed, recorded

pytestmark = pytest.mark.browser

TEXT = """
primitive ball { properties: (fixed, color: red); geometry: sphere(10 cm) }
primitive block { properties: (fixed); geometry: cuboid(8 m, 10 cm, 8 m) }
world room {
  components { ball: ball; block: block }
  structure {
    place ball by ball.center at (0.4 m, 1 m, -1 m)
    place block by block.center at (0, -1 m, 0)
  }
}
film shot {
  world: room
  camera: lens(28 mm) at (0, 1 m, 3 m)
  report: animation
}
"""
BALL = np.array((0.4, 1.0, -1.0))

RED = """(address) => new Promise((done) => {
  const video = document.createElement("video"), canvas = document.createElement("canvas");
  const seen = [], g = canvas.getContext("2d", { willReadFrequently: true });
  const read = () => {
    const [w, h] = [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
    g.drawImage(video, 0, 0);
    const { data } = g.getImageData(0, 0, w, h);
    let n = 0, x = 0, y = 0;
    for (let i = 0; i < w * h; i++)
      if (data[4 * i] > 2 * data[4 * i + 1] && data[4 * i] > 90) {
        n += 1; x += i % w; y += Math.floor(i / w);
      }
    seen.push([2 * x / n / w - 1, 1 - 2 * y / n / h, n, w, h]);
    video.requestVideoFrameCallback(read);
  };
  Object.assign(video, { muted: true, playbackRate: 0.25, onended: () => { read(); done(seen); } });
  video.requestVideoFrameCallback(read);
  document.body.append(video);
  video.src = address;
  video.play();
})"""
"""Where red is in the frames of a clip, -1 to 1 across and upwards, how many pixels, the size."""


def test_a_clip_of_a_film_is_what_its_camera_sees(chromium: Browser, tmp_path: Path) -> None:
    setting = setting_of(art.parse(TEXT).requests[0])
    run = recorded(setting, Filmed(_move(), None, None))
    file = tmp_path / "replay.html"
    file.write_bytes(exported(run, ".html", None, every=0.04))
    page = chromium.new_page(viewport={"width": 860, "height": 460})
    try:
        page.goto(file.as_uri())
        page.evaluate("pause()")
        page.locator("#ask").click()
        expect(page.locator("#help")).to_contain_text("save a film of what the film's camera sees")
        assert "what the film's camera sees" in str(page.locator("#film").get_attribute("title"))
        page.locator("#ask").click()
        clip = saved(page, "v", tmp_path / "through")
        at = np.linspace(0.0, 1.0, 251)  # on the way of the camera, evenly
        way = np.array([_seen(s) for s in at])
        apart = np.linalg.norm(clip[:, None, :2] - way[None], axis=2)
        assert apart.min(axis=1).max() < 0.02
        found = at[apart.argmin(axis=1)]
        assert found[0] < 0.2
        assert found[-1] > 0.98
        assert (np.diff(found) > -0.01).all()
        assert clip[0, 3] / clip[0, 4] == pytest.approx(1.5, abs=0.01)  # the shape of its sensor
        # afterwards the page looks as before; with shift a clip is that of its view
        assert page.locator("#through").get_attribute("aria-pressed") == "false"
        outside = saved(page, "Shift+V", tmp_path / "outside")
        assert outside[-1, 2] < 0.1 * clip[-1, 2]
        page.keyboard.press("c")
        assert page.evaluate("looks === lens")
        page.locator("#fit").click()
        assert page.evaluate("looks === camera")
    finally:
        page.close()


def _move() -> art.CameraMove:
    eyes = np.linspace((0.0, 1.0, 3.0), (1.5, 1.6, 2.0), 26)
    targets = np.linspace((-0.6, 1.0, -1.0), (0.9, 0.7, -1.0), 26)
    return art.CameraMove(
        look_at(eyes, targets), 25, optics={"focal": np.linspace(0.028, 0.050, 26)}
    )


def _seen(share: float) -> np.ndarray:
    """Return where the ball is in the camera's picture, a ``share`` of its way on."""
    eye = np.array((0.0, 1.0, 3.0)) + share * np.array((1.5, 0.6, -1.0))
    target = np.array((-0.6, 1.0, -1.0)) + share * np.array((1.5, -0.3, 0.0))
    return art.Camera(art.Lens(0.028 + share * 0.022)).project(BALL, look_at(eye, target))


def saved(page: Page, key: str, clip: Path) -> np.ndarray:
    """Save a clip by ``key``; return what is red in its frames, as ``RED`` tells it."""
    with page.expect_download() as download:
        page.keyboard.press(key)
    download.value.save_as(clip)
    kind = download.value.suggested_filename.rpartition(".")[2]
    address = f"data:video/{kind};base64,{base64.b64encode(clip.read_bytes()).decode()}"
    browser = page.context.browser
    assert browser is not None
    reader = browser.new_page()
    try:
        return np.array(reader.evaluate(RED, address))
    finally:
        reader.close()
