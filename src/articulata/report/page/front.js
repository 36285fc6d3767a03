// The postures of a front: a slider and a plot choose one, tables say what it costs.

const { aims, values, utopia, image } = recording;
const last = values.length - 1;
const ROOM = { left: 54, right: 10, top: 8, bottom: 30 };
let number = recording.chosen;

const said = (value) => (value !== 0 && (Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3) ? value.toExponential(3) : value.toPrecision(4)).replace("-", "\u2212");
const named = (aim) => (aim.unit ? `${aim.name} (${aim.unit})` : aim.name);

function row(...cells) {
  const made = document.createElement("tr");
  for (const cell of cells) { const td = document.createElement("td"); td.textContent = cell; made.append(td); }
  return made;
}

function take(to) {
  number = Math.max(0, Math.min(last, to));
  $("time").value = String(number);
  const why = number === recording.chosen ? ", chosen" : number === recording.knee ? ", knee" : "";
  $("where").textContent = `posture ${number} of ${values.length}${why}`;
  $("time").setAttribute("aria-valuetext", $("where").textContent);
  $("values").replaceChildren(...aims.map((aim, k) => row(named(aim), said(values[number][k]), said(utopia[k]))));
  $("joints").replaceChildren(...recording.coordinates.map((joint) => row(joint.name, `${joint.values[number].toFixed(1).replace("-", "\u2212")} ${joint.unit}`)));
  $("binds").textContent = [recording.labels[number], recording.binds[number]].filter(Boolean).join("; ");
  document.body.dataset.posture = String(number);
  dirty = true;
}

// What is on an axis: the number of the aim, and where a value lies on it.
function axis(select, from, to) {
  const k = Number(select.value);
  const all = [...values, ...image, utopia].map((v) => v[k]).filter(Number.isFinite);
  let low = Math.min(...values.map((v) => v[k]), utopia[k]), high = Math.max(...values.map((v) => v[k]), utopia[k]);
  const wide = high - low || Math.abs(high) || 1;
  // of what is attainable only what lies about the front is worth the room
  low = Math.max(Math.min(...all), low - 0.6 * wide); high = Math.min(Math.max(...all), high + 0.6 * wide);
  const room = 0.05 * (high - low || wide);
  low -= room; high += room;
  return { k, low, high, at: (v) => from + ((v - low) / (high - low)) * (to - from) };
}

function drawPlot() {
  const canvas = $("plot"), scale = Math.min(devicePixelRatio || 1, 2);
  const width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = Math.round(width * scale); canvas.height = Math.round(height * scale);
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.font = letters(11);
  const x = axis($("across"), ROOM.left, width - ROOM.right), y = axis($("up"), height - ROOM.bottom, ROOM.top);
  pen.strokeStyle = colors.rule; pen.fillStyle = colors.soft; pen.lineWidth = 1;
  const marks = (low, high) => {
    const raw = (high - low) / 4, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999), out = [];
    for (let v = Math.ceil(low / step) * step; v <= high; v += step) out.push(Number(v.toPrecision(8)));
    return out;
  };
  pen.textAlign = "center"; pen.textBaseline = "top";
  for (const v of marks(x.low, x.high)) {
    pen.beginPath(); pen.moveTo(x.at(v), ROOM.top); pen.lineTo(x.at(v), height - ROOM.bottom); pen.stroke();
    pen.fillText(String(v).replace("-", "\u2212"), x.at(v), height - ROOM.bottom + 3);
  }
  pen.textAlign = "right"; pen.textBaseline = "middle";
  for (const v of marks(y.low, y.high)) {
    pen.beginPath(); pen.moveTo(ROOM.left, y.at(v)); pen.lineTo(width - ROOM.right, y.at(v)); pen.stroke();
    pen.fillText(String(v).replace("-", "\u2212"), ROOM.left - 4, y.at(v));
  }
  pen.save();
  pen.beginPath(); pen.rect(ROOM.left, ROOM.top, width - ROOM.left - ROOM.right, height - ROOM.top - ROOM.bottom); pen.clip();
  const dot = (v, radius) => { pen.beginPath(); pen.arc(x.at(v[x.k]), y.at(v[y.k]), radius, 0, 7); };
  pen.fillStyle = colors.faint;
  for (const v of image) { dot(v, 1.5); pen.fill(); }
  pen.fillStyle = colors.accent;
  for (const v of values) { dot(v, 2); pen.fill(); }
  pen.strokeStyle = colors.ink; pen.lineWidth = 1.5;
  const kneeAt = values[recording.knee];
  pen.strokeRect(x.at(kneeAt[x.k]) - 4, y.at(kneeAt[y.k]) - 4, 8, 8);
  pen.fillStyle = colors.ink; pen.font = letters(16); pen.textAlign = "center"; pen.textBaseline = "middle";
  pen.fillText("\u2605", x.at(utopia[x.k]), y.at(utopia[y.k]));
  pen.strokeStyle = colors.mark; pen.lineWidth = 2.5;
  dot(values[number], 6); pen.stroke();
  pen.restore();
  return { x, y };
}

function draw() {
  picture(number, recording.times[number]);
  drawPlot();
}

function tick() {
  if (dirty) { dirty = false; draw(); }
  requestAnimationFrame(tick);
}

function pick(event) {
  const box = $("plot").getBoundingClientRect(), { x, y } = drawPlot();
  const px = event.clientX - box.left, py = event.clientY - box.top;
  let best = 0, least = Infinity;
  values.forEach((v, i) => {
    const away = (x.at(v[x.k]) - px) ** 2 + (y.at(v[y.k]) - py) ** 2;
    if (away < least) { least = away; best = i; }
  });
  take(best);
}

function best(k) {
  let found = 0;
  values.forEach((v, i) => { if (aims[k].high ? v[k] > values[found][k] : v[k] < values[found][k]) found = i; });
  return found;
}

function fill() {
  $("time").max = String(last);
  aims.forEach((aim, k) => {
    $("across").add(new Option(named(aim), String(k))); $("up").add(new Option(named(aim), String(k)));
    const button = document.createElement("button");
    button.textContent = `Best ${aim.name}`;
    button.title = aim.source;
    button.addEventListener("click", () => take(best(k)));
    $("bests").append(button, " ");
  });
  $("up").value = String(Math.min(1, aims.length - 1));
}

fill();
present();
$("time").addEventListener("input", () => take(Number($("time").value)));
$("knee").addEventListener("click", () => take(recording.knee));
for (const name of ["across", "up"]) $(name).addEventListener("change", () => { dirty = true; });
$("plot").addEventListener("pointerdown", (e) => { $("plot").setPointerCapture(e.pointerId); pick(e); });
$("plot").addEventListener("pointermove", (e) => { if (e.buttons) pick(e); });
addEventListener("keydown", (e) => {
  if (e.target.tagName === "SELECT" || e.target === $("view") || e.target.type === "range") return;
  const to = { ArrowLeft: number - 1, ArrowRight: number + 1, Home: 0, End: last }[e.key];
  if (to !== undefined) { e.preventDefault(); take(to); }
});
take(recording.chosen);
requestAnimationFrame(tick);
