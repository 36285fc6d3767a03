// Time: what plays, what is shown, and the controls that change it.

const $ = (id) => document.getElementById(id);
const recording = decodeRecording($("recording").textContent);
const { times, events } = recording;
const last = times.length - 1;
const PLAY = '<svg viewBox="0 0 16 16"><path d="M3 1.5v13l11-6.500z"/></svg>';
const PAUSE = '<svg viewBox="0 0 16 16"><path d="M3 2h4v12H3zM9 2h4v12H9z"/></svg>';
const SPEEDS = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10, 30];
const digits = Math.max(1, Math.min(4, Math.ceil(-Math.log10((times[last] - times[0]) / Math.max(1, last) || 1))));

let time = times[0], frame = 0, playing = false, speed = 1, loop = true, dirty = true, before = null;
let painter = null, colors = null;
const camera = new Camera(recording.scene);
const happenings = new Happenings(recording, $("log"), $("marks"), $("tip"), digits, (t) => { pause(); show(t); });
const plot = new Plot($("plot"), $("values"), recording, (t) => { pause(); show(t); });

function triple(name) {
  const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
}

function readColors() {
  const text = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  colors = { paper: triple("--paper"), line: triple("--grid"), dark: dark ? 0.55 : 0.32, ink: text("--ink"), soft: text("--soft"), rule: text("--line"), mark: text("--mark") };
  dirty = true;
}

// Show the moment `t`; `exact` names the frame where several share one time.
function show(t, exact) {
  time = Math.max(times[0], Math.min(times[last], t));
  frame = exact === undefined ? frameAt(times, time) : exact;
  dirty = true;
}

const step = (count) => { pause(); const to = Math.max(0, Math.min(last, frame + count)); show(times[to], to); };

function play() {
  if (last < 1) return;
  if (time >= times[last]) show(times[0], 0);
  playing = true; before = null;
  $("play").innerHTML = PAUSE; $("play").setAttribute("aria-label", "Pause");
}

function pause() {
  playing = false;
  $("play").innerHTML = PLAY; $("play").setAttribute("aria-label", "Play");
}

function setSpeed(index) {
  const at = Math.max(0, Math.min(SPEEDS.length - 1, index));
  speed = SPEEDS[at];
  $("speed").selectedIndex = at;
}

function setLoop(on) { loop = on; $("loop").setAttribute("aria-pressed", String(on)); }

function toEvent(direction) {
  const found = direction > 0 ? events.find((e) => e.time > time + 1e-9) : events.findLast((e) => e.time < time - 1e-9);
  if (found) happenings.go(events.indexOf(found));
}

function tick(now) {
  if (playing) {
    const passed = before === null ? 0 : Math.min(0.1, (now - before) / 1000) * speed;
    before = now;
    if (time + passed < times[last]) show(time + passed);
    else if (loop) show(times[0]);
    else { show(times[last], last); pause(); }
  }
  if (dirty) { dirty = false; draw(); }
  requestAnimationFrame(tick);
}

function draw() {
  if (painter) { painter.place(frame, time); painter.draw(colors); }
  plot.draw(frame, time, colors);
  $("clock").textContent = `${time.toFixed(digits).replace("-", "\u2212")} s`;
  $("time").value = String(frame);
  $("time").setAttribute("aria-valuetext", `${time.toFixed(digits)} seconds`);
  document.body.dataset.frame = String(frame);
  document.body.dataset.drawn = String(Number(document.body.dataset.drawn || 0) + 1);
  // The event of the last half second of what is seen, or of the frame that is shown.
  const window_ = Math.max(0.5 * speed, (times[last] - times[0]) / Math.max(1, last));
  const recent = events.findLast((e) => e.time <= time + 1e-9 && e.time > time - window_);
  $("story").textContent = recent ? recent.story || recent.kind : "";
  happenings.present(time);
}

function fill() {
  $("time").max = String(last);
  for (const s of SPEEDS) $("speed").add(new Option(`${s}\u00d7`, String(s)));
  recording.series.forEach((series, i) => $("series").add(new Option(series.unit ? `${series.name} (${series.unit})` : series.name, String(i))));
  if (!recording.series.length) document.querySelector(".plots").hidden = true;
  for (const arrows of recording.arrows) {
    const button = document.createElement("button"), swatch = document.createElement("i");
    swatch.style.background = `rgb(${arrows.color.map((c) => Math.round(255 * c)).join(" ")})`;
    button.append(swatch, arrows.label);
    button.title = `A usual arrow stands for ${reading(arrows.usual)} N`;
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => setForces(arrows.kind, button));
    $("tools").append(button);
  }
}

function setForces(kind, button) {
  const shown = painter && painter.arrows ? painter.arrows.shown : new Set();
  if (!shown.delete(kind)) shown.add(kind);
  button.setAttribute("aria-pressed", String(shown.has(kind)));
  dirty = true;
}

function bind() {
  $("play").addEventListener("click", () => (playing ? pause() : play()));
  $("back").addEventListener("click", () => step(-1));
  $("next").addEventListener("click", () => step(1));
  // A hand on the time line that is near an event means the event.
  $("time").addEventListener("input", () => {
    pause();
    const to = Number($("time").value), event = happenings.near(times[to], 0.004 * (times[last] - times[0]));
    if (event === null) show(times[to], to); else show(event);
  });
  $("speed").addEventListener("change", () => setSpeed($("speed").selectedIndex));
  $("loop").addEventListener("click", () => setLoop(!loop));
  $("fit").addEventListener("click", () => { camera.fit(); dirty = true; });
  $("series").addEventListener("change", () => { plot.choose($("series").selectedIndex); dirty = true; });
  const ask = () => { $("help").hidden = !$("help").hidden; $("ask").setAttribute("aria-expanded", String(!$("help").hidden)); };
  $("ask").addEventListener("click", ask);
  const keys = {
    " ": () => (playing ? pause() : play()), ArrowLeft: (e) => step(e.shiftKey ? -10 : -1), ArrowRight: (e) => step(e.shiftKey ? 10 : 1),
    Home: () => step(-last), End: () => step(last), ",": () => toEvent(-1), ".": () => toEvent(1),
    "+": () => setSpeed($("speed").selectedIndex + 1), "=": () => setSpeed($("speed").selectedIndex + 1), "-": () => setSpeed($("speed").selectedIndex - 1),
    l: () => setLoop(!loop), f: () => { camera.fit(); dirty = true; }, "?": ask, Escape: () => { if (!$("help").hidden) ask(); },
  };
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.tagName === "SELECT") return;
    if (e.key === " " && e.target.tagName === "BUTTON") return;
    const act = keys[e.key] || keys[e.key.toLowerCase()];
    if (!act) return;
    e.preventDefault();
    act(e);
  });
  new ResizeObserver(() => { dirty = true; }).observe($("view"));
  new ResizeObserver(() => { dirty = true; }).observe($("plot"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", readColors);
  $("view").addEventListener("webglcontextlost", (e) => e.preventDefault());
  $("view").addEventListener("webglcontextrestored", begin);
  steer($("view"), camera, () => { dirty = true; });
}

function begin() {
  try {
    painter = new Painter($("view"), recording, camera);
  } catch (error) {
    const note = document.createElement("p");
    note.className = "message";
    note.textContent = `The scene cannot be drawn here (${error.message}); plots and events are shown.`;
    $("scene").append(note);
  }
  dirty = true;
}

readColors();
fill();
bind();
begin();
setSpeed(SPEEDS.indexOf(1));
pause();
show(times[0], 0);
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) play();
requestAnimationFrame(tick);
