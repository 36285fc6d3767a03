// What every page has: the scene, its colours by day and by night, and what asks for a new picture.

const $ = (id) => document.getElementById(id);
const recording = decodeRecording($("recording").textContent);
const camera = new Camera(recording.scene, recording.near);
let painter = null, colors = null, dirty = true;
let looks = camera, held = false; // whose picture is drawn, and whether it stays so

// Draw what `eye` sees: the page's own camera, or that of a film in the shape of its picture.
function seeThrough(eye) {
  if (held) return;
  looks = eye;
  $("scene").classList.toggle("through", eye !== camera);
  dirty = true;
}

function triple(name) {
  const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
}

function readColors() {
  const text = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const dark = matchMedia("(prefers-color-scheme: dark)").matches && !document.documentElement.classList.contains("printing");
  colors = { paper: triple("--paper"), line: triple("--grid"), dark: dark ? 0.55 : 0.32, ink: text("ink"), soft: text("soft"), rule: text("line"), accent: text("accent"), mark: text("mark"), faint: text("faint") };
  dirty = true;
}

const fit = () => { camera.fit(); seeThrough(camera); };

function paint() {
  try {
    painter = new Painter($("view"), recording);
  } catch (error) {
    const note = document.createElement("p");
    note.className = "message";
    note.textContent = `The scene cannot be drawn here (${error.message}); all else is shown.`;
    $("scene").append(note);
  }
  dirty = true;
}

// The body that was clicked, and what is seen now.
let picked = null, seen = [0, 0];

function pickBody(event) {
  const box = $("view").getBoundingClientRect();
  const right = (2 * (event.clientX - box.left)) / box.width - 1, up = 1 - (2 * (event.clientY - box.top)) / box.height;
  const met = bodyAlong(recording, ...seen, looks.eye, looks.ray(right, up));
  picked = met === picked ? null : met;
  tellPicked();
}

// Say what the clicked body is called, and where its frame is.
function tellPicked() {
  const box = $("picked");
  box.hidden = picked === null;
  if (picked === null) return;
  const pose = new Float32Array(7), name = document.createElement("b");
  name.textContent = recording.bodies[picked].name;
  if (!poseAt(recording, picked, ...seen, pose)) { box.replaceChildren(name, " is not there"); return; }
  const said = (value, digits) => String(Number(value.toFixed(digits)) + 0).replace("-", "\u2212");
  const [x, y, z] = [0, 1, 2].map((i) => said(pose[i], 4)), axis = Math.hypot(pose[4], pose[5], pose[6]);
  const degrees = (360 / Math.PI) * Math.atan2(axis, Math.abs(pose[3])), sign = Math.sign(pose[3]) || 1;
  const about = degrees < 0.05 ? "not turned" : `turned ${said(degrees, 1)}\u00b0 about (${[4, 5, 6].map((i) => said((sign * pose[i]) / axis, 3)).join(", ")})`;
  box.replaceChildren(name, ` x ${x} m, y ${y} m, z ${z} m, ${about}`);
}

// A click is where a finger or the mouse is let go where it went down.
function clicks(canvas, act) {
  let down = null;
  canvas.addEventListener("pointerdown", (e) => { down = e.isPrimary && e.button === 0 ? [e.clientX, e.clientY] : null; });
  canvas.addEventListener("pointerup", (e) => {
    if (down && Math.hypot(e.clientX - down[0], e.clientY - down[1]) < 4) act(e);
    down = null;
  });
}

// The scene as a picture; what WebGL has drawn is kept only until the page is shown.
function photo() {
  if (painter) painter.draw(colors, looks);
  return $("view").toDataURL();
}

// Paper is white, whatever the screen is.
function onPaper(on) {
  document.documentElement.classList.toggle("printing", on);
  readColors();
}

function save(address, ending) {
  const link = document.createElement("a");
  link.href = address;
  link.download = `${document.title.replace(/[^\w.-]+/g, "_") || "picture"}.${ending}`;
  link.click();
}

const savePicture = () => save(photo(), "png");

// Draw the scene as it is in `frame`, at `time`.
function picture(frame, time) {
  if (looks !== camera) looks.at(frame, time);
  if (painter) { painter.place(frame, time, looks); painter.draw(colors, looks); }
  seen = [frame, time];
  tellPicked();
  document.body.dataset.drawn = String(Number(document.body.dataset.drawn || 0) + 1);
}

function present() {
  readColors();
  paint();
  $("fit").addEventListener("click", fit);
  for (const name of ["view", "plot"]) new ResizeObserver(() => { dirty = true; }).observe($(name));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", readColors);
  $("view").addEventListener("webglcontextlost", (e) => e.preventDefault());
  $("view").addEventListener("webglcontextrestored", paint);
  steer($("view"), camera, () => seeThrough(camera));
  clicks($("view"), pickBody);
  addEventListener("beforeprint", () => { onPaper(true); draw(); $("printed").src = photo(); });
  addEventListener("afterprint", () => onPaper(false));
}
