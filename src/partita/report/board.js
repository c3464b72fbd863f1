// The map's canvas: points as stamps on a sheet that is kept, and over it what is said of one item.
const PAD = 18;      // CSS pixels left free at each side
const GRID = 10000;  // places of an axis
const REACH = 14;    // CSS pixels from which a pointer finds an item
const DENSEST = 3;   // device pixels a CSS pixel at most
const FEW = 8;       // items of a cluster up to which its number stands beside them
const SHADES = [0.25, 0.32, 0.42, 0.58, 0.78, 1];  // of items, from the least to the most certain
const OUTLINED = 3;  // CSS pixels of a glyph's radius beyond which it has a rim in the colour of the paper

class Board {
  constructor(canvas, items, glyphs) {
    Object.assign(this, { canvas, items, glyphs, hovered: -1, selected: -1 });
    this.sheet = document.createElement("canvas");
    this.hidden = new Array(items.clusters).fill(false);
    this.threshold = 0;
    this.count = items.label.length;
    this.sizes = items.centre.map(() => 0);
    items.label.forEach((k) => { this.sizes[k] += 1; });
    this.view = { zoom: 1, x: 0.5, y: 0.5 };
  }

  get focus() {
    return this.hovered >= 0 ? this.hovered : this.selected;
  }

  visible(i) {
    return !this.hidden[this.items.label[i]];
  }

  // Where an item is, in CSS pixels from the canvas' top left.
  place(i) {
    return this.at(this.items.x[i], this.items.y[i]);
  }

  at(x, y) {
    const { zoom, x: cx, y: cy } = this.view;
    const across = 0.5 + zoom * (x / GRID - cx), up = 0.5 + zoom * (y / GRID - cy);
    return [PAD + across * (this.width - 2 * PAD), this.height - PAD - up * (this.height - 2 * PAD)];
  }

  // Look at the map so many times enlarged, moved by so many pixels; never beyond its ends.
  look(factor, dx = 0, dy = 0) {
    const view = this.view;
    view.zoom = Math.min(40, Math.max(1, view.zoom * factor));
    const half = 0.5 / view.zoom, within = (v) => Math.min(1 - half, Math.max(half, v));
    view.x = within(view.x - dx / view.zoom / (this.width - 2 * PAD));
    view.y = within(view.y + dy / view.zoom / (this.height - 2 * PAD));
    this.redraw();
  }

  // Bring an item into view.
  show(i) {
    const [x, y] = this.place(i);
    if (x < 0 || y < 0 || x > this.width || y > this.height) {
      this.look(1, this.width / 2 - x, this.height / 2 - y);
    }
  }

  resize() {
    const box = this.canvas.getBoundingClientRect();
    if (!box.width) return;
    this.width = box.width;
    this.height = box.height;
    this.ratio = Math.min(window.devicePixelRatio || 1, DENSEST);
    for (const each of [this.canvas, this.sheet]) {
      each.width = Math.round(this.width * this.ratio);
      each.height = Math.round(this.height * this.ratio);
    }
    this.redraw();
  }

  get radius() {
    const few = this.count <= 400 ? 5 : this.count <= 2000 ? 4.2 : this.count <= 5000 ? 3.4 : 2.8;
    return (this.width < 500 ? 0.8 : 1) * few * Math.min(1.8, Math.sqrt(this.view.zoom));
  }

  color(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  }

  // A cluster's glyph as a small picture: the paler the less sure, hollow for outliers; a shade of -1 is grey.
  stamp(k, shade, hollow) {
    const stamp = document.createElement("canvas"), size = Math.ceil((2 * this.radius + 4) * this.ratio);
    stamp.width = stamp.height = size;
    const ink = stamp.getContext("2d"), scale = this.radius * this.ratio;
    ink.setTransform(scale, 0, 0, scale, size / 2, size / 2);
    const path = new Path2D(this.glyphs[k % this.glyphs.length]);
    const color = this.color(shade < 0 ? "unsure" : `k${k}`);
    ink.lineWidth = (hollow ? 1.3 : 0.7) * this.ratio / scale;
    if (!hollow) {
      ink.globalAlpha = shade < 0 ? 1 : SHADES[shade];
      ink.fillStyle = color;
      ink.fill(path);
    }
    ink.globalAlpha = 1;
    ink.strokeStyle = hollow ? color : this.color("paper");
    if (hollow || this.radius > OUTLINED) ink.stroke(path);
    return stamp;
  }

  // Grey for an item below the threshold, else how dark it is.
  shade(i) {
    const level = this.items.level[i];
    return level < this.threshold ? -1 : Math.min(SHADES.length - 1, Math.floor(level * SHADES.length / 100));
  }

