// One quantity over time, with its unit, the events and the present moment.

const INKS = ["#1f6feb", "#d9480f", "#2b8a3e", "#ae4bc8", "#0c8599", "#d6336c", "#a67817", "#7d858d"];

function ticks(low, high, count) {
  const span = high - low || 1, raw = span / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999);
  const out = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-9; v += step) out.push(Math.abs(v) < step * 1e-9 ? 0 : v);
  return { values: out, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}

function label(value, digits) {
  if (value === 0) return "0";
  if (Math.abs(value) >= 1e5 || Math.abs(value) < 1e-4) return value.toExponential(1);
  return value.toFixed(Math.min(digits, 6)).replace("-", "\u2212");
}

function reading(value) {
  if (!Number.isFinite(value)) return "\u2013";
  const text = value !== 0 && (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-4) ? value.toExponential(3) : value.toPrecision(5);
  return text.replace("-", "\u2212");
}

class Plot {
  constructor(canvas, values, recording, seek) {
    Object.assign(this, { canvas, table: values, recording, chosen: 0 });
    const at = (e) => {
      const box = canvas.getBoundingClientRect();
      const part = (e.clientX - box.left - this.left) / Math.max(1, box.width - this.left - this.right);
      seek(this.first + Math.max(0, Math.min(1, part)) * (this.last - this.first));
    };
    this.left = 52; this.right = 8;
    canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); at(e); });
    canvas.addEventListener("pointermove", (e) => { if (e.buttons) at(e); });
    this.choose(0);
  }

  choose(index) {
    this.chosen = index;
    const series = this.recording.series[index], times = this.recording.times;
    this.first = times[0]; this.last = times[times.length - 1];
    let low = Infinity, high = -Infinity;
    if (series) for (const v of series.values) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
    if (!(low <= high)) { low = -1; high = 1; }
    // A constant is drawn in the middle, not as noise over the whole height.
    const flat = Math.max(Math.abs(low), Math.abs(high), 1e-12) * 1e-7;
    if (high - low < flat) { low -= Math.max(flat, Math.abs(low) * 0.1, 0.5e-6); high += Math.max(flat, Math.abs(high) * 0.1, 0.5e-6); }
    const room = (high - low) * 0.06;
    this.low = low - room; this.high = high + room;
    this.table.replaceChildren();
    this.cells = [];
    if (!series) return;
    series.parts.forEach((name, i) => {
      const swatch = document.createElement("i"), text = document.createElement("span"), value = document.createElement("b");
      swatch.style.background = INKS[i % INKS.length];
      text.textContent = name;
      this.table.append(swatch, text, value);
      this.cells.push(value);
    });
    this.picture = null;
  }

  // Everything but the present moment, drawn once.
  background(width, height, scale, colors) {
    const picture = document.createElement("canvas");
    picture.width = width * scale; picture.height = height * scale;
    const g = picture.getContext("2d");
    g.scale(scale, scale);
    g.font = letters(11);
    g.fillStyle = colors.soft; g.strokeStyle = colors.rule; g.lineWidth = 1;
    const series = this.recording.series[this.chosen], top = 18, bottom = 22;
    const x = (t) => this.left + ((t - this.first) / (this.last - this.first || 1)) * (width - this.left - this.right);
    const y = (v) => top + ((this.high - v) / (this.high - this.low)) * (height - top - bottom);
    Object.assign(this, { x, top, foot: height - bottom });
    g.textBaseline = "middle"; g.textAlign = "right";
    const rows = ticks(this.low, this.high, 4);
    for (const v of rows.values) {
      g.beginPath(); g.moveTo(this.left, y(v)); g.lineTo(width - this.right, y(v)); g.stroke();
      g.fillText(label(v, rows.digits), this.left - 6, y(v));
    }
    g.textBaseline = "top"; g.textAlign = "center";
    const columns = ticks(this.first, this.last, Math.max(2, Math.floor(width / 80)));
    for (const t of columns.values) if (x(t) < width - 24) g.fillText(label(t, columns.digits), x(t), this.foot + 6);
    g.textAlign = "right"; g.fillText("s", width - 2, this.foot + 6);
    if (series.unit) g.fillText(series.unit, this.left - 6, 1);
    g.strokeStyle = colors.mark; g.globalAlpha = 0.55; g.setLineDash([3, 3]);
    for (const event of this.recording.events.slice(0, 400)) { g.beginPath(); g.moveTo(x(event.time), top); g.lineTo(x(event.time), this.foot); g.stroke(); }
    g.globalAlpha = 1; g.setLineDash([]);
    g.save(); g.beginPath(); g.rect(this.left, top - 4, width - this.left - this.right, this.foot - top + 8); g.clip();
    const parts = series.parts.length, times = this.recording.times, stride = Math.max(1, Math.floor(times.length / (width * 8)));
    g.lineWidth = 1.5; g.lineJoin = "round";
    for (let p = 0; p < parts; p++) {
      g.strokeStyle = INKS[p % INKS.length];
      g.beginPath();
      let pen = false;
      for (let i = 0; i < times.length; i += stride) {
        const v = series.values[i * parts + p];
        if (!Number.isFinite(v)) { pen = false; continue; }
        if (pen) g.lineTo(x(times[i]), y(v)); else g.moveTo(x(times[i]), y(v));
        pen = true;
      }
      g.stroke();
    }
    g.restore();
    return picture;
  }

  draw(frame, time, colors) {
    const series = this.recording.series[this.chosen];
    if (!series) return;
    const { canvas } = this, scale = Math.min(window.devicePixelRatio || 1, 3);
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !height) return;
    const wide = Math.round(width * scale), high = Math.round(height * scale);
    if (canvas.width !== wide || canvas.height !== high) { canvas.width = wide; canvas.height = high; this.picture = null; }
    if (!this.picture || this.ink !== colors.ink) { this.picture = this.background(width, height, scale, colors); this.ink = colors.ink; }
    const g = canvas.getContext("2d");
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, wide, high);
    g.drawImage(this.picture, 0, 0);
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.strokeStyle = colors.ink; g.lineWidth = 1;
    const now = Math.round(this.x(time)) + 0.5;
    g.beginPath(); g.moveTo(now, this.top - 4); g.lineTo(now, this.foot + 4); g.stroke();
    const parts = series.parts.length;
    this.cells.forEach((cell, p) => { cell.textContent = `${reading(series.values[frame * parts + p])} ${series.unit}`; });
  }
}
