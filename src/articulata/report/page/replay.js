// Time: what plays, what is shown, and the controls that change it.

const { times, events } = recording;
const last = times.length - 1;
const PLAY = '<svg viewBox="0 0 16 16"><path d="M3 1.5v13l11-6.500z"/></svg>';
const PAUSE = '<svg viewBox="0 0 16 16"><path d="M3 2h4v12H3zM9 2h4v12H9z"/></svg>';
const SPEEDS = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10, 30];
const digits = Math.max(1, Math.min(4, Math.ceil(-Math.log10((times[last] - times[0]) / Math.max(1, last) || 1))));

let time = times[0], frame = 0, playing = false, speed = 1, loop = true, before = null, film = null;
const lens = recording.film ? new FilmCamera(recording) : null;
const happenings = new Happenings(recording, $("log"), $("marks"), $("tip"), digits, (t) => { pause(); show(t); });
const plot = new Plot($("plot"), $("values"), recording, (t) => { pause(); show(t); });

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
  if (film) film.end();
  $("play").innerHTML = PLAY; $("play").setAttribute("aria-label", "Play");
}

// Play the run once from its beginning, and save what is drawn meanwhile as the browser writes films:
// of a film what its camera sees, or the view of the page.
function saveFilm(view) {
  if (film) { pause(); return; }
  const back = looks;
  seeThrough(lens && !view ? lens : camera);
  held = true;
  show(times[0], 0);
  draw(); // its size is known before it is captured
  const kind = ["video/mp4", "video/webm"].find((each) => MediaRecorder.isTypeSupported(each)), parts = [], looped = loop;
  film = new MediaRecorder($("view").captureStream(60), { mimeType: kind, videoBitsPerSecond: 1.6e7 });
  film.ondataavailable = (e) => parts.push(e.data);
  film.onstop = () => {
    held = false;
    seeThrough(back);
    save(URL.createObjectURL(new Blob(parts, { type: kind })), kind.slice(6));
  };
  film.end = () => {
    setTimeout(film.stop.bind(film), 200);  // the last frame is drawn first
    film = null;
    setLoop(looped); $("film").setAttribute("aria-pressed", "false");
  };
  setLoop(false); $("film").setAttribute("aria-pressed", "true");
  film.start();
  play();
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
  picture(frame, time);
  plot.draw(frame, time, colors);
  $("through").setAttribute("aria-pressed", String(looks !== camera));
  $("clock").textContent = `${time.toFixed(digits).replace("-", "\u2212")} s`;
  $("time").value = String(frame);
  $("time").setAttribute("aria-valuetext", `${time.toFixed(digits)} seconds`);
  document.body.dataset.frame = String(frame);
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
  $("series").addEventListener("change", () => { plot.choose($("series").selectedIndex); dirty = true; });
  const ask = () => { $("help").hidden = !$("help").hidden; $("ask").setAttribute("aria-expanded", String(!$("help").hidden)); };
  $("ask").addEventListener("click", ask);
  $("print").addEventListener("click", () => print());
  $("film").hidden = !window.MediaRecorder || last < 1;
  $("film").addEventListener("click", (e) => saveFilm(e.shiftKey));
  $("through").hidden = !lens;
  if (lens) $("scene").style.setProperty("--aspect", lens.aspect);
  const through = () => { if (lens) seeThrough(looks === lens ? camera : lens); };
  $("through").addEventListener("click", through);
  const look = (azimuth, elevation) => { camera.from(azimuth, elevation); seeThrough(camera); };
  const keys = {
    " ": () => (playing ? pause() : play()), ArrowLeft: (e) => step(e.shiftKey ? -10 : -1), ArrowRight: (e) => step(e.shiftKey ? 10 : 1),
    Home: () => step(-last), End: () => step(last), ",": () => toEvent(-1), ".": () => toEvent(1),
    "+": () => setSpeed($("speed").selectedIndex + 1), "=": () => setSpeed($("speed").selectedIndex + 1), "-": () => setSpeed($("speed").selectedIndex - 1),
    l: () => setLoop(!loop), f: fit, n: (e) => step(e.shiftKey ? 10 : 1), b: (e) => step(e.shiftKey ? -10 : -1), p: savePicture, v: (e) => { if (!$("film").hidden) saveFilm(e.shiftKey); }, c: through,
    1: () => look(0, 0), 2: () => look(Math.PI / 2, 0), 3: () => look(0, 1.5), "?": ask, Escape: () => { if (!$("help").hidden) ask(); },
  };
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.tagName === "SELECT") return;
    if (e.key === " " && e.target.tagName === "BUTTON") return;
    const act = keys[e.key] || keys[e.key.toLowerCase()];
    if (!act) return;
    e.preventDefault();
    act(e);
  });
}

fill();
bind();
present();
setSpeed(SPEEDS.indexOf(1));
pause();
show(times[0], 0);
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) play();
requestAnimationFrame(tick);