  redraw() {
    if (!this.width) return;
    const ink = this.sheet.getContext("2d"), stamps = new Map();
    ink.setTransform(1, 0, 0, 1, 0, 0);
    ink.clearRect(0, 0, this.sheet.width, this.sheet.height);
    for (let shade = -1; shade < SHADES.length; shade++) {
      for (let i = 0; i < this.count; i++) {
        if (!this.visible(i) || this.shade(i) !== shade) continue;
        const k = this.items.label[i], hollow = this.items.outlier[i], name = `${k} ${shade} ${hollow}`;
        if (!stamps.has(name)) stamps.set(name, this.stamp(k, shade, hollow));
        const stamp = stamps.get(name), [x, y] = this.place(i);
        ink.drawImage(stamp, x * this.ratio - stamp.width / 2, y * this.ratio - stamp.height / 2);
      }
    }
    this.number(ink);
    this.overlay();
  }

  // Each cluster's number in its midst, or above it where it would hide the few items that there are; beside that place
  // where a larger cluster's number is in the way.
  number(ink) {
    ink.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    Object.assign(ink, { textAlign: "center", textBaseline: "middle", lineJoin: "round", lineWidth: 4 });
    const line = this.items.clusters > 20 ? 11 : 14, placed = [];
    ink.font = `bold ${line}px system-ui, sans-serif`;
    ink.strokeStyle = this.color("paper");
    ink.fillStyle = this.color("ink");
    for (const k of this.items.centre.map((_, k) => k).sort((a, b) => this.sizes[b] - this.sizes[a])) {
      const centre = this.items.centre[k];
      if (!centre || this.hidden[k]) continue;
      const [x, y] = this.at(centre[0], centre[1]), aside = this.sizes[k] < FEW ? this.radius + 15 : 0;
      const above = y - aside > 8 ? y - aside : y + aside, width = ink.measureText(k).width + 4;
      const apart = ([u, v]) => placed.every(
        (other) => Math.abs(u - other.u) >= (width + other.width) / 2 || Math.abs(v - other.v) >= line + 1);
      const near = [[0, 0], [0, -1], [0, 1], [1, 0], [-1, 0], [1, -1], [-1, -1], [1, 1], [-1, 1]];
      const places = near.map(([right, down]) => [x + right * width, above + down * (line + 1)]);
      const [u, v] = places.find(apart) ?? places[0];
      placed.push({ u, v, width });
      ink.strokeText(k, u, v);
      ink.fillText(k, u, v);
    }
  }

  // The item in focus in a ring, with lines to its nearest items.
  overlay() {
    const ink = this.canvas.getContext("2d"), i = this.focus;
    ink.setTransform(1, 0, 0, 1, 0, 0);
    ink.clearRect(0, 0, this.canvas.width, this.canvas.height);
    ink.drawImage(this.sheet, 0, 0);
    if (i < 0) return;
    ink.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const [x, y] = this.place(i), ring = this.radius + 3;
    const lines = new Path2D(), own = new Path2D();
    for (const j of this.items.near[i]) {
      if (j < 0 || !this.visible(j)) continue;
      const [u, v] = this.place(j), far = Math.hypot(u - x, v - y);
      if (far > 2 * ring + 1) {
        const cx = (u - x) / far, cy = (v - y) / far;
        lines.moveTo(x + cx * (ring + 2), y + cy * (ring + 2));
        lines.lineTo(u - cx * (ring - 1), v - cy * (ring - 1));
      }
      lines.moveTo(u + ring - 1, v);
      lines.arc(u, v, ring - 1, 0, 2 * Math.PI);
    }
    own.arc(x, y, ring + 2, 0, 2 * Math.PI);
    for (const [path, width] of [[lines, 1.5], [own, 2.5]]) {
      ink.lineWidth = width + 2;
      ink.strokeStyle = this.color("paper");
      ink.stroke(path);
      ink.lineWidth = width;
      ink.strokeStyle = this.color("ink");
      ink.stroke(path);
    }
  }

  // The visible item nearest to a place, none where all are out of reach; `ahead` may restrict which.
  find(x, y, reach = REACH, ahead = null) {
    let best = reach * reach, found = -1;
    for (let i = 0; i < this.count; i++) {
      if (!this.visible(i)) continue;
      const [u, v] = this.place(i), far = (u - x) ** 2 + (v - y) ** 2;
      if (far < best && (!ahead || ahead(i, u - x, v - y))) {
        best = far;
        found = i;
      }
    }
    return found;
  }
}
