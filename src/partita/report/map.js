// The map's controls and what is said of an item. Every text comes in as text, never as markup.
const VIEWS = { "map-closer": (board) => board.look(1.6), "map-wider": (board) => board.look(1 / 1.6),
  "map-whole": (board) => board.look(0) };
const DRAGGED = 4;  // CSS pixels that make a press a drag

function part(tag, text, properties = {}) {
  const made = Object.assign(document.createElement(tag), properties);
  if (text !== null) made.textContent = text;
  return made;
}

const whole = (n) => n.toLocaleString("en-US");
const thousandths = (n) => (n / 1000).toFixed(3);

class ItemMap {
  constructor(frame, items) {
    const glyphs = JSON.parse(frame.dataset.glyphs);
    this.items = items;
    this.frame = frame;
    this.panel = this.one("map-item");
    this.invitation = [...this.panel.childNodes];
    this.keys = [...frame.querySelectorAll("button.key")];
    frame.hidden = false;
    this.board = new Board(this.one("map-canvas"), items, glyphs);
    this.listen();
    new ResizeObserver(() => this.board.resize()).observe(this.board.canvas);
    document.addEventListener("themechange", () => this.board.redraw());
    this.board.resize();
  }

  one(id) {
    return document.getElementById(id);
  }

  // An item's id, or its row where it has none; j < 0 are items off the map.
  name(j) {
    const from = j < 0 ? this.items.beyond : this.items, i = j < 0 ? -1 - j : j;
    const id = from.id === null ? null : from.id[i];
    return id === null ? `Item ${from.row[i]}` : id.trim() === "" ? `Row ${from.row[i]} (blank id)` : id;
  }

  chip(k) {
    return part("span", k, { className: `chip c${k}` });
  }

