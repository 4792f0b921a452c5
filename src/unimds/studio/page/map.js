// A map on a canvas: it moves, turns, zooms, and lets points be dragged.

import { brief, css, light, lit, sized } from "./parts.js";

const EASE = 45; // milliseconds in which a point goes most of its way to where it should be
const PACE = 1000 / 30; // between two frames of a fit
const LONGEST = 45; // frames that may wait; a page that is behind leaves some out
const NEAR = 14; // pixels from a point within which the pointer means it
const NAMES = 400; // points whose names are tried, at most
const STILL = 150; // points whose names are shown while the map moves, at most
const MARGIN = 34;

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => { const l = Math.hypot(...a) || 1; return a.map((v) => v / l); };

// A point, drawn once for each colour and size: a picture of it is copied many times faster than a circle is filled.
const stamps = new Map();
function stampOf(colour, radius) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const key = `${colour}|${radius}|${ratio}`;
  if (!stamps.has(key)) {
    const half = radius + 1;
    const image = document.createElement("canvas");
    image.width = image.height = Math.ceil(2 * half * ratio);
    const pen = image.getContext("2d");
    pen.scale(image.width / (2 * half), image.width / (2 * half));
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(half, half, radius, 0, 2 * Math.PI);
    pen.fill();
    stamps.set(key, { image, half, colour, radius });
  }
  return stamps.get(key);
}

export class MapView {
  constructor(canvas, { drag = null, select = null, tip = null } = {}) {
    this.canvas = canvas;
    this.drag = drag; // (number, place, last)
    this.selects = select;
    this.tip = tip;
    this.names = [];
    this.kept = [];
    this.colours = null;
    this.fixed = new Set();
    this.selected = -1;
    this.links = []; // pairs of numbers
    this.regions = [];
    this.showNames = true;
    this.frames = 0; // drawn: for whoever measures
    this.reset();
    this.listen();
    new ResizeObserver(() => this.wake()).observe(canvas);
  }

  reset() {
    this.kind = "plane";
    this.edge = [];
    this.grid = [];
    this.goal = null; // where the points should be: three numbers each
    this.here = null; // where they are drawn
    this.queue = [];
    this.whole();
  }

  whole() {
    this.zoom = 1;
    this.pan = [0, 0];
    this.look = null;
    this.box = null;
    this.wake();
  }

  get deep() { return this.kind === "space" || this.kind === "globe"; }

  // --- what is shown ---

  shape(about, kept) {
    if (about.kind !== undefined && about.kind !== this.kind) { this.look = null; this.box = null; this.here = null; }
    if (about.kind !== undefined) { this.kind = about.kind; this.edge = about.edge; this.grid = about.grid; }
    if (kept.length !== this.kept.length || kept.some((k, at) => k !== this.kept[at])) this.carry(kept);
  }

  // Points that stay keep their places when others come or go.
  carry(kept) {
    if (this.here) {
      const row = new Map(this.kept.map((k, at) => [k, at]));
      const here = new Float32Array(3 * kept.length);
      kept.forEach((k, at) => {
        const from = row.get(k);
        for (let c = 0; c < 3; c += 1) here[3 * at + c] = from === undefined ? NaN : this.here[3 * from + c];
      });
      this.here = here;
    }
    this.kept = kept;
    this.rowOf = new Map(kept.map((k, at) => [k, at]));
    this.goal = null;
    this.queue = [];
  }

  // A frame of a fit waits for its turn; at once: it is shown next.
  push(about, points, kept, atOnce = false) {
    this.queue.push({ about, points, kept });
    if (atOnce) this.queue.splice(0, this.queue.length - 1);
    while (this.queue.length > LONGEST) this.queue.splice(1, 1);
    this.wake();
  }

