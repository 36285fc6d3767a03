"use strict";
// The textarea has the text; a layer behind it, which nobody can touch, has its colours.
const RULES = GRAMMAR.patterns.map((each) => [each.name.split(".").slice(0, 2).join("-"), each.match.replace(/(?<!\\)\((?!\?)/g, "(?:")]);
const PATTERN = new RegExp(RULES.map((each) => `(${each[1]})`).join("|"), "g");
const WORD = /[\p{L}_][\p{L}\p{N}_]*$/u;
const PAUSE = 150; // ms without typing after which a text is checked
const at = (id) => document.getElementById(id);
const esc = (s) => String(s).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const text = at("text"), colours = at("colours"), tip = at("tip"), offered = at("offered"), scrub = at("scrub"), told = at("told");

let state = null, flow = null, number = Date.now(), asked = 0, answered = 0, timer = 0, quiet = false;
let base = null; // the text and version of the file that this page's text is made of
let saving = null; // what was asked to be saved, until it is answered
let wanted = 0, words = [], chosen = 0; // the question which words may stand here, and its answer
let findings = [], marks = [], shown = [];

// ---- colours and marks, line by line: what did not change stays

function tokens(line) {
  return [...line.matchAll(PATTERN)].map((m) => ({ kind: RULES[m.slice(1).findIndex((each) => each !== undefined)][0], start: m.index, end: m.index + m[0].length }));
}
function painted(line, own) {
  const ends = new Set([0, line.length]), spans = tokens(line);
  for (const each of [...spans, ...own]) ends.add(each.start).add(each.end);
  const cuts = [...ends].sort((a, b) => a - b);
  return cuts.slice(1).map((end, k) => {
    const start = cuts[k], piece = line.slice(start, end) || " ";
    const kind = spans.find((each) => each.start <= start && end <= each.end), mark = own.find((each) => each.start <= start && end <= each.end);
    const names = [kind && kind.kind, mark && `mark ${mark.severity}`].filter(Boolean).join(" ");
    return names ? `<span class="${names}"${mark ? ` data-k="${mark.k}"` : ""}>${esc(piece)}</span>` : esc(piece);
  }).join("");
}
function paint() {
  const lines = text.value.split("\n"), same = (a, b) => shown[a] && shown[a].line === lines[b];
  let head = 0, tail = 0;
  while (head < lines.length && same(head, head)) head += 1;
  while (tail < Math.min(lines.length, shown.length) - head && same(shown.length - 1 - tail, lines.length - 1 - tail)) tail += 1;
  const gone = shown.length - tail - head, come = lines.slice(head, lines.length - tail);
  // marks below what was typed go with their lines, those of the line itself wait for what is found next
  marks.splice(head, gone, ...come.map(() => []));
  for (const each of shown.splice(head, gone, ...come.map((line) => ({ line, node: document.createElement("div"), key: null })))) each.node.remove();
  const before = shown[head + come.length];
  for (const each of shown.slice(head, head + come.length)) colours.insertBefore(each.node, before ? before.node : null);
  shown.forEach((each, k) => {
    const own = marks[k] || [], key = own.map((m) => [m.start, m.end, m.k, m.severity]).join();
    if (each.key === key) return;
    each.key = key;
    each.node.className = own.some((m) => m.severity === "error") ? "line bad" : "line";
    each.node.innerHTML = painted(each.line, own);
  });
}
const units = (line, count) => [...line].slice(0, count).join("").length; // findings count characters, not halves of them
function marked() {
  const lines = text.value.split("\n");
  marks = lines.map(() => []);
  findings.forEach((each, k) => {
    if (each.file) return;
    const last = Math.max(each.line, each.end_line);
    for (let n = each.line; n <= Math.min(last, lines.length); n += 1) {
      const line = lines[n - 1], start = n === each.line ? units(line, each.column - 1) : 0;
      let end = n < last || each.end_column < 1 ? line.length : units(line, each.end_column - 1);
      if (end <= start) end = start + 1;
      marks[n - 1].push({ start, end, k, severity: each.severity });
    }
  });
  for (const each of shown) each.key = null;
  paint();
}
function follow() {
  colours.style.transform = `translate(${-text.scrollLeft}px, ${-text.scrollTop}px)`;
  colours.style.setProperty("--left", `${text.scrollLeft}px`);
}

// ---- places

function place(offset) { // line and column, both from 0
  const before = text.value.slice(0, offset).split("\n");
  return [before.length - 1, before[before.length - 1].length];
}
const offsetOf = (line, column) => text.value.split("\n").slice(0, line).reduce((sum, each) => sum + each.length + 1, column);
function spot(line, column) { // where on the sheet the upper left of a character is
  const sheet = at("sheet").getBoundingClientRect(), range = document.createRange(), node = shown[line].node;
  const walk = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  let left = column, each = walk.nextNode();
  while (each && left > each.length) { left -= each.length; each = walk.nextNode(); }
  if (each) range.setStart(each, Math.min(left, each.length)); else range.selectNodeContents(node);
  range.collapse(true);
  const box = node.getBoundingClientRect(), point = range.getClientRects()[0] || box;
  return [point.left - sheet.left, box.top - sheet.top, box.height];
}
function go(line, column) {
  const to = offsetOf(line, column), high = shown[0].node.offsetHeight;
  text.focus();
  text.setSelectionRange(to, to);
  if ((line + 1) * high > text.scrollTop + text.clientHeight - high || line * high < text.scrollTop) text.scrollTop = (line + 0.5) * high - text.clientHeight / 2;
}
const under = (event, what) => document.elementsFromPoint(event.clientX, event.clientY).find((each) => each.matches(what) && colours.contains(each));

// ---- changes by the page: as though typed, so that the browser undoes them

function put(start, end, words) {
  text.focus();
  text.setSelectionRange(start, end);
  if (!document.execCommand(words ? "insertText" : "delete", false, words)) {
    text.setRangeText(words, start, end, "end");
    text.dispatchEvent(new Event("input"));
  }
}

// ---- numbers

function numberAt(offset) {
  const [line, column] = place(offset), whole = shown[line].line, from = offset - column;
  const found = tokens(whole).find((each) => each.kind === "constant-numeric" && each.start <= column && column <= each.end);
  if (!found) return null;
  const before = whole.slice(0, found.start), minus = /-$/.test(before), own = /(?:^|[(,:=[{]|\b(?:at|to|by|in|about))\s*-$/.test(before);
  const start = from + found.start - (own ? 1 : 0), said = whole.slice(found.start - (own ? 1 : 0), found.end);
  const [, digits, power] = /^(-?[\d.]+)(.*)$/.exec(said);
  const decimals = (digits.split(".")[1] || "").length, unit = /^\s*[\p{L}%]/u.test(whole.slice(found.end)) && !/^\s*(?:to|in|by|at|and|or)\b/.test(whole.slice(found.end));
  const whole_ = !decimals && !power && !unit; // a count, as it seems
  const fine = whole_ ? 0 : Math.floor(Math.log10(Math.abs(+digits) || 1)) - 2;
  return { start, end: from + found.end, value: +digits, power, decimals, fine, pixels: whole_ ? 8 : 1, lowest: minus && !own ? 0 : -Infinity };
}
function written(from, value, decimals) {
  const most = Math.max(from.decimals, decimals), plain = Math.max(from.lowest, value).toFixed(most);
  const cut = plain.includes(".") ? Math.max(plain.replace(/0+$/, "").length, plain.indexOf(".") + 1 + from.decimals) : plain.length;
  return plain.slice(0, cut).replace(/\.$/, "").replace(/^-(0(\.0*)?)$/, "$1") + from.power;
}
function step(count) {
  const from = numberAt(text.selectionStart);
  if (!from) return false;
  const now = written(from, from.value + count * 10 ** -from.decimals, 0);
  put(from.start, from.end, now);
  text.setSelectionRange(from.start, from.start + now.length);
  return true;
}
function draw(event, from) { // a number follows the pointer; one undoing takes it all back
  if (!from) return;
  event.preventDefault();
  const held = event.currentTarget, before = text.value, x = event.clientX;
  let last = null;
  held.setPointerCapture(event.pointerId);
  held.onpointermove = (moved) => {
    const now = written(from, from.value + Math.round((moved.clientX - x) / from.pixels) * 10 ** from.fine, -from.fine);
    if (now === last || (last === null && +now === from.value)) return;
    quiet = true;
    if (last !== null) document.execCommand("undo");
    quiet = false;
    put(from.start, text.value === before ? from.end : from.start + last.length, now);
    text.setSelectionRange(from.start, from.start + now.length);
    last = now;
  };
  held.onpointerup = held.onpointercancel = () => { held.onpointermove = held.onpointerup = held.onpointercancel = null; };
}
function here() { // what is wrong at the cursor, and the number there
  const [line, column] = place(text.selectionStart), found = numberAt(text.selectionStart);
  const mark = (marks[line] || []).find((each) => each.start <= column && column <= each.end);
  at("here").textContent = mark ? findings[mark.k].message : `line ${line + 1}, column ${column + 1}`;
  scrub.hidden = !found;
  if (found) scrub.textContent = `◂ ${text.value.slice(found.start, found.end)} ▸`;
}

// ---- words that may stand here

const partial = () => (WORD.exec(text.value.slice(0, text.selectionStart)) || [""])[0];
function complete() {
  wanted = ask("complete", { text: text.value, offset: [...text.value.slice(0, text.selectionStart)].length });
}
function offer() {
  const part = partial(), low = part.toLowerCase(), fitting = words.filter((each) => each.label.toLowerCase().startsWith(low));
  if (!fitting.length || (fitting.length === 1 && fitting[0].label === part)) return close();
  chosen = Math.min(chosen, fitting.length - 1);
  offered.innerHTML = fitting.map((each, k) => `<li role="option" id="word${k}" aria-selected="${k === chosen}"><b>${esc(each.label)}</b><span>${esc(each.meaning || each.form)}</span></li>`).join("");
  [...offered.children].forEach((each, k) => { each.onmousedown = (event) => { event.preventDefault(); chosen = k; take(); }; });
  offered.hidden = false;
  const [line, column] = place(text.selectionStart), [x, y, high] = spot(line, column - part.length), sheet = at("sheet");
  offered.style.left = `${Math.max(0, Math.min(x - 10, sheet.clientWidth - offered.offsetWidth))}px`;
  offered.style.top = `${y + high + offered.offsetHeight < sheet.clientHeight ? y + high : Math.max(0, y - offered.offsetHeight)}px`;
  offered.children[chosen].scrollIntoView({ block: "nearest" });
  text.setAttribute("aria-activedescendant", `word${chosen}`);
}
function close() {
  words = []; wanted = 0; chosen = 0;
  offered.hidden = true;
  text.removeAttribute("aria-activedescendant");
}
function take() {
  const label = offered.children[chosen].querySelector("b").textContent, end = text.selectionStart;
  const start = end - partial().length;
  close();
  put(start, end, label);
}

// ---- what is said to the program, and what it says

const answering = () => flow !== null && flow.readyState === 1;
function ask(what, to) {
  const said = JSON.stringify({ do: what, number: ++number, to });
  if (state && said.length > state.longest) {
    at("run").textContent = "The text is too long for this editor: it is neither checked nor saved.";
    return 0;
  }
  if (!answering()) return 0; // it is sent anew when there is somebody to hear it
  flow.send(said);
  return number;
}
function send() { timer = 0; asked = ask("text", text.value); }
function changed() {
  if (quiet) return;
  paint();
  follow();
  mind();
  if (!offered.hidden) { if (partial()) offer(); else close(); }
  // while a number is drawn there is no pause
  if (!timer || !(text.onpointermove || scrub.onpointermove)) { clearTimeout(timer); timer = setTimeout(send, PAUSE); }
}
const unsaved = () => base !== null && (base.version === "" || text.value !== base.text);
function mind() {
  const open = unsaved(), name = state ? state.file : "Articulata";
  at("saved").textContent = !answering() ? "no program answers" : saving ? "saving ..." : !open ? "saved" : base.version ? "not saved yet" : "new, not saved yet";
  at("saved").className = open ? "unsaved" : "";
  at("save").disabled = !open;
  document.title = `${open ? "• " : ""}${name} - Articulata`;
}
function save(version) {
  if (base === null) return;
  const mine = text.value;
  const asked_ = ask("save", { text: mine, version });
  if (asked_) saving = { number: asked_, text: mine };
  mind();
}
function load(what) {
  text.value = what.text;
  base = { text: what.text, version: what.version };
  say();
  changed();
}
function say(words, ...choices) { // a word above the text, with buttons
  told.replaceChildren(...(words ? [words, ...choices.map(([label, act]) => Object.assign(document.createElement("button"), { textContent: label, onclick: () => { say(); act(); } }))] : []));
}
function hear() {
  at("name").textContent = state.file;
  at("run").textContent = state.run;
  if (base === null) { load(state); text.setSelectionRange(0, 0); }
  if (saving && state.saved.number === saving.number) {
    const { version, problem } = state.saved;
    if (version) { base = { text: saving.text, version }; say(); }
    else if (problem) say(`Not saved: ${problem}`);
    saving = null;
  }
  // somebody else has written to the file
  if (!saving && state.version !== base.version) {
    if (state.text === text.value && state.version) { base = { text: state.text, version: state.version }; say(); }
    else if (!unsaved() && state.version) load(state);
    else if (!told.hasChildNodes() || told.dataset.version !== state.version) {
      const theirs = { text: state.text, version: state.version };
      say(`${state.file} was ${theirs.version ? "changed" : "removed"} by another program meanwhile.`,
        ["Write my text over it", () => save(theirs.version)], ...(theirs.version ? [["Take its text", () => load(theirs)]] : []));
      told.dataset.version = state.version;
    }
  }
  if (state.offers.number && state.offers.number === wanted) { words = state.offers.items; wanted = 0; chosen = 0; offer(); }
  if (state.number === asked && (answered !== asked || JSON.stringify(state.findings) !== JSON.stringify(findings))) {
    answered = asked;
    findings = state.findings;
    marked();
    list();
  }
  mind();
  here();
}
function list() {
  at("findings").innerHTML = findings.map((each) => `<li class="${each.severity}"><button><b>${each.file ? esc(each.file.split(/[/\\]/).pop()) + ":" : ""}${each.line}:${each.column}</b><span>${esc(each.message)}</span>${each.suggestion ? `<i>${esc(each.suggestion)}</i>` : ""}</button></li>`).join("");
  [...at("findings").querySelectorAll("button")].forEach((each, k) => { each.onclick = () => jump(k); });
}
function jump(k) {
  const each = findings[k];
  if (each && !each.file) go(each.line - 1, units(shown[each.line - 1].line, each.column - 1));
}
function connect() {
  flow = new WebSocket(location.href.replace(/^http/, "ws").replace(/\/edit.*/, "/flow"));
  flow.onopen = () => { if (base !== null) send(); };
  flow.onmessage = (event) => { state = JSON.parse(event.data); hear(); };
  flow.onclose = () => {
    saving = null;
    mind();
    at("run").textContent = state ? `The program has ended; to go on: articulata edit ${state.file}` : "";
    setTimeout(connect, 1500);
  };
}

// ---- hands

text.addEventListener("input", changed);
text.addEventListener("scroll", () => { follow(); close(); tip.hidden = true; });
document.addEventListener("selectionchange", () => {
  if (base === null) return;
  if (!offered.hidden && WORD.exec(text.value.slice(0, text.selectionStart)) === null) close();
  here();
});
text.addEventListener("blur", close);
offered.addEventListener("mousedown", (event) => event.preventDefault()); // its scroll bar leaves the cursor in the text
text.addEventListener("pointermove", (event) => {
  const mark = under(event, ".mark"), sheet = at("sheet").getBoundingClientRect();
  tip.hidden = !mark || event.buttons > 0;
  if (tip.hidden) return;
  const each = findings[mark.dataset.k], box = mark.getBoundingClientRect();
  tip.textContent = [each.message, each.suggestion].filter(Boolean).join("\n");
  tip.style.left = `${Math.max(4, Math.min(box.left - sheet.left, sheet.width - tip.offsetWidth - 4))}px`;
  tip.style.top = `${box.bottom - sheet.top + tip.offsetHeight + 6 < sheet.height ? box.bottom - sheet.top + 4 : box.top - sheet.top - tip.offsetHeight - 4}px`;
});
text.addEventListener("pointerleave", () => { tip.hidden = true; });
text.addEventListener("pointerdown", (event) => {
  const span = event.altKey && under(event, ".constant-numeric");
  if (!span) return;
  const line = shown.findIndex((each) => each.node.contains(span)), range = document.createRange();
  range.setStart(shown[line].node, 0);
  range.setEndBefore(span);
  draw(event, numberAt(offsetOf(line, range.toString().length)));
});
scrub.addEventListener("pointerdown", (event) => draw(event, numberAt(text.selectionStart)));
text.addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  const open = !offered.hidden, ctrl = event.ctrlKey || event.metaKey, arrow = { ArrowUp: 1, ArrowDown: -1 }[event.key];
  const done = () => event.preventDefault();
  if (open && arrow && !ctrl) { done(); const n = offered.children.length; chosen = (chosen - arrow + n) % n; offer(); }
  else if (open && (event.key === "Enter" || event.key === "Tab")) { done(); take(); }
  else if (open && event.key === "Escape") { done(); close(); }
  else if (event.ctrlKey && event.code === "Space") { done(); complete(); }
  else if (arrow && (ctrl || event.altKey)) { if (step(arrow * (event.shiftKey ? 10 : 1))) done(); }
  else if (event.key === "Enter" && !ctrl && !event.shiftKey) { // as far in as the line before
    done();
    const start = text.selectionStart, [line, column] = place(start);
    put(start, text.selectionEnd, `\n${/^ */.exec(shown[line].line.slice(0, column))[0]}${/\{\s*$/.test(shown[line].line.slice(0, column)) ? "  " : ""}`);
  }
});
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") { event.preventDefault(); if (unsaved()) save(base.version); }
  else if (event.key === "F8" && findings.length) {
    event.preventDefault();
    const line = place(text.selectionStart)[0] + 1, next = findings.findIndex((each) => !each.file && each.line > line);
    jump(next < 0 ? findings.findIndex((each) => !each.file) : next);
  } else if (event.key === "Escape") at("keys").open = false;
});
at("save").onclick = () => save(base.version);
window.addEventListener("beforeunload", (event) => { if (unsaved()) { event.preventDefault(); event.returnValue = ""; } });
paint();
connect();
