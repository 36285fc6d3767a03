"use strict";
const at = (id) => document.getElementById(id);
const COLORS = {
  follows: "#2e9e5b", rests: "#8d99a8", recorded: "#b8c4d4", slowed: "#e0a800", passes: "#7b61d1", brakes: "#e8702a",
  stopped: "#d03a2f", changes: "#1f6feb", "too fast": "#e0a800", "not reached": "#d03a2f", strikes: "#8a1f63",
};
const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
const held = new Set();
const pads = { move: [0, 0], rise: [0, 0], turn: [0, 0], bank: [0, 0] };
let flow = null, latest = null, sent = "", quiet = 0, writing = 0;
window.film = { latest: () => latest, send: (message) => flow.send(JSON.stringify(message)) };

function say() {
  clearTimeout(writing);
  writing = 0;
  show(latest);
}

function connect() {
  flow = new WebSocket(location.href.replace(/^http/, "ws").replace(/\/film.*/, "/flow"));
  flow.onmessage = (event) => {
    const state = JSON.parse(event.data);
    if (state.preparing) {
      at("state").textContent = state.message || state.preparing;
      return;
    }
    moves += latest && latest.pictures !== state.pictures ? 1 : 0;
    latest = state;
    // what is written is painted again: all at once and, where pictures are slow, with the main view
    if (!writing) writing = setTimeout(say, 2 * views.main.gap);
  };
  flow.onopen = () => {
    // one after the other: the main view is asked for first
    for (const id of ["main", "camera"]) {
      if (at(id).src) continue;
      at(id).src = `${at(id).dataset.src}?fixedDpr=${window.devicePixelRatio}`;
      if (SOFTWARE) plain(id, at(id).contentWindow);
    }
  };
  flow.onclose = () => {
    at("state").textContent = "the session has ended, or is out of reach";
    at("why").textContent = "";
    setTimeout(connect, 2000);
  };
}

// viser's own panel is empty here
function tidy(frame) {
  frame.addEventListener("load", () => {
    const style = frame.contentDocument.createElement("style");
    style.textContent = "[class*='mantine-Paper-root'], [class*='mantine-Notification'] { display: none !important; }";
    frame.contentDocument.head.append(style);
  });
}
tidy(at("main"));
tidy(at("camera"));

// ---- pictures: the camera's come first

