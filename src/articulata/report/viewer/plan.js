"use strict";
// Lengths are in m, x to the right and z down; a turn is about y, in degrees. People type cm.
const at = (id) => document.getElementById(id);
const esc = (s) => String(s).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const words = (name) => name.replace(/_/g, " ");
const SIGNS = { accessible: "✓", inaccessible: "✕", unfound: "?" };
const LABELS = { accessible: "reached", inaccessible: "out of reach", unfound: "not found" };
const FINGER = matchMedia("(pointer: coarse)").matches; // no keys to speak of
const TAPE = { shoulder_height: "floor to shoulder, standing", elbow_height: "floor to elbow, arm hanging", forearm_hand: "bent elbow to fingertip",
  arm_reach: "wall to thumb, arm ahead", knee_height: "sole to top of knee, sitting", sitting_height: "seat to crown",
  shoulder_width: "shoulders, widest over the muscles", hip_width: "hips, widest" };
const CALLED = { rail: "grab rail", upright_rail: "upright grab rail", folding_rail: "folding grab rail", paper: "paper holder", shower: "shower head", mixer: "shower mixer" };
const WAYS = { foot: "on foot", walker: "with a walker", wheelchair: "in a wheelchair", power_chair: "in a power chair" };
const STEP = 0.05, NEAR = 0.3, THICK = 0.1, JAMB = 0.02;
const OPENINGS = { door: { wide: 0.9, hinge: "left", swing: "in" }, window: { wide: 1.2, sill: 0.9, high: 1.2 } };
const SWINGS = { "": "an opening without a leaf", "left in": "hinge left, opens into the room", "right in": "hinge right, opens into the room",
  "left out": "hinge left, opens outwards", "right out": "hinge right, opens outwards" };

let state = null, flow = null, number = Date.now(), lasting = 0, chosen = null, mode = "", draft = [], cursor = null, aim = [0, 0], typed = "";
let held = null; // what the mouse has hold of
let override = null; // a thing as it is dragged, until the text has it
let preview = null; // corners or openings as they are dragged
let tape = []; // the ends of what is measured
let view = { x: -0.9, z: -0.9, w: 7, h: 5.4 };

function ask(what, to) {
  number += 1;
  if (!["drag", "look", "show", "draft"].includes(what)) {
    lasting = number; // the first answer of all may take seconds
    at("saved").textContent = "working ...";
    document.body.classList.add("stale");
  }
  if (flow && flow.readyState === 1) flow.send(JSON.stringify({ do: what, number, to }));
  return number;
}
// what was asked and is not answered yet is shown as asked: the next change builds on it
const pending = {};
function waiting() { for (const each of Object.values(pending)) if (state.done < each.number) each.take(); }
function asked(key, what, to, take) {
  pending[key] = { number: ask(what, to), take };
  waiting();
  show();
  return pending[key].number;
}
const toggled = (list, name, on) => [...list.filter((each) => each !== name), ...(on ? [name] : [])];
function live(on) { // nothing is asked of a program that does not answer
  for (const each of document.querySelectorAll("nav, main, aside")) each.inert = !on;
  for (const id of ["undo", "redo", "report"]) at(id).disabled ||= !on;
}
function connect() {
  flow = new WebSocket(location.origin.replace(/^http/, "ws") + "/flow");
  flow.onmessage = (event) => { live(true); state = JSON.parse(event.data); waiting(); show(); };
  flow.onclose = () => {
    at("saved").textContent = state ? `The program has ended. All is in ${state.file}; to go on: articulata draw ${state.file}` : "no program answers here";
    live(false);
    setTimeout(connect, 1500);
  };
}

// ---- geometry