  take({ about, points, kept }) {
    this.shape(about, kept);
    const k = kept.length ? points.length / kept.length : 2;
    const goal = new Float32Array(3 * kept.length);
    for (let i = 0; i < kept.length; i += 1) for (let c = 0; c < k; c += 1) goal[3 * i + c] = points[k * i + c];
    this.goal = goal;
    if (!this.here || this.here.length !== goal.length) this.here = goal.slice();
    for (let i = 0; i < goal.length; i += 1) if (Number.isNaN(this.here[i])) this.here[i] = goal[i];
    if (!this.look && this.deep) this.face();
    this.took?.(about);
  }

  // Look at the middle of the points, from where most can be seen.
  face() {
    const mean = [0, 0, 0];
    for (let i = 0; i < this.goal.length; i += 1) mean[i % 3] += this.goal[i];
    const front = this.kind === "globe" && Math.hypot(...mean) > 1e-6 ? unit(mean) : unit([0.9, 0.45, 0.35]);
    const north = Math.abs(front[2]) < 0.99 ? [0, 0, 1] : [0, 1, 0];
    const right = unit(cross(north, front));
    this.look = { front, right, up: cross(front, right) };
  }

  turn(dx, dy) {
    const rotate = (v, axis, angle) => {
      const [c, s, d] = [Math.cos(angle), Math.sin(angle), dot(axis, v)];
      const w = cross(axis, v);
      return v.map((x, k) => x * c + w[k] * s + axis[k] * d * (1 - c));
    };
    const { front, right, up } = this.look;
    const f = rotate(rotate(front, up, -dx), right, -dy);
    const r = rotate(rotate(right, up, -dx), right, -dy);
    this.look = { front: unit(f), right: unit(r), up: unit(cross(f, r)) };
    this.wake();
  }

  // --- time ---

  wake() {
    if (this.timer) return;
    this.timer = requestAnimationFrame((now) => { this.timer = 0; this.tick(now); });
  }

  tick(now) {
    const passed = Math.min(now - (this.before ?? now - 16), 100);
    this.before = now;
    if (this.queue.length && now - (this.taken ?? 0) >= PACE - 4) {
      this.taken = now;
      this.take(this.queue.shift());
    }
    this.moving = this.ease(passed) || this.queue.length > 0;
    this.draw();
    this.frames += 1;
    if (this.moving) this.wake(); else this.before = undefined;
  }

  ease(passed) {
    if (!this.goal) return false;
    const share = 1 - Math.exp(-passed / EASE);
    // while a point is dragged the picture must not slip away under the pointer
    const box = this.held ? this.box : this.bounds();
    if (!this.box) this.box = box;
    let far = 0;
    for (const key of ["x", "y", "r"]) {
      const gap = box[key] - this.box[key];
      this.box[key] += gap * share;
      far = Math.max(far, Math.abs(gap) / (box.r || 1));
    }
    let most = 0;
    for (let i = 0; i < this.goal.length; i += 1) {
      const gap = this.goal[i] - this.here[i];
      this.here[i] += gap * share;
      if (Math.abs(gap) > most) most = Math.abs(gap);
    }
    if (this.held) this.here.set(this.held.place, 3 * this.held.row);
    const still = most < 2e-4 * (box.r || 1) && far < 2e-4;
    if (still) { this.here.set(this.goal); this.box = box; if (this.held) this.here.set(this.held.place, 3 * this.held.row); }
    return !still;
  }