const GOOD = 20; // pictures/s of the camera below which the main view, then sharpness, is given up
const RATIOS = [1, 0.7, 0.5]; // of the picture's own pixels, while things move
const REST = 200; // ms without news after which a view is drawn sharp, and seldom
// without a graphics card smoothed edges cost as much as a picture: what rests is drawn finer instead
const SOFTWARE = (() => {
  const gl = document.createElement("canvas").getContext("webgl");
  const told = gl && gl.getExtension("WEBGL_debug_renderer_info");
  const name = told ? gl.getParameter(told.UNMASKED_RENDERER_WEBGL) : "";
  if (gl) gl.getExtension("WEBGL_lose_context").loseContext();
  return /swiftshader|llvmpipe|softpipe|basic render/i.test(name);
})();
const FINE = SOFTWARE ? 1.5 : 1;
// as soon as the window of a view is there, and before it draws
function plain(id, before) {
  const frame = at(id).contentWindow, prototype = frame.HTMLCanvasElement && frame.HTMLCanvasElement.prototype;
  if (!prototype || frame.location.href === "about:blank") return setTimeout(plain, 1, id, before);
  const made = prototype.getContext;
  prototype.getContext = function (kind, wish) {
    return made.call(this, kind, kind.startsWith("webgl") ? { ...wish, antialias: false } : wish);
  };
}
const fresh = () => ({ drawn: 0, all: 0, rate: 0, gap: 0, coarse: SOFTWARE ? 1 : 0, news: 0, told: 0, idle: [], renderer: null });
const views = { main: fresh(), camera: fresh() };
// what a view draws anew counts, not what it draws again
function count(id) {
  const mutable = at(id).contentWindow.__viserMutable, view = views[id];
  if (!mutable || !mutable.scene) return setTimeout(count, 100, id);
  let last = "", inner = mutable.requestRender;
  Object.defineProperty(mutable, "requestRender", {
    get: () => () => { view.news = performance.now(); inner(); },
    set: (to) => { inner = to; },
  });
  mutable.scene.onBeforeRender = () => { for (const mesh of view.idle) mesh.visible = false; };
  mutable.scene.onAfterRender = (renderer, scene, camera) => {
    view.renderer = renderer;
    const now = camera.matrixWorld.elements.map((x) => x.toFixed(6)).join();
    if (id === "main" || now !== last) view.drawn += 1;
    last = now;
  };
}
// what fills a whole picture and shows nothing; the camera sees the world, not the grid beneath it
function look(id) {
  const mutable = at(id).contentWindow && at(id).contentWindow.__viserMutable;
  if (!mutable || !mutable.scene) return;
  const found = [];
  mutable.scene.traverse((mesh) => {
    const uniforms = mesh.isMesh && mesh.material.uniforms;
    if (!uniforms) return;
    if (mesh.material === mutable.backgroundMaterial) {
      if (!uniforms.enabled.value) found.push(mesh);
    } else if (id === "camera" && uniforms.cellSize) found.push(mesh);
  });
  views[id].idle = found;
}
// a view draws at most once in gap milliseconds, and seldom where nothing is new
function pace(id) {
  const frame = at(id).contentWindow, ask = frame.requestAnimationFrame.bind(frame), view = views[id];
  let last = 0;
  frame.requestAnimationFrame = (draw) => ask(function wait(now) {
    const rests = performance.now() - view.news > REST, old = view.told === view.news;
    if (now !== last) {
      if (now - last < (rests || !old || id === "main" ? view.gap : REST)) return ask(wait);
      const ratio = frame.devicePixelRatio * (rests ? FINE : RATIOS[view.coarse]);
      if (view.renderer && view.renderer.getPixelRatio() !== ratio) view.renderer.setPixelRatio(ratio);
    }
    last = now;
    view.told = view.news;
    if (id === "main" && writing) say();
    draw(now);
  });
}
for (const id of ["main", "camera"]) at(id).addEventListener("load", () => { pace(id); count(id); });
let since = performance.now(), moves = 0;
setInterval(() => {
  const now = performance.now(), seconds = (now - since) / 1000, { main, camera } = views;
  since = now;
  for (const [id, view] of Object.entries(views)) {
    look(id);
    view.rate = view.drawn / seconds;
    view.all += view.drawn;
    view.drawn = 0;
  }
  // what stands still is not slow
  const moving = moves / seconds > 5;
  moves = 0;
  if (moving && camera.rate < GOOD) {
    // the farther off, the more at once: nobody waits ten seconds for pictures that move
    for (let steps = camera.rate < 0.5 * GOOD ? 3 : 1; steps > 0; steps -= 1) {
      if (main.coarse < 2) main.coarse += 1;
      else if (main.gap < 500) main.gap = Math.min(2 * main.gap + 100, 500);
      else if (camera.coarse < 2) camera.coarse += 1;
    }
  } else if (camera.rate > 1.4 * GOOD) {
    if (camera.coarse) camera.coarse -= 1;
    else if (main.gap > 30) main.gap /= 1.5;
    else if (main.coarse) main.coarse -= 1;
    else main.gap = 0;
  }
  // what is not drawn need not be sent
  if (moving && flow && flow.readyState === 1) film.send({ set: "pictures", to: Math.max(camera.rate, 5) });
  at("rate").textContent = camera.rate >= 1 ? ` ${camera.rate.toFixed(0)} pictures/s` : "";
}, 1000);
Object.defineProperty(window.film, "count", { get: () => views.camera.all + views.camera.drawn });
window.film.rates = () => ({ main: views.main.rate, camera: views.camera.rate, gap: views.main.gap, coarse: [views.main.coarse, views.camera.coarse] });

// ---- the device: keys and pads

const KEYS = {
  KeyD: [0, 1], KeyA: [0, -1], KeyE: [1, 1], KeyQ: [1, -1], KeyS: [2, 1], KeyW: [2, -1],
  ArrowUp: [3, 1], ArrowDown: [3, -1], ArrowLeft: [4, 1], ArrowRight: [4, -1], KeyZ: [5, 1], KeyX: [5, -1],
};
function listen(target) {
  target.addEventListener("keydown", (event) => {
    if (event.code in KEYS && !event.ctrlKey && !event.metaKey && event.target.tagName !== "SELECT") {
      held.add(event.code);
      event.preventDefault();
      event.stopPropagation(); // the main view has keys of its own: these fly the camera
    }
    if (event.key === "Shift") held.add("Shift");
    if ((event.code === "KeyR" || event.code === "KeyF") && !event.ctrlKey && !event.metaKey) {
      zoom(event.code === "KeyR" ? 1.08 : 1 / 1.08);
      event.preventDefault();
      event.stopPropagation();
    }
  }, true);
  target.addEventListener("keyup", (event) => { held.delete(event.key === "Shift" ? "Shift" : event.code); }, true);
  target.addEventListener("blur", () => held.clear());
}
listen(window);
at("main").addEventListener("load", () => listen(at("main").contentWindow));

