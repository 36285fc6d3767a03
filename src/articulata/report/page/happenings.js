// Events: marks on the time line, the list, and why each of them happened.

const KINDS = { impact: "hit", contact: "rest", settled: "rest", separation: "part", stick: "rub", slip: "rub", break: "edit", edit: "edit", stop: "edit", command: "order" };
const kindOf = (event) => KINDS[event.kind] || "other";

class Happenings {
  constructor(recording, list, marks, tip, digits, seek) {
    Object.assign(this, { recording, list, marks, tip, digits, seek, rows: [], open: null });
    const { events } = recording;
    this.fillMarks();
    events.slice(0, recording.accounts.length).forEach((event, i) => this.addRow(event, i));
    if (events.length > this.rows.length) this.addNote(`and ${events.length - this.rows.length} more`);
    if (!events.length) this.addNote("none");
  }

  addNote(text) {
    const row = document.createElement("li");
    row.textContent = text;
    row.style.color = "var(--soft)";
    this.list.append(row);
  }

  stamp(event) { return `${event.time.toFixed(Math.max(3, this.digits))} s`; }
  story(event) { return event.story || `${event.kind} ${event.who.join(", ")}`; }

  fillMarks() {
    const { times, events } = this.recording, span = times[times.length - 1] - times[0] || 1;
    const shown = new Map();
    events.forEach((event, i) => {
      // One mark, at the first of them, for all events that a pointer could not tell apart.
      const at = Math.floor(((event.time - times[0]) / span) * 110);
      if (shown.has(at)) { shown.get(at).push(i); return; }
      shown.set(at, [i]);
    });
    for (const numbers of shown.values()) {
      const mark = document.createElement("button"), first = events[numbers[0]], at = (first.time - times[0]) / span;
      mark.style.left = `${100 * at}%`;
      mark.className = kindOf(first);
      mark.tabIndex = -1; // the list beside has the same events for the keyboard
      mark.setAttribute("aria-label", `${this.stamp(first)}: ${this.story(first)}`);
      mark.append(document.createElement("i"));
      const tell = () => {
        this.tip.replaceChildren(...numbers.slice(0, 4).map((i) => {
          const line = document.createElement("p"), time = document.createElement("b");
          time.textContent = this.stamp(events[i]);
          line.append(time, ` ${this.story(events[i])}`);
          return line;
        }));
        if (numbers.length > 4) this.tip.insertAdjacentText("beforeend", `and ${numbers.length - 4} more`);
        this.tip.hidden = false;
        const track = this.marks.getBoundingClientRect(), width = this.tip.offsetWidth;
        this.tip.style.left = `${Math.max(8, Math.min(innerWidth - width - 8, track.left + at * track.width - width / 2))}px`;
      };
      mark.addEventListener("pointerenter", tell);
      mark.addEventListener("pointerleave", () => { this.tip.hidden = true; });
      mark.addEventListener("click", () => { this.go(numbers[0]); });
      this.marks.append(mark);
    }
  }

  addRow(event, number) {
    const row = document.createElement("li"), button = document.createElement("button");
    const stamp = document.createElement("time"), text = document.createElement("span");
    stamp.textContent = this.stamp(event);
    text.textContent = this.story(event);
    button.className = kindOf(event);
    button.setAttribute("aria-expanded", "false");
    button.append(stamp, text);
    button.addEventListener("click", () => (this.open === number ? this.fold() : this.go(number)));
    row.append(button);
    this.list.append(row);
    this.rows.push(row);
  }

  // Show an event and why it happened.
  go(number) {
    this.seek(this.recording.events[number].time);
    this.fold();
    const row = this.rows[number];
    if (!row) return;
    row.append(this.account(number));
    row.firstChild.setAttribute("aria-expanded", "true");
    row.scrollIntoView({ block: "nearest" });
    this.open = number;
  }

  fold() {
    if (this.open === null) return;
    const row = this.rows[this.open];
    row.querySelector(".why").remove();
    row.firstChild.setAttribute("aria-expanded", "false");
    this.open = null;
  }

  account(number) {
    const { rows, chain } = this.recording.accounts[number], why = document.createElement("div"), table = document.createElement("dl");
    why.className = "why";
    for (const [name, value] of rows) {
      const term = document.createElement("dt"), detail = document.createElement("dd");
      term.textContent = name; detail.textContent = value;
      table.append(term, detail);
    }
    why.append(table);
    if (chain.length) {
      const head = document.createElement("h3"), steps = document.createElement("ol");
      head.textContent = "What led to it";
      for (const i of chain) {
        const step = document.createElement("li"), button = document.createElement("button");
        button.textContent = `${this.stamp(this.recording.events[i])} ${this.story(this.recording.events[i])}`;
        button.addEventListener("click", () => this.go(i));
        step.append(button);
        steps.append(step);
      }
      why.append(head, steps);
    }
    return why;
  }

  // Mark the latest event at `time` in the list.
  present(time) {
    const at = this.recording.events.findLastIndex((e) => e.time <= time + 1e-9);
    if (at === this.marked) return;
    this.rows.forEach((row, i) => row.classList.toggle("now", i === at));
    this.marked = at;
  }

  // The time of the event that a hand at `time` means, within `reach` of it, or null.
  near(time, reach) {
    let best = null;
    for (const event of this.recording.events) {
      const away = Math.abs(event.time - time);
      if (away <= reach && (best === null || away < Math.abs(best - time))) best = event.time;
    }
    return best;
  }
}
