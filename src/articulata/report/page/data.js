// What the page shows: arrays in base64, decoded once, and the pose of a body at any time.

// A canvas is told in pixels what the page tells in the letters of its reader.
const letters = (size) => `${size / 16 * parseFloat(getComputedStyle(document.documentElement).fontSize)}px system-ui, sans-serif`;

function bytes(text) {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out.buffer;
}

function decodeRecording(text) {
  const recording = JSON.parse(text);
  recording.times = new Float64Array(bytes(recording.times));
  recording.poses = new Float32Array(bytes(recording.poses));
  recording.present = recording.present === null ? null : new Uint8Array(bytes(recording.present));
  for (const mesh of recording.meshes) {
    mesh.vertices = new Float32Array(bytes(mesh.vertices));
    mesh.normals = new Float32Array(bytes(mesh.normals));
    mesh.triangles = new Uint32Array(bytes(mesh.triangles));
  }
  for (const arrows of recording.arrows) arrows.values = new Float32Array(bytes(arrows.values));
  if (recording.film) recording.film.upwards = new Float64Array(bytes(recording.film.upwards));
  for (const series of recording.series) series.values = new Float64Array(bytes(series.values));
  return recording;
}

// The last frame at or before `time`.
function frameAt(times, time) {
  let low = 0, high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time) low = middle; else high = middle - 1;
  }
  return low;
}

// Write the pose (x y z, w x y z) of body `index` at `time` into `out`; return whether it is there.
// Between two frames it is interpolated for the eye; the frames themselves are shown exactly.
function poseAt(recording, index, frame, time, out) {
  const body = recording.bodies[index];
  if (body.slot === null) { out.set(body.pose); return true; }
  const count = recording.moving, last = recording.times.length - 1;
  if (recording.present && !recording.present[frame * count + body.slot]) return false;
  const from = (frame * count + body.slot) * 7;
  const start = recording.times[frame];
  let part = 0;
  if (frame < last && time > start) {
    const length = recording.times[frame + 1] - start;
    const there = !recording.present || recording.present[(frame + 1) * count + body.slot];
    part = length > 0 && there ? Math.min(1, (time - start) / length) : 0;
  }
  const to = part > 0 ? from + count * 7 : from, p = recording.poses;
  let dot = 0;
  for (let i = 3; i < 7; i++) dot += p[from + i] * p[to + i];
  const sign = dot < 0 ? -1 : 1;
  for (let i = 0; i < 7; i++) {
    const other = i < 3 ? p[to + i] : sign * p[to + i];
    out[i] = part === 0 ? p[from + i] : (1 - part) * p[from + i] + part * other;
  }
  const length = Math.hypot(out[3], out[4], out[5], out[6]) || 1;
  for (let i = 3; i < 7; i++) out[i] /= length;
  return true;
}

function turned(pose, point) {
  const [x, y, z] = point, w = pose[3], a = pose[4], b = pose[5], c = pose[6];
  const tx = 2 * (b * z - c * y), ty = 2 * (c * x - a * z), tz = 2 * (a * y - b * x);
  return [
    pose[0] + x + w * tx + b * tz - c * ty,
    pose[1] + y + w * ty + c * tx - a * tz,
    pose[2] + z + w * tz + a * ty - b * tx,
  ];
}

// How far along the ray from `eye` a mesh is met, both in the mesh's own frame; Infinity: nowhere.
function meets(mesh, eye, ray) {
  const { vertices: v, triangles: t } = mesh;
  if (mesh.reach === undefined) {
    mesh.reach = 0;
    for (let i = 0; i < v.length; i += 3) mesh.reach = Math.max(mesh.reach, Math.hypot(v[i], v[i + 1], v[i + 2]));
  }
  if (Math.hypot(...cross(eye, ray)) > mesh.reach) return Infinity; // it passes by all of it
  let nearest = Infinity;
  for (let i = 0; i < t.length; i += 3) {
    // Moeller and Trumbore 1997: barycentric coordinates of where the ray meets the plane.
    const [a, b, c] = [t[i], t[i + 1], t[i + 2]].map((k) => [v[3 * k], v[3 * k + 1], v[3 * k + 2]]);
    const ab = sub(b, a), ac = sub(c, a), p = cross(ray, ac), det = dot3(ab, p);
    if (Math.abs(det) < 1e-15) continue;
    const from = sub(eye, a), q = cross(from, ab), x = dot3(from, p) / det, y = dot3(ray, q) / det, away = dot3(ac, q) / det;
    if (x >= 0 && y >= 0 && x + y <= 1 && away > 0 && away < nearest) nearest = away;
  }
  return nearest;
}

// The number of the body that a ray (of length 1) from `eye` meets first, or null.
function bodyAlong(recording, frame, time, eye, ray) {
  const pose = new Float32Array(7);
  let nearest = Infinity, met = null;
  recording.bodies.forEach(({ mesh }, index) => {
    if (mesh === null || !poseAt(recording, index, frame, time, pose)) return;
    const back = [0, 0, 0, pose[3], -pose[4], -pose[5], -pose[6]];
    const away = meets(recording.meshes[mesh], turned(back, sub(eye, pose)), turned(back, ray));
    if (away < nearest) { nearest = away; met = index; }
  });
  return met;
}