  listen() {
    const { canvas } = this.board, slider = this.one("map-threshold");
    this.keys.forEach((key, k) => key.addEventListener("click", () => this.hide([k], !this.board.hidden[k])));
    this.one("map-all").addEventListener("click", () => this.hide(this.keys.map((_, k) => k), false));
    this.one("map-none").addEventListener("click", () => this.hide(this.keys.map((_, k) => k), true));
    slider.addEventListener("input", () => this.divide(Math.round(100 * slider.value)));
    for (const id in VIEWS) this.one(id).addEventListener("click", () => VIEWS[id](this.board));
    this.one("map-find").addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.search(event.target.value);
    });
    canvas.addEventListener("keydown", (event) => this.walk(event));
    canvas.addEventListener("pointerleave", () => this.hover(-1));
    this.point(canvas);
  }

  // Hovering, clicking, and dragging an enlarged map.
  point(canvas) {
    let from = null, dragged = false;
    const under = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("pointerdown", (event) => {
      from = under(event);
      dragged = false;
    });
    canvas.addEventListener("pointerup", () => { from = null; });
    canvas.addEventListener("pointermove", (event) => {
      const [x, y] = under(event);
      if (from && event.buttons && this.board.view.zoom > 1) {
        if (dragged || Math.hypot(x - from[0], y - from[1]) > DRAGGED) {
          dragged = true;
          this.board.look(1, x - from[0], y - from[1]);
          from = [x, y];
        }
        return;
      }
      if (event.pointerType !== "touch") this.hover(this.board.find(x, y));
    });
    canvas.addEventListener("click", (event) => {
      if (!dragged) this.select(this.board.find(...under(event)));
    });
  }

  hover(i) {
    if (i === this.board.hovered) return;
    this.board.hovered = i;
    this.board.canvas.style.cursor = i < 0 ? "" : "pointer";
    this.tell();
  }

  select(i) {
    this.board.hovered = -1;
    this.board.selected = i;
    if (i >= 0) this.board.show(i);
    this.tell();
    this.one("map-said").textContent = i < 0 ? "No item chosen" : `${this.name(i)}, cluster ${this.items.label[i]}, `
      + `certainty ${thousandths(this.items.certainty[i])}; ${whole(i + 1)} of ${whole(this.board.count)} on the map`;
  }

  hide(clusters, hidden) {
    const { board } = this;
    for (const k of clusters) {
      board.hidden[k] = hidden;
      this.keys[k].setAttribute("aria-pressed", String(!hidden));
    }
    if (board.selected >= 0 && !board.visible(board.selected)) this.select(-1);
    board.hovered = -1;
    board.redraw();
  }

  divide(threshold) {
    this.board.threshold = threshold;
    const said = (threshold / 100).toFixed(2), n = whole(this.items.items);
    this.one("map-threshold").setAttribute("aria-valuetext", said);
    this.one("map-sure").textContent = `${whole(this.items.certain[threshold])} of ${n} items with a certainty ≥ ${said}`;
    this.board.redraw();
  }

  // Arrow keys: left and right by row, up and down to the nearest item in that direction.
  walk(event) {
    const { board } = this, i = board.selected, n = board.count;
    const along = (start, step) => {
      for (let j = start; j >= 0 && j < n; j += step) if (board.visible(j)) return j;
      return i;
    };
    const vertical = (sign) => {
      if (i < 0) return along(0, 1);
      const found = board.find(...board.place(i), Infinity, (j, dx, dy) => sign * dy > 0.5 && sign * dy >= Math.abs(dx));
      return found < 0 ? i : found;
    };
    const to = {
      ArrowRight: () => along(i + 1, 1), ArrowLeft: () => along(i < 0 ? n - 1 : i - 1, -1),
      ArrowDown: () => vertical(1), ArrowUp: () => vertical(-1),
      Home: () => along(0, 1), End: () => along(n - 1, -1), Escape: () => -1,
    }[event.key];
    if (!to || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.select(to());
  }

  // The item whose id is the words, begins with them, or holds them.
  search(words) {
    const names = this.items.row.map((_, i) => this.name(i).toLowerCase()), asked = words.trim().toLowerCase();
    if (!asked) return;
    const tests = [(n) => n === asked, (n) => n === `item ${asked}`, (n) => n.startsWith(asked), (n) => n.includes(asked)];
    const found = tests.reduce((best, test) => (best >= 0 ? best : names.findIndex(test)), -1);
    if (found < 0) {
      this.one("map-said").textContent = "No item on the map has such an id";
      this.one("map-missed").hidden = false;
      return;
    }
    this.one("map-missed").hidden = true;
    this.hide([this.items.label[found]], false);
    this.select(found);
  }

  // Say in the panel what is known of the item in focus.
  tell() {
    const i = this.board.focus, { items, panel } = this;
    this.board.overlay();
    if (i < 0) {
      panel.replaceChildren(...this.invitation);
      return;
    }
    const row = this.name(i).endsWith(items.row[i]) ? "Cluster " : `Row ${items.row[i]}, cluster `;
    const where = part("p", row, { className: "place" });
    where.append(this.chip(items.label[i]));
    if (items.outlier[i]) where.append(" (an outlier)");
    const bars = part("ul", null, { className: "bars" });
    for (let t = 0; t < items.top[i].length; t += 2) bars.append(this.bar(items.top[i][t], items.top[i][t + 1]));
    const figures = part("p", `Certainty ${thousandths(items.certainty[i])}`);
    const heading = [part("p", items.bars, { className: "heading" })];
    const title = part("h3", null);
    title.append(part("bdi", this.name(i)));
    panel.replaceChildren(title, where, ...this.cells(i), ...heading, bars, figures, ...this.nearest(i));
  }

  // What the table of the items says of one.
  cells(i) {
    const { columns, cells } = this.items;
    if (!columns.length) return [];
    const list = part("dl", null, { className: "cells" });
    columns.forEach((name, j) => list.append(part("dt", name), part("dd", cells[i][j] || "missing")));
    return [list];
  }

  bar(k, value) {
    const row = part("li", null), track = part("span", null, { className: "track" });
    const fill = part("span", null, { className: "fill" });
    fill.style.width = `${value / 10}%`;
    fill.style.background = `var(--k${k})`;
    track.append(fill);
    row.append(this.chip(k), track, part("span", thousandths(value), { className: "value" }));
    return row;
  }

  nearest(i) {
    const near = this.items.near[i];
    if (!near.length) return [part("p", "No nearest items.")];
    const list = part("ol", null, { className: "nearest" });
    for (const j of near) {
      const row = part("li", null), label = j < 0 ? this.items.beyond.label[-1 - j] : this.items.label[j];
      row.append(this.chip(label), " ");
      const name = part("bdi", this.name(j));
      if (j < 0) row.append(name, " (off the map)");
      else {
        const button = part("button", null, { type: "button", className: "link" });
        button.append(name);
        button.addEventListener("click", () => {
          this.hide([label], false);
          this.select(j);
          panelFocus(this.panel);
        });
        row.append(button);
      }
      list.append(row);
    }
    return [part("h4", "Nearest items"), list];
  }
}

// What was pressed is gone once the panel is written anew: the keyboard goes on in the panel.
function panelFocus(panel) {
  (panel.querySelector("button") || panel).focus();
}

startTheme();
const itemsOfMap = document.getElementById("map-items");
if (itemsOfMap) new ItemMap(document.getElementById("map"), JSON.parse(itemsOfMap.textContent));