const corners = () => (state && state.plan.corners) || [];
const openings = () => (preview && preview.openings) || state.plan.openings || [];
const opening = (name) => openings().find((each) => each.name === name);
const drawn = () => Boolean(state && state.plan.drawn);
const edges = () => corners().map((a, k) => ({ k, a, b: corners()[(k + 1) % corners().length] }));
const dist = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
const snap = (x, step = STEP) => Math.round(x / step) * step;
const thing = (name) => {
  const found = state.plan.things && state.plan.things.find((each) => each.name === name);
  return found && override && override.name === name ? { ...found, ...override } : found;
};
function turned(p, turn) { // the plan's x and z of a point of a thing that is turned about y
  const a = turn * Math.PI / 180;
  return [p[0] * Math.cos(a) + p[1] * Math.sin(a), -p[0] * Math.sin(a) + p[1] * Math.cos(a)];
}
function local(each, p) {
  const base = state.plan.things.find((one) => one.name === each.name);
  return turned([p[0] - base.x, p[1] - base.z], -base.turn);
}
function onto(each, p) { const [x, z] = turned(local(each, p), each.turn); return [each.x + x, each.z + z]; }
function nearestWall(p) {
  let best = null;
  for (const { k, a, b } of edges()) {
    const long = dist(a, b), d = [(b[0] - a[0]) / long, (b[1] - a[1]) / long];
    const along = (p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1], off = (p[0] - a[0]) * -d[1] + (p[1] - a[1]) * d[0];
    const away = along < 0 || along > long ? Infinity : Math.abs(off);
    if (!best || away < best.away) best = { k, a, b, d, long, along, away, turn: Math.atan2(-d[1], d[0]) * 180 / Math.PI };
  }
  return best;
}
function placed(p, each) { // near a wall a thing stands with its back to it
  const wall = nearestWall(p);
  if (wall && wall.away < NEAR) {
    const along = Math.min(Math.max(snap(wall.along), 0), wall.long);
    return { x: wall.a[0] + along * wall.d[0], z: wall.a[1] + along * wall.d[1], turn: wall.turn };
  }
  return { x: snap(p[0]), z: snap(p[1]), turn: each ? each.turn : 0 };
}
function inWall(k) { // where along a wall, and how far out of the room from its inner face
  const { a, b } = edges()[k], long = dist(a, b), d = [(b[0] - a[0]) / long, (b[1] - a[1]) / long];
  return (t, out = 0) => [a[0] + t * d[0] + out * d[1], a[1] + t * d[1] - out * d[0]];
}
function nearestOn(p, a, b) { // of a line between two points
  const d = [b[0] - a[0], b[1] - a[1]], t = Math.min(Math.max(((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / (d[0] * d[0] + d[1] * d[1] || 1), 0), 1);
  return [a[0] + t * d[0], a[1] + t * d[1]];
}
function tapeAt(p) { // where a tape is held: a corner that is near, else an edge, else the point itself
  const lines = edges().map(({ a, b }) => [a, b]);
  for (const each of openings()) lines.push([inWall(each.edge)(each.at), inWall(each.edge)(each.at + each.wide)]);
  for (const base of state.plan.things) {
    const each = thing(base.name);
    for (const ring of each.outlines) ring.forEach((q, k) => lines.push([onto(each, q), onto(each, ring[(k + 1) % ring.length])]));
  }
  for (const [near, far] of [[lines.flat(), 8], [lines.map((each) => nearestOn(p, ...each)), 12]]) {
    const best = near.reduce((a, b) => dist(p, b) < dist(p, a) ? b : a, [Infinity, 0]);
    if (dist(p, best) < far * unit) return best;
  }
  return p.map((x) => snap(x, 0.01));
}
function toWalls(each) { // from the middle of each side of a thing to the wall that it faces
  const all = each.outlines.flat().map((p) => local(each, p)), xs = all.map((p) => p[0]), zs = all.map((p) => p[1]);
  const [x0, x1, z0, z1] = [Math.min(...xs), Math.max(...xs), Math.min(...zs), Math.max(...zs)];
  return [[x0, (z0 + z1) / 2, -1, 0], [x1, (z0 + z1) / 2, 1, 0], [(x0 + x1) / 2, z0, 0, -1], [(x0 + x1) / 2, z1, 0, 1]].map(([x, z, u, v]) => {
    const q = turned([x, z], each.turn), p = [each.x + q[0], each.z + q[1]], d = turned([u, v], each.turn);
    const ways = edges().map(({ a, b }) => {
      const e = [b[0] - a[0], b[1] - a[1]], w = [a[0] - p[0], a[1] - p[1]], det = d[0] * e[1] - d[1] * e[0];
      const t = (w[0] * e[1] - w[1] * e[0]) / det, s = (w[0] * d[1] - w[1] * d[0]) / det;
      return Math.abs(det) > 1e-9 && t > 0 && s >= 0 && s <= 1 ? t : Infinity;
    });
    const far = Math.min(...ways);
    return { far, from: p, to: [p[0] + far * d[0], p[1] + far * d[1]] };
  }).filter((way) => way.far > 0.005 && way.far < Infinity);
}
function freePlace(kind) { // along the walls, clear of doors and of what stands there
  const taken = state.plan.things.flatMap((each) => each.outlines);
  for (const each of openings()) {
    const p = inWall(each.edge);
    if (each.kind === "door") taken.push([p(each.at), p(each.at + each.wide)]);
    if (each.hinge && each.swing === "in") taken.push([p(each.at, -each.wide), p(each.at + each.wide, -each.wide)]);
  }
  const half = state.palette[kind].wide / 2, deep = state.palette[kind].deep;
  let best = null;
  for (const { a, b } of edges()) {
    const long = dist(a, b);
    for (let along = half + STEP; along <= long - half - STEP + 1e-9; along += STEP) {
      const p = [a[0] + along / long * (b[0] - a[0]), a[1] + along / long * (b[1] - a[1])];
      const room = Math.min(2 * STEP, ...taken.map((ring) => {
        const u = ring.map((q) => ((q[0] - p[0]) * (b[0] - a[0]) + (q[1] - p[1]) * (b[1] - a[1])) / long);
        const v = ring.map((q) => ((q[1] - p[1]) * (b[0] - a[0]) - (q[0] - p[0]) * (b[1] - a[1])) / long);
        return Math.max(Math.min(...u) - half, -half - Math.max(...u), Math.min(...v) - deep, -Math.max(...v));
      }));
      if (!best || room > best.room + 1e-9) best = { room, p };
    }
  }
  return placed(best ? best.p : edges()[0].a);
}
function lengthened(k, long) { // the walls that stand square to it go along
  const points = corners().map((each) => [...each]), n = points.length, a = points[k], b = points[(k + 1) % n];
  const old = dist(a, b), d = [(b[0] - a[0]) / old, (b[1] - a[1]) / old], by = [d[0] * (long - old), d[1] * (long - old)];
  const go = [(k + 1) % n];
  for (let j = (k + 1) % n; ; j = (j + 1) % n) {
    const next = (j + 1) % n, e = [corners()[next][0] - corners()[j][0], corners()[next][1] - corners()[j][1]];
    if (Math.abs(e[0] * d[1] - e[1] * d[0]) < 1e-6) break;
    if (next === k) return null;
    go.push(next);
  }
  for (const j of go) points[j] = [points[j][0] + by[0], points[j][1] + by[1]];
  return points;
}
function moveWall(k, by) {
  const points = corners().map((each) => [...each]), n = points.length;
  for (const j of [k, (k + 1) % n]) points[j] = [points[j][0] + by[0], points[j][1] + by[1]];
  return points;
}
function walls(corners, openings = state.plan.openings || []) {
  return asked("walls", "walls", { corners, openings }, () => { if (drawn()) Object.assign(state.plan, { corners, openings }); });
}

// ---- the plan

let unit = 0.01; // m of a pixel
function fit() {
  const box = at("plan").getBoundingClientRect();
  if (!held) {
    const all = corners().length ? [...corners()] : [[0, 0], [5, 3.6]];
    for (const each of drawn() ? openings() : []) if (each.hinge && each.swing === "out") all.push(swing(each, each.hinge, "out").tip.map((x, k) => x - 0.35 * Math.sign(x - swing(each, each.hinge, "out").hinge[k])));
    const xs = all.map((p) => p[0]), zs = all.map((p) => p[1]);
    const pad = 0.12 + 66 * Math.max((Math.max(...xs) - Math.min(...xs)) / Math.max(box.width - 170, 50), (Math.max(...zs) - Math.min(...zs)) / Math.max(box.height - 190, 50));
    view = { x: Math.min(...xs) - pad, z: Math.min(...zs) - pad, w: Math.max(...xs) - Math.min(...xs) + 2 * pad, h: Math.max(...zs) - Math.min(...zs) + 2.3 * pad };
  }
  unit = Math.max(view.w / Math.max(box.width, 50), view.h / Math.max(box.height, 50));
  at("plan").setAttribute("viewBox", `${view.x} ${view.z} ${view.w} ${view.h}`);
}
function where(event) {
  const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(at("plan").getScreenCTM().inverse());
  return [p.x, p.y];
}
const ring = (points) => points.map((p) => p.map((x) => x.toFixed(4)).join(",")).join(" ");
const lettering = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16; // a large screen has larger ones
let letter = lettering();
const text = (p, said, more = "", size = 12) => `<text x="${p[0]}" y="${p[1]}" font-size="${size * letter * unit}" stroke-width="${3 * unit}" ${more}>${esc(said)}</text>`;
function verdict(path, who = state.shown) { return state.verdicts.find((each) => each.object === path && each.who === who); }
function worst(each) {
  const kinds = each.points.filter((p) => state.plan.objects.includes(p.path)).map((p) => (verdict(p.path) || {}).kind);
  return ["inaccessible", "unfound", "accessible"].find((kind) => kinds.includes(kind)) || "";
}
function mark(p, kind, path) {
  const r = 8 * letter * unit, shape = kind === "accessible" ? `<circle class="mark ${kind}" cx="${p[0]}" cy="${p[1]}" r="${r}"/>`
    : kind === "inaccessible" ? `<rect class="mark ${kind}" x="${p[0] - r}" y="${p[1] - r}" width="${2 * r}" height="${2 * r}"/>`
    : `<polygon class="mark ${kind}" points="${ring([[p[0], p[1] - 1.3 * r], [p[0] + 1.3 * r, p[1] + r], [p[0] - 1.3 * r, p[1] + r]])}"/>`;
  return `<g><title>${esc(`${path}: ${LABELS[kind]}`)}</title>${shape}${text(p, SIGNS[kind], 'class="sign"', 11)}</g>`;
}
function gridLines() {
  const step = 0.5, lines = [];
  for (let x = Math.floor((view.x - 9) / step) * step; x < view.x + view.w + 9; x += step) lines.push(`M${x} ${view.z - 9}V${view.z + view.h + 9}`);
  for (let z = Math.floor((view.z - 9) / step) * step; z < view.z + view.h + 9; z += step) lines.push(`M${view.x - 9} ${z}H${view.x + view.w + 9}`);
  return `<path class="grid" d="${lines.join("")}"/>`;
}
function roomShape() {
  const points = corners(), parts = [];
  if (!points.length) return "";
  parts.push(`<polygon class="floor" points="${ring(points)}"/>`);
  for (const each of state.plan.walls) parts.push(`<polygon class="wall" points="${ring(each)}"/>`);
  // walls meet in a square where the room ends
  edges().forEach(({ a, b }, k) => {
    const c = corners()[(k + 2) % points.length], d = [(b[0] - a[0]) / dist(a, b), (b[1] - a[1]) / dist(a, b)], e = [(c[0] - b[0]) / dist(b, c), (c[1] - b[1]) / dist(b, c)];
    const o = [0.1 * d[1], -0.1 * d[0]], q = [0.1 * e[1], -0.1 * e[0]];
    if (drawn() && d[0] * e[1] - d[1] * e[0] > 0.01) parts.push(`<polygon class="wall" points="${ring([b, [b[0] + o[0], b[1] + o[1]], [b[0] + o[0] + q[0], b[1] + o[1] + q[1]], [b[0] + q[0], b[1] + q[1]]])}"/>`);
  });
  for (const each of openings()) parts.push(openingShape(each));
  if (!drawn()) return parts.join("");
  for (const { k, a, b } of edges()) {
    const on = chosen && chosen.wall === k, out = 26 * letter * unit, long = dist(a, b), middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    parts.push(`<line class="edge ${on ? "on" : ""}" tabindex="0" role="button" aria-label="wall ${k + 1}, ${(100 * long).toFixed(0)} cm" data-wall="${k}" data-key="wall${k}" x1="${a[0]}" y1="${a[1]}" x2="${b[0]}" y2="${b[1]}"/>`);
    parts.push(text([middle[0] + (0.1 + out) * (b[1] - a[1]) / long, middle[1] - (0.1 + out) * (b[0] - a[0]) / long], `${+(100 * long).toFixed(1)} cm`, 'class="outside"'));
  }
  openings().forEach((each) => {
    const p = inWall(each.edge), [from, to] = [p(each.at, THICK / 2), p(each.at + each.wide, THICK / 2)];
    parts.push(`<line class="door grip" tabindex="0" role="button" aria-label="${each.kind}, ${cm(each.wide)} cm" data-opening="${esc(each.name || "")}" data-key="opening${esc(each.name || "")}" x1="${from[0]}" y1="${from[1]}" x2="${to[0]}" y2="${to[1]}"><title>${each.kind}: drag it along its wall</title></line>`);
  });
  if (chosen && chosen.opening && opening(chosen.opening)) parts.push(swingShapes(opening(chosen.opening)));
  if (preview && preview.corners) {
    parts.push(`<polygon class="draft" points="${ring(preview.corners)}"/>`);
    preview.corners.forEach((a, k) => {
      const b = preview.corners[(k + 1) % points.length];
      if (dist(a, b) > 0.01) parts.push(text([(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], `${cm(dist(a, b))} cm`));
    });
  }
  if (chosen && chosen.wall !== undefined) points.forEach((p, k) => parts.push(`<circle class="corner" data-corner="${k}" cx="${p[0]}" cy="${p[1]}" r="${6 * unit}"/>`));
  return parts.join("");
}
function openingShape(each) {
  const p = inWall(each.edge), on = chosen && chosen.opening === each.name ? " on" : "", [from, to] = [each.at, each.at + each.wide], middle = (from + to) / 2, parts = [];
  if (each.kind === "window") {
    parts.push(`<polygon class="pane${on}" points="${ring([p(from), p(to), p(to, THICK), p(from, THICK)])}"/><path class="glass" d="M${p(from, 0.05)}L${p(to, 0.05)}"/>`);
  } else if (each.hinge) {
    const { hinge, tip, arc } = swing(each, each.hinge, each.swing);
    parts.push(`<polygon class="gap" points="${ring([p(from), p(to), p(to, THICK), p(from, THICK)])}"/><path class="leaf${on}" d="M${hinge}L${tip}"/><path class="door${on}" d="${arc}"/>`);
  } else parts.push(`<path class="door${on}" d="M${p(from, 0.05)}L${p(to, 0.05)}"/>`);
  const entry = each.name === state.plan.entry && openings().filter((one) => one.kind === "door").length > 1;
  const spot = p(middle, THICK / 2), upright = Math.abs(p(1)[1] - p(0)[1]) > 0.7;
  labels.push(text(spot, entry ? "way in" : each.kind, upright ? `transform="rotate(-90 ${spot[0]} ${spot[1]})"` : "", 11));
  return parts.join("");
}
function swing(each, side, way) { // a leaf that is open, and the arc of its edge
  const p = inWall(each.edge), sign = way === "in" ? -1 : 1, face = way === "in" ? 0 : THICK, [from, to] = [each.at, each.at + each.wide];
  const [h, free] = side === "left" ? [from, to] : [to, from], hinge = p(h, face), shut = p(free, face), tip = p(h, face + sign * each.wide);
  const sweep = (shut[0] - hinge[0]) * (tip[1] - hinge[1]) - (shut[1] - hinge[1]) * (tip[0] - hinge[0]) > 0 ? 1 : 0;
  return { hinge, tip, arc: `M${shut}A${each.wide} ${each.wide} 0 0 ${sweep} ${tip}` };
}
function swingShapes(each) { // a click beside a door says how its leaf opens
  if (each.kind !== "door") return "";
  const p = inWall(each.edge), middle = each.at + each.wide / 2, parts = [];
  for (const side of ["left", "right"]) for (const way of ["in", "out"]) {
    const [s, e] = side === "left" ? [each.at, middle] : [middle, each.at + each.wide], face = way === "in" ? -0.06 : THICK + 0.06, deep = way === "in" ? -each.wide / 2 : THICK + each.wide / 2;
    const said = SWINGS[`${side} ${way}`];
    parts.push(`<g class="swing" data-swing="${side} ${way}"><title>${said}</title><path class="door" d="${swing(each, side, way).arc}"/><polygon points="${ring([p(s, face), p(e, face), p(e, deep), p(s, deep)])}"/></g>`);
  }
  return parts.join("");
}
let labels = [];
function thingShape(base) {
  const each = thing(base.name), on = chosen && chosen.thing === each.name, kind = worst(each), parts = [];
  for (const outline of each.outlines) parts.push(`<polygon points="${ring(outline.map((p) => onto(each, p)))}"/>`);
  const all = each.outlines.flat().map((p) => onto(each, p));
  if (!all.length) return "";
  const xs = all.map((p) => p[0]), zs = all.map((p) => p[1]), middle = [(Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...zs) + Math.max(...zs)) / 2];
  // what is small is taken hold of as well
  const r = 9 * unit;
  if (Math.max(...xs) - Math.min(...xs) < 2 * r || Math.max(...zs) - Math.min(...zs) < 2 * r) parts.unshift(`<rect x="${middle[0] - r}" y="${middle[1] - r}" width="${2 * r}" height="${2 * r}" fill="transparent"/>`);
  const said = `${words(each.name)}${kind ? `, ${LABELS[kind]}` : ""}`;
  let shape = `<g class="thing ${kind} ${on ? "on" : ""}" tabindex="0" role="button" aria-label="${esc(said)}" data-thing="${esc(each.name)}" data-key="thing${esc(each.name)}"><title>${esc(said)}</title>${parts.join("")}</g>`;
  const deep = Math.max(...each.outlines.flat().map((p) => local(each, p)[1]));
  const small = Math.min(Math.max(...xs) - Math.min(...xs), Math.max(...zs) - Math.min(...zs)) < 30 * letter * unit;
  const aside = turned([34 * unit * (small && on), small ? deep + 22 * letter * unit : 0], each.turn);
  const hidden = each.points.some((p) => state.plan.objects.includes(p.path) && dist(onto(each, [p.at[0], p.at[2]]), middle) < 24 * letter * unit);
  const label = text(small ? [each.x + aside[0], each.z + aside[1]] : [middle[0], middle[1] + (hidden ? 18 * letter * unit : 0)], words(each.name), "", 11);
  labels.push(label);
  if (on) {
    const tip = turned([0, deep + 26 * unit], each.turn);
    shape += `<line class="arm" x1="${each.x}" y1="${each.z}" x2="${each.x + tip[0]}" y2="${each.z + tip[1]}"/><circle class="handle" data-handle="1" cx="${each.x + tip[0]}" cy="${each.z + tip[1]}" r="${8 * unit}"><title>turn it</title></circle>`;
  }
  return shape;
}
function line(a, b, said) {
  labels.push(text([(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], said, 'class="far"', 11));
  return `<path class="far" d="M${a}L${b}"/>`;
}
function farShape() { // how far what is chosen stands from the walls
  const each = chosen && chosen.thing && thing(chosen.thing);
  if (!each || !each.outlines.length || !(held && held.moved) && !(override && override.keys)) return "";
  return toWalls(each).map((way) => line(way.from, way.to, `${(100 * way.far).toFixed(0)} cm`)).join("");
}
function tapeSaid(a, b) {
  const [dx, dz] = [Math.abs(b[0] - a[0]), Math.abs(b[1] - a[1])], slanted = Math.min(dx, dz) > 0.005;
  return `${(100 * dist(a, b)).toFixed(0)} cm` + (slanted ? ` (${(100 * dx).toFixed(0)} across, ${(100 * dz).toFixed(0)} deep)` : "");
}
function tapeShape() {
  if (mode !== "measure") return "";
  const ends = tape.length === 1 && cursor ? [tape[0], cursor] : tape, parts = [...ends, ...(cursor ? [cursor] : [])].map((p) => `<circle class="handle" cx="${p[0]}" cy="${p[1]}" r="${4 * unit}"/>`);
  return (ends.length === 2 ? `<g class="tape">${line(ends[0], ends[1], tapeSaid(...ends))}</g>` : "") + parts.join("");
}
function draftShape() {
  if (mode !== "walls" || !cursor) return "";
  const points = [...draft, cursor], last = draft[draft.length - 1], parts = [`<polyline class="draft" points="${ring(points)}"/>`];
  draft.forEach((p) => parts.push(`<circle class="corner" cx="${p[0]}" cy="${p[1]}" r="${6 * unit}"/>`));
  parts.push(`<circle class="handle" cx="${cursor[0]}" cy="${cursor[1]}" r="${4 * unit}"/>`);
  points.slice(1).forEach((p, k) => dist(p, points[k]) > 0.01 && parts.push(text([(p[0] + points[k][0]) / 2, (p[1] + points[k][1]) / 2 - 12 * unit], k === points.length - 2 && typed ? `${typed} cm` : `${(100 * dist(p, points[k])).toFixed(0)} cm`)));
  return last || draft.length === 0 ? parts.join("") : "";
}
function ghostShape() { // the opening as it would be where the mouse is
  const wall = OPENINGS[mode] && cursor && nearestWall(cursor);
  return wall && wall.away < 0.5 ? `<g opacity="0.6">${openingShape(newOpening(mode, wall.k, wall.along))}</g>` : "";
}
function personShape() {
  if (!state.person || mode) return "";
  return [["device", state.person.device], ["body", state.person.body], ["body", state.person.head || []]].map(([kind, rings]) => rings.map((each) => `<polygon class="${kind}" points="${ring(each)}"/>`).join("")).join("");
}
function marks() {
  const parts = [];
  for (const base of state.plan.things) {
    const each = thing(base.name);
    for (const p of each.points) {
      const found = state.plan.objects.includes(p.path) && verdict(p.path);
      if (found) parts.push(mark(onto(each, [p.at[0], p.at[2]]), found.kind, p.path));
    }
  }
  for (const each of openings()) for (const p of each.points || []) {
    const found = state.plan.objects.includes(p.path) && verdict(p.path);
    if (found) parts.push(mark([p.at[0], p.at[2]], found.kind, p.path));
  }
  return parts.join("");
}
function keep(box, html) { // the focus stays where it was
  if (box.last === html) return;
  const had = document.activeElement, key = had && box.contains(had) ? had.dataset.key : null;
  const open = [...box.querySelectorAll("details[open]")].map((each) => each.dataset.key);
  box.innerHTML = box.last = html;
  for (const each of box.querySelectorAll("details")) if (open.includes(each.dataset.key)) each.open = true;
  if (key) { const found = box.querySelector(`[data-key="${CSS.escape(key)}"]`); if (found) found.focus({ preventScroll: true }); }
}
function draw() {
  if (!state) return;
  fit();
  const things = state.plan.things || [];
  // what hangs is drawn over what stands; what is chosen over all
  labels = [];
  keep(at("plan"), gridLines() + roomShape() + things.map(thingShape).join("") + (state.plan.things ? personShape() + marks() : "") + farShape() + tapeShape() + ghostShape() + labels.join("") + draftShape());
  at("start").hidden = corners().length > 0 || draft.length > 0;
  const last = draft.length > 0;
  at("hint").textContent = mode === "walls" ? (last ? (FINGER ? "Tap the next corner; tap the first corner to close the room." : "Click the next corner, or type the wall's length and press Enter. Click the first corner to close the room; Esc takes one back.") : "Click the first corner of the room. A square of the grid is 50 cm.")
    : mode === "measure" ? (tape.length === 2 ? `${tapeSaid(...tape)}. Click where to measure next; Esc ends it.` : `Click the ${tape.length ? "second" : "first"} end of what is measured; it holds on to corners and edges.`)
    : OPENINGS[mode] ? `Click the wall that the ${mode} is in.` : chosen && chosen.opening ? `Drag it along its wall${FINGER ? "" : ", or move it by the arrow keys"}. A click beside a door says how its leaf opens.` : chosen && chosen.thing ? (FINGER ? "Drag it. The buttons Turn left, Turn right and Take away stand with its sizes." : "Drag it, or move it by the arrow keys. R turns it, Delete takes it away.") : "";
}

// ---- panels

const busy = (box) => box.contains(document.activeElement) && document.activeElement.dirty;
const cm = (metres) => metres === undefined ? "" : +(100 * metres).toFixed(2);
function field(label, key, value, more = "", after = "cm") {
  return `<label for="${key}">${esc(label)}</label><span><input id="${key}" data-key="${key}" type="number" step="any" value="${value}" ${more}> ${after}</span>`;
}
function ticks(points) {
  const list = points.map((p) => {
    const on = state.plan.objects.includes(p.path), found = on && verdict(p.path);
    return `<li><label><input type="checkbox" data-tick="${esc(p.path)}" data-key="tick${esc(p.path)}" ${on ? "checked" : ""}>${esc(words(p.name))}</label>${found ? ` <span class="sign ${found.kind}">${SIGNS[found.kind]}</span>` : ""}</li>`;
  }).join("");
  return list ? `<b>What is to be reached</b><ul>${list}</ul>` : "";
}
function openingPanel(each) {
  const door = each.kind === "door", now = each.hinge ? `${each.hinge} ${each.swing}` : "", entry = each.name === state.plan.entry;
  const sizes = [["width", "wide", each.wide], ...(door ? [] : [["height", "high", each.high], ["sill above the floor", "sill", each.sill]]), ["from the wall's left end", "at", each.at]];
  return `<h2>${esc(words(each.name))}</h2><div class="fields">${sizes.map(([label, key, value]) => field(label, `opening-${key}`, cm(value), "min=0")).join("")}</div>`
    + (door ? `<label for="swing">Its leaf, seen from the room</label><div class="row"><select id="swing" data-key="swing">${Object.entries(SWINGS).map(([value, said]) => `<option value="${value}" ${value === now ? "selected" : ""}>${said}</option>`).join("")}</select></div>
      <div class="row"><label><input type="checkbox" id="entry" data-key="entry" ${entry ? "checked disabled" : ""}>people come in here</label></div>` : "")
    + ticks(each.points || []) + `<div class="row"><button data-do="unopen" data-key="unopen" title="Delete">Take away</button></div>`;
}
function chosenPanel() {
  if (chosen && chosen.wall !== undefined && drawn() && edges()[chosen.wall]) {
    const { k, a, b } = edges()[chosen.wall], mine = openings().filter((each) => each.edge === k && each.name);
    return `<h2>Wall ${k + 1}</h2><div class="fields">${field("long", "wall-long", cm(dist(a, b)), "min=10")}</div><div class="row">`
      + mine.map((each) => `<button data-open="${esc(each.name)}" data-key="open${esc(each.name)}">${esc(words(each.name))}: ${cm(each.wide)} cm</button>`).join("")
      + Object.keys(OPENINGS).map((kind) => `<button data-into="${kind}" data-key="into${kind}">Put a ${kind} into it</button>`).join("") + "</div>";
  }
  if (chosen && chosen.opening && opening(chosen.opening)) return openingPanel(opening(chosen.opening));
  const each = chosen && chosen.thing && thing(chosen.thing);
  if (!each) return "";
  const points = ticks(each.points);
  return `<h2>${esc(words(each.name))}</h2><div class="fields">${each.sizes.map((size) => field(words(size.name), `size-${size.name}`, cm(size.value), "min=0")).join("")}</div>
    ${each.told ? `<p class="note">${esc(each.told)}</p>` : ""}${points}
    <div class="row"><button data-do="left" data-key="left" title="R">Turn left</button><button data-do="right" data-key="right" title="Shift+R">Turn right</button>
    ${each.own ? `<button data-do="remove" data-key="remove" title="Delete">Take away</button>` : ""}</div>`;
}
function reachedPanel() {
  if (!drawn() && !corners().length) return "";
  const who = state.people[state.shown], told = state.plan.objects.map((path) => {
    const found = verdict(path);
    if (!found) return `<li class="soft">… ${esc(words(path).replace(".", ": "))}</li>`;
    const others = state.people.length > 1 ? state.people.map((_, k) => verdict(path, k)).map((v) => v ? `<span class="sign ${v.kind}">${SIGNS[v.kind]}</span>` : "…").join("") : `<span class="sign ${found.kind}">${SIGNS[found.kind]}</span>`;
    const more = found.words.replace(/^(reached|out of reach|not found)[:, ]*/, "").replace(found.remedy ? `; ${found.remedy}` : "", "");
    return `<li><button data-look="${esc(path)}" data-key="look${esc(path)}" class="${state.looked === path ? "on" : ""}">${others}<b>${esc(words(path).replace(".", ": "))}</b>: <span class="${found.kind}">${LABELS[found.kind]}</span>${more ? `, ${esc(more)}` : ""}${found.remedy ? `<br><span class="soft">what would help: ${esc(found.remedy)}</span>` : ""}</button></li>`;
  });
  const nothing = `<p class="soft">Put in what people use, from the list${window.innerWidth > 860 ? " at the left" : ""}: a toilet, a basin ...</p>`;
  const doorless = drawn() && told.length && !openings().some((each) => each.kind === "door") ? `<p class="note">There is no door yet: how people get in is not looked at.</p>` : "";
  const helping = state.seeking && !state.stale && state.verdicts.some((each) => each.who === state.shown && each.kind !== "accessible") ? `<p class="soft">looking for what would help ...</p>` : "";
  const first = state.stale && !state.verdicts.length && told.length ? `<p class="soft">The first answers take a minute or two where Articulata is newly installed.</p>` : "";
  return `<h2>What ${state.people.length > 1 && who ? esc(title(who)) : "this person"} reaches${state.stale ? ": checking ..." : ""}</h2>${doorless}${first}${told.length ? `<ul>${told.join("")}</ul>${helping}` : nothing}`;
}
function title(each) {
  if (!each.form) return each.text;
  const form = each.form, size = form.height ? ` of ${cm(form.height)} cm` : form.age ? ` of ${form.age} years` : "";
  return `${form.child ? (form.sex === "woman" ? "a girl" : "a boy") : `a ${form.sex}`}${size} ${WAYS[form.way]}`;
}
function personCard(each, k) {
  const form = each.form, on = k === state.shown;
  const head = `<label><input type="radio" name="shown" data-show="${k}" data-key="show${k}" ${on ? "checked" : ""}>${esc(title(each))}</label>`;
  const remove = state.people.length > 1 ? `<button data-unperson="${k}" data-key="unperson${k}">Remove</button>` : "";
  if (!form) return `<div class="card ${on ? "on" : ""}">${head}<div class="row">${remove}</div></div>`;
  const select = (name, options, value) => `<select data-person="${k}" data-field="${name}" data-key="p${k}${name}" aria-label="${name}">${Object.entries(options).map(([v, said]) => `<option value="${v}" ${v === value ? "selected" : ""}>${said}</option>`).join("")}</select>`;
  const input = (name, label, value, after) => `<label for="p${k}${name}">${esc(label)}</label><span><input id="p${k}${name}" data-person="${k}" data-field="${name}" data-key="p${k}${name}" type="number" step="any" min="0" value="${value}"> ${after}</span>`;
  const sex = `${form.child ? "child-" : ""}${form.sex}`;
  const chair = form.way === "foot" ? "" : form.way === "walker" ? input("radius", "walker: radius", cm(form.radius), "cm")
    : input("seat", "seat: height", cm(form.seat), "cm") + input("width", "chair: width", cm(form.width), "cm") + input("length", "chair: length", cm(form.length), "cm");
  const measured = Object.keys(TAPE).filter((name) => form[name]).length;
  return `<div class="card ${on ? "on" : ""}">${head}
    <div class="row">${select("sex", { woman: "a woman", man: "a man", "child-woman": "a girl", "child-man": "a boy" }, sex)} ${select("way", WAYS, form.way)} ${remove}</div>
    <div class="fields">${input("height", "stature", cm(form.height), "cm")}${input("weight", "weight (empty: usual)", form.weight || "", "kg")}</div>
    <details data-key="tape${k}"><summary>Measured with a tape (${measured} of 8)</summary><p class="soft">What is left empty follows from stature and weight.</p>
    <div class="fields">${Object.entries(TAPE).map(([name, label]) => input(name, label, cm(form[name]), "cm")).join("")}</div></details>
    ${chair ? `<details data-key="chair${k}"><summary>Sizes of the ${form.way === "walker" ? "walker" : "chair"} (empty: usual)</summary><div class="fields">${chair}</div></details>` : ""}</div>`;
}
function hands() {
  const one = ([value, said]) => `<option value="${value}" ${value === state.hands ? "selected" : ""}>${said}</option>`;
  return `<p><label>hands that are used <select id="hands" data-key="hands">${Object.entries({ both: "both", right: "the right one", left: "the left one" }).map(one).join("")}</select></label></p>`;
}
function condition() { // one that the text alone can say stays among them
  const all = { "": "none", ...state.conditions, ...(state.condition in state.conditions || !state.condition ? {} : { [state.condition]: state.condition }) };
  const one = ([value, said]) => `<option value="${esc(value)}" ${value === state.condition ? "selected" : ""}>${esc(said)}</option>`;
  return `<p><label>an illness that limits them <select id="condition" data-key="condition">${Object.entries(all).map(one).join("")}</select></label></p>${/^stroke/.test(state.condition) ? `<p class="soft">It weakens that arm, which counts where something is held; how far the hand comes stays as it is. Where it is not used, choose the other one above.</p>` : ""}`;
}
function codes() {
  const one = ([name, said]) => `<li><label><input type="checkbox" data-code="${name}" data-key="code-${name}" ${state.rules.includes(name) ? "checked" : ""}>${esc(said)}</label></li>`;
  return `<h2>Building codes</h2><p class="soft">The report tells what those that are ticked ask of this room.</p><ul>${Object.entries(state.codes).map(one).join("")}</ul>`;
}
function furniture() {
  let group = "";
  return Object.entries(state.palette).map(([kind, each]) => {
    const head = each.group === group ? "" : `<h3>${esc(group = each.group)}</h3>`;
    return `${head}<button data-add="${kind}" data-key="add-${kind}">${words(CALLED[kind] || kind)}</button>`;
  }).join("");
}
let resumed = false; // corners that were clicked before the page was closed come back once
function show() {
  if (!resumed && !draft.length) { draft = [...(state.draft || [])]; cursor = draft[draft.length - 1] || null; }
  resumed = true;
  if (override && state.done >= override.number) override = null;
  if (!corners().length) chosen = null;
  if (chosen && chosen.thing && !thing(chosen.thing)) chosen = null;
  if (chosen && chosen.opening && !opening(chosen.opening)) chosen = null;
  if (!corners().length && mode === "") mode = "walls";
  if (corners().length && mode === "walls") { mode = ""; draft = []; cursor = null; }
  draw();
  at("saved").textContent = lasting > state.done ? "working ..." : corners().length ? `all is saved in ${state.file}` : `a new room: ${state.file}${draft.length ? ", whose corners are kept" : ""}`;
  document.body.classList.toggle("stale", Boolean(state.stale) || lasting > state.done);
  at("undo").disabled = !state.undo;
  at("redo").disabled = !state.redo;
  keep(at("told"), state.message ? `<p><span>${esc(state.message)}</span><button data-do="heard">OK</button></p>` : "");
  const report = state.report;
  at("report").disabled = !corners().length || report.state === "working";
  keep(at("made"), report.state === "working" ? `making it: ${Math.round(100 * report.share)} %`
    : report.state === "ready" ? `${report.old ? '<span class="soft">from before the last change:</span> ' : ""}<a href="/report" target="_blank" rel="noopener" id="open">Open it</a> · <a href="/report" download="${esc(state.file.replace(/\.art$/, ""))}.html">Save it</a> · <button data-do="print" data-key="print" class="link">Print or PDF</button>`
    : report.state === "failed" ? `<span class="inaccessible">${esc(report.why)}</span>` : "");
  const ready = corners().length > 0;
  keep(at("add"), `<h2>Put in</h2>${drawn() ? Object.keys(OPENINGS).map((kind) => `<button data-add="${kind}" data-key="add-${kind}" class="${mode === kind ? "on" : ""}">${kind}</button>`).join("") : ""}${ready ? `<button data-add="measure" data-key="add-measure" class="${mode === "measure" ? "on" : ""}">measure</button>` : ""}` + (ready ? furniture() : `<p class="soft">Furniture comes when the room has walls.</p>`));
  for (const [id, html] of [["chosen", chosenPanel], ["reached", reachedPanel], ["people", () => ready ? `<h2>People</h2>${state.people.map(personCard).join("")}<button data-do="person" data-key="person">Another person</button>${hands()}${condition()}${codes()}` : ""]]) {
    if (!busy(at(id))) keep(at(id), html());
  }
  putNext();
}

// ---- what people do

function choose(what) { chosen = what; show(); if (what && what.thing) { const first = thing(what.thing).points.find((p) => state.plan.objects.includes(p.path)); if (first) ask("look", first.path); } }
function moveTo(name, to, drop) {
  override = { name, ...to, number: drop ? ask("move", { name, x: to.x, z: to.z, turn: to.turn }) : Infinity };
  if (!drop) ask("drag", { name, ...to });
  draw();
}
function fresh(of, then, asked) { // what comes with the answer is chosen
  const known = new Set(of().map((each) => each.name)), mine = asked();
  const wait = setInterval(() => {
    const found = state.done >= mine && of().find((each) => each.name && !known.has(each.name));
    if (found) choose(then(found.name));
    if (found || state.done >= mine) clearInterval(wait);
  }, 60);
}
const coming = []; // furniture that was clicked on while another thing was on its way in
let putting = 0;
function putFree(kind) { coming.push(kind); putNext(); }
function putNext() {
  if (!coming.length || putting > state.done) return;
  const kind = coming.shift();
  fresh(() => state.plan.things, (thing) => ({ thing }), () => putting = ask("put", { kind, ...freePlace(kind) }));
}
function put(kind, to) { fresh(() => state.plan.things, (thing) => ({ thing }), () => ask("put", { kind, ...to })); }
function newOpening(kind, k, along) {
  const { a, b } = edges()[k], long = dist(a, b), wide = Math.min(OPENINGS[kind].wide, long - 2 * JAMB);
  return { kind, edge: k, ...OPENINGS[kind], wide, at: Math.min(Math.max(snap((along === undefined ? long / 2 : along) - wide / 2), JAMB), long - wide - JAMB) };
}
function addOpening(kind, k, along) {
  const one = newOpening(kind, k, along);
  mode = "";
  fresh(openings, (opening) => ({ opening }), () => walls(corners(), [...openings(), one]));
}
function withOpening(name, change) { walls(corners(), openings().map((each) => each.name === name ? { ...each, ...change } : each)); }
function without(name) { walls(corners(), openings().filter((each) => each.name !== name)); }
function along(each, p) {
  const { a, b } = edges()[each.edge], long = dist(a, b);
  return snap(((p[0] - a[0]) * (b[0] - a[0]) + (p[1] - a[1]) * (b[1] - a[1])) / long - each.wide / 2);
}

function corner(p, free) { // on the grid, and square to the wall before
  const last = draft[draft.length - 1];
  let [x, z] = [snap(p[0]), snap(p[1])];
  if (last && !free) { if (Math.abs(p[0] - last[0]) > Math.abs(p[1] - last[1])) z = last[1]; else x = last[0]; }
  if (last && typed && +typed > 0) {
    const d = [x - last[0], z - last[1]], long = Math.hypot(...d) || 1;
    [x, z] = [last[0] + d[0] / long * typed / 100, last[1] + d[1] / long * typed / 100];
  }
  return [x, z];
}
function addCorner(p) {
  typed = "";
  if (draft.length > 2 && dist(p, draft[0]) < Math.max(0.1, 14 * unit)) return close();
  if (draft.some((each) => dist(each, p) < 0.02)) return;
  draft.push(p);
  ask("draft", draft);
  draw();
}
function close() {
  ask("walls", { corners: draft, openings: [] });
  typed = "";
}

function hold(p) { tape = tape.length === 1 ? [tape[0], p] : [p]; cursor = tape.length === 1 ? p : null; draw(); }

const plan = at("plan");
plan.addEventListener("pointerdown", (event) => {
  if (!state || event.button) return;
  const p = where(event), target = event.target.closest("[data-thing],[data-wall],[data-opening],[data-swing],[data-corner],[data-handle]");
  if (mode === "walls") { held = { draft: true }; aim = p; cursor = corner(p, event.altKey); return; }
  if (mode === "measure") { hold(tapeAt(p)); return; }
  if (OPENINGS[mode]) {
    const wall = nearestWall(p);
    if (wall && wall.away < 0.5) addOpening(mode, wall.k, wall.along);
    return;
  }
  if (!target) { choose(null); return; }
  const data = target.dataset;
  if (data.handle) held = { turn: chosen.thing };
  else if (data.thing) {
    if (!chosen || chosen.thing !== data.thing) choose({ thing: data.thing });
    const each = thing(data.thing);
    held = { thing: data.thing, from: p, away: [each.x - p[0], each.z - p[1]] };
  } else if (data.swing) { const [hinge, swing] = data.swing.split(" "); withOpening(chosen.opening, { hinge, swing }); return; }
  else if (data.opening !== undefined) { if (!chosen || chosen.opening !== data.opening) choose({ opening: data.opening }); held = { opening: data.opening, from: p }; }
  else if (data.corner !== undefined) held = { corner: +data.corner };
  else { choose({ wall: +data.wall }); held = { wall: +data.wall, from: p }; }
  plan.setPointerCapture(event.pointerId);
});
plan.addEventListener("pointermove", (event) => {
  if (!state) return;
  const p = where(event);
  if (mode === "walls") { aim = p; cursor = corner(p, event.altKey); if (draft.length > 2 && dist(p, draft[0]) < 14 * unit) cursor = draft[0]; draw(); return; }
  if (mode === "measure" || OPENINGS[mode]) { cursor = mode === "measure" ? tapeAt(p) : p; draw(); return; }
  if (!held) return;
  if (held.thing) {
    if (!held.moved && dist(p, held.from) < 4 * unit) return;
    held.moved = true;
    moveTo(held.thing, placed([p[0] + held.away[0], p[1] + held.away[1]], thing(held.thing)), false);
  } else if (held.turn) {
    const each = thing(held.turn), angle = Math.atan2(p[0] - each.x, p[1] - each.z) * 180 / Math.PI;
    held.moved = true;
    moveTo(held.turn, { x: each.x, z: each.z, turn: event.shiftKey ? angle : snap(angle, 15) }, false);
  } else if (held.moved || dist(p, held.from || p) > 6 * unit || held.corner !== undefined) {
    held.moved = true;
    preview = { };
    if (held.opening) preview = { openings: state.plan.openings.map((each) => each.name === held.opening ? { ...each, at: clampedAt(each, along(each, p)) } : each) };
    else if (held.corner !== undefined) preview.corners = corners().map((each, k) => k === held.corner ? [snap(p[0]), snap(p[1])] : each);
    else {
      const { a, b } = edges()[held.wall], long = dist(a, b), n = [-(b[1] - a[1]) / long, (b[0] - a[0]) / long];
      const by = snap((p[0] - held.from[0]) * n[0] + (p[1] - held.from[1]) * n[1]);
      preview.corners = moveWall(held.wall, [by * n[0], by * n[1]]);
    }
    draw();
  }
});
function clampedAt(each, at) { const { a, b } = edges()[each.edge]; return Math.min(Math.max(at, JAMB), dist(a, b) - each.wide - JAMB); }
plan.addEventListener("pointerup", (event) => {
  if (!state) return;
  const p = where(event), was = held;
  held = null;
  if (!was) return;
  if (was.draft) { addCorner(draft.length > 2 && dist(p, draft[0]) < 14 * unit ? draft[0] : corner(p, event.altKey)); return; }
  const name = was.thing || was.turn;
  if (name && was.moved) { const each = thing(name); moveTo(name, { x: each.x, z: each.z, turn: each.turn }, true); }
  if (preview) {
    const { corners: points, openings: ones } = preview;
    preview = null;
    if (ones) walls(corners(), ones);
    else if (JSON.stringify(points) !== JSON.stringify(corners())) walls(points);
  }
});
plan.addEventListener("focusin", (event) => {
  const data = event.target.dataset || {};
  if (held || mode) return;
  if (data.thing && (!chosen || chosen.thing !== data.thing)) choose({ thing: data.thing });
  if (data.opening && (!chosen || chosen.opening !== data.opening)) choose({ opening: data.opening });
  if (data.wall !== undefined && (!chosen || chosen.wall !== +data.wall)) choose({ wall: +data.wall });
});

function turnBy(angle) { const each = thing(chosen.thing); moveTo(each.name, { x: each.x, z: each.z, turn: each.turn + angle }, true); }
function start(what) { mode = mode === what ? "" : what; tape = []; cursor = null; show(); }
document.addEventListener("keydown", (event) => {
  if (!state) return;
  const field = /^(INPUT|SELECT)$/.test(event.target.tagName), undo = (event.ctrlKey || event.metaKey) && /^[zy]$/i.test(event.key);
  if (field && (event.target.dirty || !undo || !corners().length)) return; // what is being typed is undone by the browser
  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key], key = event.key.toLowerCase();
  const control = event.ctrlKey || event.metaKey;
  if (control && key === "z") ask(event.shiftKey ? "redo" : "undo");
  else if (control && key === "y") ask("redo");
  else if (control) return;
  else if (mode === "walls" && event.target.tagName !== "BUTTON") {
    const last = draft[draft.length - 1];
    if (/^[0-9.]$/.test(event.key) && last) { typed += event.key; cursor = corner(aim); }
    else if (event.key === "Enter" && cursor) addCorner(cursor);
    else if (event.key === "Backspace" && typed) { typed = typed.slice(0, -1); cursor = corner(aim); }
    else if (event.key === "Escape" || event.key === "Backspace") { typed = ""; draft.pop(); ask("draft", draft); }
    else if (arrows) { const from = cursor || last || [0, 0]; if (typed && last) { aim = [last[0] + arrows[0], last[1] + arrows[1]]; cursor = corner(aim); } else aim = cursor = [snap(from[0] + 0.1 * arrows[0]), snap(from[1] + 0.1 * arrows[1])]; }
    else return;
    draw();
  } else if (mode === "measure" && (arrows || (event.key === "Enter" && event.target.tagName !== "BUTTON"))) {
    const from = cursor || tape[tape.length - 1] || corners()[0], step = event.shiftKey ? 0.01 : STEP;
    if (arrows) { cursor = [snap(from[0] + step * arrows[0], 0.01), snap(from[1] + step * arrows[1], 0.01)]; draw(); } else hold(from);
  } else if (event.key === "Escape") { mode = ""; tape = []; choose(null); }
  else if (chosen && chosen.thing && arrows) {
    const each = thing(chosen.thing), step = event.shiftKey ? 0.01 : STEP;
    moveTo(each.name, { x: each.x + step * arrows[0], z: each.z + step * arrows[1], turn: each.turn, keys: true }, true);
  } else if (chosen && chosen.opening && arrows) {
    const each = opening(chosen.opening), { a, b } = edges()[each.edge], long = dist(a, b);
    const way = Math.sign(Math.round(100 * (arrows[0] * (b[0] - a[0]) + arrows[1] * (b[1] - a[1])) / long));
    if (way) withOpening(each.name, { at: clampedAt(each, each.at + way * (event.shiftKey ? 0.01 : STEP)) });
  } else if (chosen && chosen.opening && (event.key === "Delete" || event.key === "Backspace")) without(chosen.opening);
  else if (chosen && chosen.thing && key === "r") turnBy(event.shiftKey ? -15 : 15);
  else if (chosen && chosen.thing && (event.key === "Delete" || event.key === "Backspace")) ask("remove", chosen.thing);
  else return;
  event.preventDefault();
});
document.addEventListener("click", (event) => {
  const data = (event.target.closest("button") || event.target).dataset || {};
  if (data.add && !dropped) { if (OPENINGS[data.add] || data.add === "measure") start(data.add); else putFree(data.add); }
  else if (data.look) ask("look", data.look);
  else if (data.show !== undefined) ask("show", +data.show);
  else if (data.unperson !== undefined) people(state.people.filter((_, k) => k !== +data.unperson));
  else if (data.into) addOpening(data.into, chosen.wall);
  else if (data.open) choose({ opening: data.open });
  else if (data.do === "unopen") without(chosen.opening);
  else if (data.do === "left" || data.do === "right") turnBy(data.do === "left" ? 90 : -90);
  else if (data.do === "remove") ask("remove", chosen.thing);
  else if (data.do === "print") { const paper = window.open("/report"); if (paper) paper.addEventListener("load", () => paper.print()); }
  else if (data.do === "heard") { state.message = ""; show(); }
  else if (data.do === "person") people([...state.people, { form: { sex: "man", height: 1.75, way: "wheelchair" } }]);
  dropped = false;
});
function people(list) {
  asked("people", "people", list.map((each) => each.form || { text: each.text }), () => { state.people = list; });
}
document.addEventListener("input", (event) => { event.target.dirty = true; });
document.addEventListener("change", (event) => {
  const { dataset: data, id, value } = event.target;
  event.target.dirty = false;
  const on = event.target.checked, name = chosen && (chosen.opening || chosen.thing);
  if (data.tick) asked(`tick ${data.tick}`, "tick", { path: data.tick, on }, () => { state.plan.objects = toggled(state.plan.objects, data.tick, on); });
  else if (data.code) asked(`code ${data.code}`, "code", { name: data.code, on }, () => { state.rules = toggled(state.rules, data.code, on); });
  else if (id === "hands" || id === "condition") asked(id, id, value, () => { state[id] = value; });
  else if (data.person !== undefined) {
    const form = { ...state.people[+data.person].form };
    if (data.field === "sex") { form.child = value.startsWith("child-"); form.sex = value.replace("child-", ""); if (form.child && form.height > 1.5) form.height = 1.2; }
    else if (data.field === "way") form.way = value;
    else if (value === "") delete form[data.field];
    else form[data.field] = data.field === "weight" ? +value : value / 100;
    people(state.people.map((each, k) => k === +data.person ? { ...each, form } : each));
  } else if (id === "wall-long") {
    const points = lengthened(chosen.wall, value / 100);
    if (points) walls(points); else { state.message = "this wall's length follows from the others; drag a corner"; show(); }
  } else if (id.startsWith("opening-")) withOpening(chosen.opening, { [id.slice(8)]: value / 100 });
  else if (id === "swing") { const [hinge, swing = "in"] = value.split(" "); withOpening(chosen.opening, { hinge, swing }); }
  else if (id === "entry") asked(id, "enter", name, () => { state.plan.entry = name; });
  else if (id.startsWith("size-")) asked(`${id} ${name}`, "size", { name, size: id.slice(5), value: value / 100 }, () => {
    for (const each of state.plan.things) for (const size of each.name === name ? each.sizes : []) if (size.name === id.slice(5)) size.value = value / 100;
  });
});
at("start").addEventListener("submit", (event) => {
  event.preventDefault();
  const [w, d] = [at("wide").value / 100, at("deep").value / 100];
  ask("walls", { corners: [[0, 0], [w, 0], [w, d], [0, d]], openings: [] });
});
at("undo").addEventListener("click", () => ask("undo"));
at("redo").addEventListener("click", () => ask("redo"));
at("report").addEventListener("click", () => ask("report"));

// furniture is pulled from the list into the plan
let dropped = false;
at("add").addEventListener("pointerdown", (event) => {
  const kind = event.target.dataset.add, from = [event.clientX, event.clientY];
  if (!kind || OPENINGS[kind] || kind === "measure" || event.pointerType === "touch") return;
  const up = (end) => {
    window.removeEventListener("pointerup", up);
    const box = plan.getBoundingClientRect(), inside = end.clientX > box.left && end.clientX < box.right && end.clientY > box.top && end.clientY < box.bottom;
    if (!inside || dist(from, [end.clientX, end.clientY]) < 8) return;
    dropped = true;
    setTimeout(() => { dropped = false; }, 50);
    put(kind, placed(where(end)));
  };
  window.addEventListener("pointerup", up);
});
window.addEventListener("resize", () => { letter = lettering(); if (state) draw(); });
connect();