function report() {
  const r = [pads.move[0], -pads.rise[1], pads.move[1], -pads.turn[1], -pads.turn[0], -pads.bank[1]];
  const full = held.has("Shift") ? 0.45 : 1.0;
  for (const code of held) if (code in KEYS) r[KEYS[code][0]] += KEYS[code][1] * full;
  return r.map((x) => Math.max(-1, Math.min(1, x)));
}
setInterval(() => {
  if (!flow || flow.readyState !== 1) return;
  const r = report(), text = JSON.stringify(r);
  quiet = r.some((x) => x !== 0) ? 0 : quiet + 1;
  // a device that is let go says so, then is silent
  if (quiet < 5 || text !== sent) flow.send(JSON.stringify({ report: r }));
  sent = text;
}, 20);

function pad(name) {
  const canvas = at(name), flat = canvas.width < 40;
  const draw = () => {
    const g = canvas.getContext("2d"), w = canvas.width, h = canvas.height;
    g.clearRect(0, 0, w, h);
    g.fillStyle = ink("--well"); g.strokeStyle = ink("--rim");
    g.beginPath();
    if (flat) g.roundRect(1, 1, w - 2, h - 2, w / 2 - 1); else g.arc(w / 2, h / 2, w / 2 - 1, 0, 7);
    g.fill(); g.stroke();
    const reach = h / 2 - 13, [x, y] = pads[name];
    g.fillStyle = ink(x || y ? "--blue" : "--soft");
    g.beginPath(); g.arc(w / 2 + (flat ? 0 : x * reach), h / 2 + y * reach, 11, 0, 7); g.fill();
  };
  const move = (event) => {
    const box = canvas.getBoundingClientRect(), reach = box.height / 2 - 13;
    let x = flat ? 0 : (event.clientX - box.left - box.width / 2) / reach;
    let y = (event.clientY - box.top - box.height / 2) / reach;
    const size = Math.max(1, Math.hypot(x, y));
    pads[name] = [x / size, y / size];
    draw();
  };
  canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); move(event); });
  canvas.addEventListener("pointermove", (event) => { if (canvas.hasPointerCapture(event.pointerId)) move(event); });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { pads[name] = [0, 0]; draw(); });
  draw();
}
["move", "rise", "turn", "bank"].forEach(pad);

// ---- wishes

const FLAGS = ["look", "horizon", "hold", "dominant", "reach", "follow_view"];
for (const id of ["mode", "roll", "lock"]) at(id).addEventListener("change", () => film.send({ set: id, to: at(id).value }));
for (const id of FLAGS) at(id).addEventListener("change", () => film.send({ set: id, to: at(id).checked }));
for (const id of ["record", "play", "judge", "carry", "fly", "home", "posture", "export"]) {
  at(id).addEventListener("click", () => { film.send({ do: id }); at(id).blur(); });
}
for (const id of ["focus", "iris", "eye", "speed", "share"]) at(id).addEventListener("change", () => film.send({ set: id, to: Number(at(id).value) }));
// by ratios: 20 to 40 mm is as far as 40 to 80 mm
const focal = (part) => latest.zoom[0] * (latest.zoom[1] / latest.zoom[0]) ** part;
at("focal").addEventListener("input", () => { if (latest) film.send({ set: "focal", to: focal(Number(at("focal").value)) }); });
function zoom(by) {
  if (latest) film.send({ set: "focal", to: Math.min(latest.zoom[1], Math.max(latest.zoom[0], latest.focal * by * by * by)) });
}
const line = at("line");
let seeking = false;
function seek(event) {
  if (!latest || !latest.duration) return;
  const box = line.getBoundingClientRect();
  film.send({ do: "seek", to: Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) * latest.duration });
}
line.addEventListener("pointerdown", (event) => { seeking = true; line.setPointerCapture(event.pointerId); seek(event); });
line.addEventListener("pointermove", (event) => { if (seeking) seek(event); tell(event); });
line.addEventListener("pointerup", () => { seeking = false; });

function tell(event) {
  const box = line.getBoundingClientRect(), n = latest ? latest.frames : 0;
  const k = Math.floor((event.clientX - box.left) / box.width * n);
  const span = latest && latest.spans.find(([a, b]) => a <= k && k <= b);
  line.title = span ? `frame ${latest.first + k}: ${span[2]}${span[3] ? ": " + span[3] : ""}` : "";
}