  bounds() {
    if (this.kind === "globe" || this.kind === "cap" || this.kind === "circle") return { x: 0, y: 0, r: 1.04 };
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < this.goal.length; i += 1) {
      const c = i % 3;
      if (this.goal[i] < low[c]) low[c] = this.goal[i];
      if (this.goal[i] > high[c]) high[c] = this.goal[i];
    }
    const middle = low.map((v, c) => (v + high[c]) / 2);
    this.middle = middle;
    const reach = this.reach(this.kind === "space" ? middle : [0, 0, 0]);
    if (this.kind === "space") return { x: 0, y: 0, r: reach || 1 };
    if (this.kind === "triangle") return { x: 0.5, y: Math.sqrt(0.1875), r: 0.58 };
    if (this.kind === "disk") return { x: 0, y: 0, r: reach > 0.6 ? 1.04 : Math.max(1.2 * reach, 1e-9) };
    const [width, height] = [this.canvas.clientWidth - 2 * MARGIN, this.canvas.clientHeight - 2 * MARGIN];
    const side = Math.min(width, height) || 1;
    // half of the shorter side of the picture, in units of the map
    const r = Math.max(((high[0] - low[0]) / 2) * (side / width), ((high[1] - low[1]) / 2) * (side / height)) || 1;
    return { x: middle[0], y: middle[1], r };
  }

  // How far the farthest point is from a place.
  reach(from) {
    let most = 0;
    for (let i = 0; i < this.goal.length; i += 3) {
      most = Math.max(most, Math.hypot(this.goal[i] - from[0], this.goal[i + 1] - from[1], this.goal[i + 2] - from[2]));
    }
    return most;
  }

  // --- drawing ---

  get scale() {
    const side = Math.min(this.canvas.clientWidth, this.canvas.clientHeight) / 2 - MARGIN;
    return (this.zoom * Math.max(side, 10)) / (this.box?.r || 1);
  }

  // Where a place is on the canvas, and how near it is to the reader.
  at(x, y, z) {
    const { cx, cy, scale, m } = this.lens;
    if (!this.deep) return [cx + (x - this.box.x) * scale, cy - (y - this.box.y) * scale, 0];
    const v = [x - m[0], y - m[1], z - m[2]];
    return [cx + dot(v, this.look.right) * scale, cy - dot(v, this.look.up) * scale, dot(v, this.look.front) / this.box.r];
  }

  // What all points of a frame have in common: to ask the canvas for its size again and again takes long.
  focus(width, height) {
    const m = this.kind === "space" ? this.middle : [0, 0, 0];
    this.lens = { cx: width / 2 + this.pan[0], cy: height / 2 + this.pan[1], scale: this.scale, m };
  }

  draw() {
    const { pen, width, height } = sized(this.canvas);
    if (!this.here || !this.box) return;
    this.focus(width, height);
    this.backdrop(pen);
    const n = this.kept.length;
    this.spots = new Float32Array(3 * n);
    for (let i = 0; i < n; i += 1) this.spots.set(this.at(this.here[3 * i], this.here[3 * i + 1], this.here[3 * i + 2]), 3 * i);
    this.drawRegions(pen);
    this.drawLinks(pen);
    this.drawPoints(pen, n);
    this.drawMarks(pen);
    this.drawNames(pen, width, height);
  }

  polyline(pen, line, back) {
    let on = false;
    for (const place of line) {
      if (place[0] === null) { on = false; continue; }
      const [x, y, z] = this.at(place[0], place[1], place[2] ?? 0);
      if (this.kind === "globe" && z < 0 !== back) { on = false; continue; }
      if (on) pen.lineTo(x, y); else pen.moveTo(x, y);
      on = true;
    }
  }

  backdrop(pen) {
    if (this.kind === "globe" || this.kind === "disk" || this.kind === "cap") {
      const [x, y] = this.at(0, 0, 0);
      pen.fillStyle = css("--globe");
      pen.beginPath();
      pen.arc(x, y, this.scale, 0, 2 * Math.PI);
      pen.fill();
    }
    pen.lineWidth = 1;
    for (const back of this.kind === "globe" ? [true, false] : [false]) {
      pen.strokeStyle = css("--grid");
      pen.globalAlpha = back ? 0.35 : 1;
      pen.beginPath();
      for (const line of this.grid) this.polyline(pen, line, back);
      pen.stroke();
    }
    pen.globalAlpha = 1;
    pen.strokeStyle = css("--edge");
    pen.beginPath();
    for (const line of this.edge) this.polyline(pen, line, false);
    if (this.kind === "triangle") { pen.fillStyle = css("--globe"); pen.globalCompositeOperation = "destination-over"; pen.fill(); pen.globalCompositeOperation = "source-over"; }
    if (this.kind === "line") { const y = this.at(0, 0, 0)[1]; pen.moveTo(0, y); pen.lineTo(this.canvas.clientWidth, y); }
    pen.stroke();
    if (this.kind === "space") this.axes(pen);
  }

  axes(pen) {
    const r = 0.5 * this.box.r;
    const m = this.middle;
    pen.strokeStyle = css("--line");
    pen.beginPath();
    for (let c = 0; c < 3; c += 1) {
      const [low, high] = [[...m], [...m]];
      low[c] -= r;
      high[c] += r;
      const [a, b] = [this.at(...low), this.at(...high)];
      pen.moveTo(a[0], a[1]);
      pen.lineTo(b[0], b[1]);
    }
    pen.stroke();
  }

  drawRegions(pen) {
    if (!this.regions.length) return;
    pen.strokeStyle = css("--region");
    pen.globalAlpha = Math.min(0.8, Math.sqrt(120 / this.regions.length));
    pen.lineWidth = 1;
    pen.beginPath();
    for (const line of this.regions) this.polyline(pen, line, false);
    pen.stroke();
    pen.globalAlpha = 1;
  }

  spot(k) {
    const row = this.rowOf?.get(k);
    return row === undefined ? null : [this.spots[3 * row], this.spots[3 * row + 1], this.spots[3 * row + 2]];
  }

  drawLinks(pen) {
    const pairs = [...this.links, ...(lit.pair ? [lit.pair] : [])];
    pen.strokeStyle = css("--mark");
    pen.lineWidth = 1.4;
    pen.setLineDash([3, 3]);
    pen.beginPath();
    for (const [i, j] of pairs) {
      const [a, b] = [this.spot(i), this.spot(j)];
      if (a && b) { pen.moveTo(a[0], a[1]); pen.lineTo(b[0], b[1]); }
    }
    pen.stroke();
    pen.setLineDash([]);
  }

  get radius() { const n = this.kept.length; return n <= 150 ? 5 : n <= 600 ? 4 : n <= 1500 ? 3 : 2.5; }

  drawPoints(pen, n) {
    const usual = css("--point"); // asked once: to look it up takes longer than to draw a point
    const order = this.kind === "space" ? this.byDepth(n) : null;
    const radius = this.radius;
    let stamp = null;
    for (let at = 0; at < n; at += 1) {
      const i = order ? order[at] : at;
      const depth = this.spots[3 * i + 2];
      pen.globalAlpha = this.kind === "globe" && depth < 0 ? 0.25 : 1;
      const near = this.kind === "space" ? 1 + 0.35 * depth : 1;
      const colour = this.colours?.[this.kept[i]] ?? usual;
      const size = Math.round(2 * radius * near) / 2;
      if (stamp?.colour !== colour || stamp.radius !== size) stamp = stampOf(colour, size);
      pen.drawImage(stamp.image, this.spots[3 * i] - stamp.half, this.spots[3 * i + 1] - stamp.half, 2 * stamp.half, 2 * stamp.half);
    }
    pen.globalAlpha = 1;
  }

  // The points that are nearest to the reader come last.
  byDepth(n) { return [...Array(n).keys()].sort((a, b) => this.spots[3 * a + 2] - this.spots[3 * b + 2]); }

  drawMarks(pen) {
    pen.lineWidth = 2.5;
    const r = this.radius;
    for (const k of this.fixed) {
      const spot = this.spot(k);
      if (!spot) continue;
      pen.strokeStyle = css("--ink");
      pen.strokeRect(spot[0] - r - 2, spot[1] - r - 2, 2 * r + 4, 2 * r + 4);
    }
    for (const [k, by] of [[this.selected, 6], [lit.point, 4], ...(lit.pair ?? []).map((k) => [k, 4])]) {
      const spot = this.spot(k);
      if (!spot) continue;
      pen.strokeStyle = css("--mark");
      pen.beginPath();
      pen.arc(spot[0], spot[1], r + by, 0, 2 * Math.PI);
      pen.stroke();
    }
  }

  // Names that do not hide each other: first those that are meant, then in order.
  drawNames(pen, width, height) {
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    pen.lineWidth = 3;
    pen.lineJoin = "round";
    pen.strokeStyle = css("--paper");
    pen.fillStyle = css("--ink");
    const meant = [this.selected, lit.point, ...(lit.pair ?? [])].filter((k) => this.rowOf?.has(k));
    // many names cannot be read while they move, and take most of the time
    const some = this.showNames && this.kept.length <= (this.moving ? STILL : 2000);
    const all = some ? this.kept.slice(0, NAMES) : [];
    const taken = [];
    for (const k of new Set([...meant, ...this.fixed, ...all])) {
      const spot = this.spot(k);
      if (!spot || (this.kind === "globe" && spot[2] < 0) || spot[0] < 0 || spot[0] > width || spot[1] < 0 || spot[1] > height) continue;
      const text = brief(this.names[k] ?? String(k + 1));
      const wide = pen.measureText(text).width;
      const left = spot[0] + this.radius + 4 + wide > width ? spot[0] - this.radius - 4 - wide : spot[0] + this.radius + 4;
      if (this.kind === "line") { this.slanted(pen, text, spot, taken, wide, meant.includes(k)); continue; }
      const box = [left - 2, spot[1] - 8, left + wide + 2, spot[1] + 8];
      const clash = taken.some((b) => box[0] < b[2] && b[0] < box[2] && box[1] < b[3] && b[1] < box[3]);
      if (clash && !meant.includes(k)) continue;
      taken.push(box);
      pen.strokeText(text, left, spot[1]);
      pen.fillText(text, left, spot[1]);
    }
  }

  // On a line names stand side by side if they are slanted.
  slanted(pen, text, spot, taken, wide, meant) {
    if (taken.some((x) => Math.abs(x - spot[0]) < 15) && !meant) return;
    taken.push(spot[0]);
    pen.save();
    pen.translate(spot[0] + 2, spot[1] - this.radius - 4);
    pen.rotate(-Math.PI / 3);
    pen.strokeText(text, 0, 0);
    pen.fillText(text, 0, 0);
    pen.restore();
  }

  // --- the pointer ---

  nearest(x, y) {
    let [best, least] = [-1, NEAR * NEAR];
    for (let i = 0; i < this.kept.length; i += 1) {
      if (this.kind === "globe" && this.spots[3 * i + 2] < 0) continue;
      const [dx, dy] = [this.spots[3 * i] - x, this.spots[3 * i + 1] - y];
      const gap = dx * dx + dy * dy;
      if (gap < least) { least = gap; best = this.kept[i]; }
    }
    return best;
  }

  // The place under the pointer: in space it is as deep as the point was.
  placeAt(x, y, row) {
    const [cx, cy] = [this.canvas.clientWidth / 2 + this.pan[0], this.canvas.clientHeight / 2 + this.pan[1]];
    const [dx, dy] = [(x - cx) / this.scale, (cy - y) / this.scale];
    if (!this.deep) {
      const flat = [this.box.x + dx, this.kind === "line" ? 0 : this.box.y + dy];
      if (this.kind === "circle") { const l = Math.hypot(...flat) || 1; return [flat[0] / l, flat[1] / l]; }
      if (this.kind === "disk" || this.kind === "cap") { const l = Math.hypot(...flat); return l > 0.995 ? flat.map((v) => (0.995 * v) / l) : flat; }
      return flat;
    }
    const { front, right, up } = this.look;
    const m = this.kind === "space" ? this.middle : [0, 0, 0];
    const old = [0, 1, 2].map((c) => this.here[3 * row + c] - m[c]);
    const inside = Math.min(Math.hypot(dx, dy), 1);
    const depth = this.kind === "globe" ? Math.sqrt(Math.max(0, 1 - inside * inside)) : dot(old, front);
    const place = [0, 1, 2].map((c) => m[c] + dx * right[c] + dy * up[c] + depth * front[c]);
    return this.kind === "globe" ? unit(place) : place;
  }

  listen() {
    const canvas = this.canvas;
    const spot = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    canvas.addEventListener("pointerdown", (event) => {
      if (!this.spots || event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      const [x, y] = spot(event);
      this.press = { x, y, k: this.nearest(x, y), moved: false, pan: event.shiftKey };
    });
    canvas.addEventListener("pointermove", (event) => this.moved(...spot(event)));
    canvas.addEventListener("pointerup", (event) => this.released(...spot(event)));
    canvas.addEventListener("pointercancel", () => { this.press = null; this.held = null; });
    canvas.addEventListener("pointerleave", () => { if (!this.press) { light(-1); this.tip?.(-1); } });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoomAt(...spot(event), Math.exp(-event.deltaY * 0.0015));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  zoomAt(x, y, by) {
    const zoom = Math.min(Math.max(this.zoom * by, 0.2), 200);
    const [cx, cy] = [this.canvas.clientWidth / 2, this.canvas.clientHeight / 2];
    const ratio = zoom / this.zoom;
    this.pan = [x - cx - (x - cx - this.pan[0]) * ratio, y - cy - (y - cy - this.pan[1]) * ratio];
    this.zoom = zoom;
    this.wake();
  }

  key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (steps && this.look && this.deep) this.turn(0.12 * steps[0], 0.12 * steps[1]);
    else if (steps) this.pan = [this.pan[0] - 40 * steps[0], this.pan[1] - 40 * steps[1]];
    else if (event.key === "+" || event.key === "-") this.zoomAt(this.canvas.clientWidth / 2, this.canvas.clientHeight / 2, event.key === "+" ? 1.25 : 0.8);
    else if (event.key === "0") this.whole();
    else if (event.key === "Escape") this.selects?.(-1);
    else return;
    event.preventDefault();
    this.wake();
  }

  moved(x, y) {
    if (!this.spots) return;
    const press = this.press;
    if (!press) {
      const k = this.nearest(x, y);
      this.canvas.classList.toggle("pointing", k >= 0);
      light(k);
      this.tip?.(k, x, y);
      return;
    }
    if (!press.moved && Math.hypot(x - press.x, y - press.y) < 4) return;
    if (!press.moved) { press.moved = true; this.canvas.classList.add("moving"); this.tip?.(-1); }
    if (press.k >= 0 && this.drag) {
      const row = this.rowOf.get(press.k);
      const place = this.placeAt(x, y, row);
      this.held = { row, place: [...place, 0].slice(0, 3) };
      this.here.set(this.held.place, 3 * row);
      this.drag(press.k, place, false);
    } else if (this.deep && !press.pan) {
      this.turn((x - press.x) / 160, (y - press.y) / 160);
      [press.x, press.y] = [x, y];
    } else {
      this.pan = [this.pan[0] + x - press.x, this.pan[1] + y - press.y];
      [press.x, press.y] = [x, y];
    }
    this.wake();
  }

  released(x, y) {
    const press = this.press;
    this.press = null;
    this.canvas.classList.remove("moving");
    if (!press) return;
    if (!press.moved) this.selects?.(press.k);
    else if (press.k >= 0 && this.drag) {
      const row = this.rowOf.get(press.k);
      const place = this.placeAt(x, y, row);
      this.goal.set([...place, 0].slice(0, 3), 3 * row);
      this.held = null;
      this.drag(press.k, place, true);
    }
    this.wake();
  }
}
