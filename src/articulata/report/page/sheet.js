// What every page has: the scene, its colours by day and by night, and what asks for a new picture.

const $ = (id) => document.getElementById(id);
const recording = decodeRecording($("recording").textContent);
const camera = new Camera(recording.scene);
let painter = null, colors = null, dirty = true;

function triple(name) {
  const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
}

function readColors() {
  const text = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  colors = { paper: triple("--paper"), line: triple("--grid"), dark: dark ? 0.55 : 0.32, ink: text("ink"), soft: text("soft"), rule: text("line"), accent: text("accent"), mark: text("mark"), faint: text("faint") };
  dirty = true;
}

const fit = () => { camera.fit(); dirty = true; };

function paint() {
  try {
    painter = new Painter($("view"), recording, camera);
  } catch (error) {
    const note = document.createElement("p");
    note.className = "message";
    note.textContent = `The scene cannot be drawn here (${error.message}); all else is shown.`;
    $("scene").append(note);
  }
  dirty = true;
}

// Draw the scene as it is in `frame`, at `time`.
function picture(frame, time) {
  if (painter) { painter.place(frame, time); painter.draw(colors); }
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
  steer($("view"), camera, () => { dirty = true; });
}