// ---- what is shown

// a text that is written again is laid out and painted again
function write(id, text) {
  if (at(id).textContent !== text) at(id).textContent = text;
}

function show(state) {
  write("state", state.state);
  at("state").style.borderColor = COLORS[state.state] || "";
  write("why", state.offer ? `${state.why}; ${state.offer} would go on: Other posture` : state.why);
  at("posture").disabled = !state.robot || !["flying", "recording"].includes(state.doing);
  write("message", state.message);
  write("clock", state.clock);
  write("served", state.served);
  at("record").classList.toggle("on", state.doing === "recording");
  at("play").classList.toggle("on", state.doing === "playing");
  at("carry").classList.toggle("on", state.doing === "carrying");
  at("fly").classList.toggle("on", state.doing === "flying");
  write("record", state.doing === "recording" ? "End the recording" : "Record");
  for (const id of ["mode", "roll", "lock", "speed", "share"]) if (document.activeElement !== at(id)) at(id).value = state[id];
  for (const id of FLAGS) at(id).checked = state[id];
  if (at("eye").options.length !== state.eyes.length) {
    at("eye").replaceChildren(...state.eyes.map((name, k) => new Option(k ? name : "Camera", k)));
  }
  if (document.activeElement !== at("eye")) at("eye").value = state.eye;
  if (!at("focal").matches(":active")) at("focal").value = Math.log(state.focal / state.zoom[0]) / Math.log(state.zoom[1] / state.zoom[0]);
  if (document.activeElement !== at("focus") && state.follow) at("focus").value = 0;
  if (document.activeElement !== at("iris")) at("iris").value = String([...at("iris").options].reduce((a, o) => Math.abs(o.value - state.iris) < Math.abs(a - state.iris) ? Number(o.value) : a, 1.4));
  const [near, far] = state.sharp;
  const aimed = state.aim === null ? "" : `; ${state.aim < 0.05 ? "aimed at its target" : state.aim.toFixed(1) + "\u00b0 off its target"}`;
  write("sharp", `${(1000 * state.focal).toFixed(0)} mm, focus ${state.focus < 9999 ? state.focus.toFixed(2) + " m" : "far away"}, sharp from ${near.toFixed(2)} ${far === null ? "m on" : "to " + far.toFixed(2) + " m"}${aimed}`);
  at("look").disabled = at("roll").disabled = !state.target;
  for (const id of ["judge", "carry"]) at(id).disabled = !state.robot || !state.frames;
  at("play").disabled = !state.frames;
  draw(state);
}

let painted = "";
function draw(state) {
  const now = JSON.stringify([state.spans, state.frames, state.duration, state.time, line.clientWidth, line.clientHeight]);
  if (now === painted) return;
  painted = now;
  const g = line.getContext("2d"), scale = window.devicePixelRatio || 1;
  const w = line.width = Math.round(line.clientWidth * scale), h = line.height = Math.round(line.clientHeight * scale);
  g.clearRect(0, 0, w, h);
  g.fillStyle = ink("--well"); g.fillRect(0, 0.3 * h, w, 0.45 * h);
  const seen = new Set();
  for (const [a, b, word] of state.spans) {
    g.fillStyle = COLORS[word] || "#999";
    g.fillRect(a / state.frames * w, 0.3 * h, Math.max(1, (b - a + 1) / state.frames * w), 0.45 * h);
    seen.add(word);
  }
  g.fillStyle = ink("--soft"); g.font = `${0.6875 * scale * parseFloat(getComputedStyle(document.documentElement).fontSize)}px system-ui`;
  const step = [0.5, 1, 2, 5, 10, 20, 30, 60].find((s) => state.duration / s <= 12) || 120;
  for (let t = 0; state.duration && t <= state.duration; t += step) g.fillText(`${t} s`, t / state.duration * w + 2 * scale, h - 2 * scale);
  if (state.duration) {
    g.fillStyle = ink("--ink");
    g.fillRect(Math.min(state.time / state.duration, 1) * w - scale, 0.15 * h, 2 * scale, 0.7 * h);
  }
  const words = [...seen].join();
  if (at("legend").dataset.words !== words) {
    at("legend").dataset.words = words;
    at("legend").replaceChildren(...[...seen].map((word) => {
      const span = document.createElement("span"), mark = document.createElement("i");
      mark.style.background = COLORS[word];
      span.append(mark, word);
      return span;
    }));
  }
}
connect();
