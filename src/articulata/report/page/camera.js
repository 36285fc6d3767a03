// A camera that turns about a point: matrices are column-major, as WebGL wants them.

const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const add = (a, b, s) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot3 = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const unit = (a) => { const l = Math.hypot(...a) || 1; return [a[0] / l, a[1] / l, a[2] / l]; };

function multiply(a, b) {
  const out = new Float32Array(16);
  for (let c = 0; c < 4; c++)
    for (let r = 0; r < 4; r++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[k * 4 + r] * b[c * 4 + k];
      out[c * 4 + r] = sum;
    }
  return out;
}

function lookAt(eye, target, up) {
  const z = unit(sub(eye, target)), x = unit(cross(up, z)), y = cross(z, x);
  return new Float32Array([
    x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0,
    -dot3(x, eye), -dot3(y, eye), -dot3(z, eye), 1,
  ]);
}

function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2);
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0]);
}

function orthographic(radius, near, far) {
  return new Float32Array([1 / radius, 0, 0, 0, 0, 1 / radius, 0, 0, 0, 0, 2 / (near - far), 0, 0, 0, (far + near) / (near - far), 1]);
}

class Camera {
  constructor(scene, near) { // `near` is the part of it that is looked at first
    this.scene = scene;
    this.near = near || scene;
    this.angle = 0.6;
    // Two directions across the ground and one up: y up as in 1986, or z up.
    this.up = scene.up;
    this.ahead = scene.ahead;
    this.side = cross(this.up, this.ahead);
    this.aspect = 1;
    this.fit();
  }

  fit() {
    this.target = [...this.near.center];
    this.azimuth = this.near.azimuth ?? 0.45;
    this.elevation = 0.22;
    this.fitted = true;
    this.refit();
  }

  // Stay fitted while the window changes, until the reader has moved the camera.
  refit() {
    if (!this.fitted) return;
    const narrow = Math.min(1, this.aspect);
    this.distance = (1.12 * this.near.radius) / Math.sin(Math.atan(Math.tan(this.angle / 2) * narrow));
  }

  get direction() {
    const c = Math.cos(this.elevation), s = Math.sin(this.elevation);
    const flat = add(this.ahead.map((v) => v * Math.cos(this.azimuth)), this.side, Math.sin(this.azimuth));
    return add(flat.map((v) => v * c), this.up, s);
  }

  get eye() { return add(this.target, this.direction, this.distance); }

  turn(dx, dy) {
    this.azimuth -= dx * 0.007;
    this.elevation = Math.max(-1.5, Math.min(1.5, this.elevation + dy * 0.007));
  }

  move(dx, dy, height) {
    const z = this.direction, x = unit(cross(this.up, z)), y = cross(z, x);
    const scale = (2 * this.distance * Math.tan(this.angle / 2)) / height;
    this.target = add(add(this.target, x, -dx * scale), y, dy * scale);
    this.fitted = false;
  }

  zoom(factor) {
    const r = this.scene.radius;
    this.distance = Math.max(r * 0.02, Math.min(r * 60, this.distance * factor));
    this.fitted = false;
  }

  // The direction (of length 1) in which a point of the picture is seen, each from -1 to 1.
  ray(right, up) {
    const z = this.direction, x = unit(cross(this.up, z)), y = cross(z, x), slope = Math.tan(this.angle / 2);
    return unit(add(add(add([0, 0, 0], z, -1), x, right * slope * this.aspect), y, up * slope));
  }

  // Fit, and look from a side: angles from the front towards the right, and up.
  from(azimuth, elevation) {
    this.fit();
    Object.assign(this, { azimuth, elevation });
  }

  matrix() {
    const far = this.distance + this.scene.radius * 40;
    return multiply(perspective(this.angle, this.aspect, Math.max(this.distance * 0.02, far * 1e-4), far), lookAt(this.eye, this.target, this.up));
  }
}

// The camera of a film: it is where the body that stands for it is, which it does not see.
class FilmCamera {
  constructor(recording) {
    Object.assign(this, recording.film, { recording, pose: new Float32Array(7), angle: 0 });
    this.at(0, recording.times[0]);
  }

  at(frame, time) {
    poseAt(this.recording, this.body, frame, time, this.pose);
    const { times } = this.recording, next = Math.min(frame + 1, times.length - 1), length = times[next] - times[frame];
    const part = length > 0 ? Math.max(0, Math.min(1, (time - times[frame]) / length)) : 0;
    this.angle = (1 - part) * this.upwards[frame] + part * this.upwards[next];
  }

  get eye() { return [...this.pose.subarray(0, 3)]; }

  refit() {}

  ray(right, up) {
    const slope = Math.tan(this.angle / 2);
    return unit(sub(turned(this.pose, [right * slope * this.aspect, up * slope, -1]), this.eye));
  }

  matrix() {
    const { eye, pose } = this, { radius } = this.recording.scene, y = sub(turned(pose, [0, 1, 0]), eye);
    return multiply(perspective(this.angle, this.aspect, radius * 1e-3, radius * 80), lookAt(eye, turned(pose, [0, 0, -1]), y));
  }
}

// Mouse, touch and wheel on `canvas`; `changed` is called after each move.
function steer(canvas, camera, changed) {
  const held = new Map();
  const middle = () => { const p = [...held.values()]; return [(p[0].x + p[1].x) / 2, (p[0].y + p[1].y) / 2, Math.hypot(p[0].x - p[1].x, p[0].y - p[1].y)]; };
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    held.set(e.pointerId, { x: e.clientX, y: e.clientY });
  });
  canvas.addEventListener("pointermove", (e) => {
    const before = held.get(e.pointerId);
    if (!before) return;
    const dx = e.clientX - before.x, dy = e.clientY - before.y;
    if (held.size === 2) {
      const [x, y, gap] = middle();
      held.set(e.pointerId, { x: e.clientX, y: e.clientY });
      const [u, v, wide] = middle();
      camera.move(u - x, v - y, canvas.clientHeight);
      if (gap > 0 && wide > 0) camera.zoom(gap / wide);
    } else {
      held.set(e.pointerId, { x: e.clientX, y: e.clientY });
      if (e.shiftKey || e.buttons & 6) camera.move(dx, dy, canvas.clientHeight);
      else camera.turn(dx, dy);
    }
    changed();
  });
  const release = (e) => held.delete(e.pointerId);
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    camera.zoom(Math.exp(Math.max(-80, Math.min(80, e.deltaY)) * 0.0022));
    changed();
  }, { passive: false });
  canvas.addEventListener("dblclick", () => { camera.fit(); changed(); });
  canvas.addEventListener("keydown", (e) => {
    const turn = { ArrowLeft: [-12, 0], ArrowRight: [12, 0], ArrowUp: [0, 12], ArrowDown: [0, -12] }[e.key];
    if (turn && !e.shiftKey) camera.turn(...turn);
    else if (turn) camera.move(-turn[0] * 2, turn[1] * 2, canvas.clientHeight);
    else if (e.key === "+" || e.key === "=") camera.zoom(0.88);
    else if (e.key === "-") camera.zoom(1.14);
    else return;
    e.preventDefault();
    e.stopPropagation();
    changed();
  });
}
