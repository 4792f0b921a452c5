// The Shepard diagram and the course of the cost.

import { css, light, lit, number, sized } from "./parts.js";

const MOST = 2000; // costs that are drawn: of more, every second
const PAD = { left: 62, right: 10, top: 10, bottom: 34 };

export class Shepard {
  constructor(canvas) {
    this.canvas = canvas;
    this.data = null;
    this.own = null; // all pairs of the point that is lit, or selected
    this.selected = -1;
    this.names = [];
    new ResizeObserver(() => this.draw()).observe(canvas);
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("pointerleave", () => light(-1));
  }

  show(data, curve) {
    this.data = data;
    this.curve = curve;
    this.own = null;
    const most = (values) => values.reduce((a, b) => (b > a ? b : a), 0) || 1;
    this.wide = data ? most(data.given) : 1;
    this.high = data ? Math.max(most(data.mapped), most(data.target)) : 1;
    this.low = data ? Math.min(0, ...data.given.slice(0, 5000)) : 0;
    this.draw();
  }

  at(x, y) {
    const [width, height] = this.size; // of the last drawing: to ask for it takes long
    return [
      PAD.left + ((x - this.low) / (this.wide - this.low || 1)) * (width - PAD.left - PAD.right),
      height - PAD.bottom - (y / this.high) * (height - PAD.top - PAD.bottom),
    ];
  }

  draw() {
    const { pen, width, height } = sized(this.canvas);
    this.size = [width, height];
    pen.font = "12px system-ui, sans-serif";
    if (!this.data) return;
    this.axes(pen, width, height);
    const { given, mapped } = this.data;
    const many = given.length > 1500;
    pen.fillStyle = css("--point");
    pen.globalAlpha = many ? 0.35 : 0.6;
    const r = many ? 1.5 : 2.2;
    for (let p = 0; p < given.length; p += 1) {
      const [x, y] = this.at(given[p], mapped[p]);
      pen.fillRect(x - r, y - r, 2 * r, 2 * r);
    }
    pen.globalAlpha = 1;
    this.lineOfFit(pen);
    this.marks(pen);
  }

  axes(pen, width, height) {
    pen.fillStyle = css("--quiet");
    pen.strokeStyle = css("--line");
    pen.lineWidth = 1;
    pen.strokeRect(PAD.left, PAD.top, width - PAD.left - PAD.right, height - PAD.top - PAD.bottom);
    pen.textAlign = "center";
    for (const t of [0, 0.5, 1]) pen.fillText(number(this.low + t * (this.wide - this.low)), this.at(this.low + t * (this.wide - this.low), 0)[0] - (t === 1 ? 10 : 0), height - PAD.bottom + 14);
    pen.fillText("given", width / 2, height - 5);
    pen.textAlign = "right";
    for (const t of [0, 0.5, 1]) pen.fillText(number(t * this.high), PAD.left - 5, this.at(0, t * this.high)[1] + 4);
    pen.save();
    pen.translate(11, height / 2);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = "center";
    pen.fillText("on the map", 0, 0);
    pen.restore();
  }

  // Where a perfect fit would lie: the diagonal, or the transformation.
  lineOfFit(pen) {
    const end = Math.min(this.wide, this.high);
    const line = this.curve?.length ? this.curve[0][0].map((x, p) => [x, this.curve[0][1][p]]) : [[0, 0], [end, end]];
    pen.strokeStyle = css("--ink");
    pen.lineWidth = 1.4;
    pen.beginPath();
    line.forEach(([x, y], p) => { const at = this.at(x, y); if (p) pen.lineTo(...at); else pen.moveTo(...at); });
    pen.stroke();
  }

  marks(pen) {
    const { i, j, given, mapped } = this.data;
    pen.fillStyle = css("--mark");
    const mark = (x, y, r) => { const at = this.at(x, y); pen.beginPath(); pen.arc(at[0], at[1], r, 0, 2 * Math.PI); pen.fill(); };
    const meant = lit.point >= 0 || lit.pair ? lit.point : this.selected;
    const own = this.own?.i === meant ? this.own : null;
    if (own) own.j.forEach((k, p) => { if (k !== own.i && own.given[p] !== null) mark(own.given[p], own.mapped[p], 2.4); });
    else if (meant >= 0) for (let p = 0; p < i.length; p += 1) if (i[p] === meant || j[p] === meant) mark(given[p], mapped[p], 2.4);
    if (lit.pair && this.pair) mark(this.pair[0], this.pair[1], 4.5);
  }

  // A pair that another part of the page shows.
  point(given, mapped) { this.pair = [given, mapped]; }

  hover(event) {
    if (!this.data || !this.size) return;
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let [best, least] = [-1, 100];
    const { i, j, given, mapped } = this.data;
    for (let p = 0; p < given.length; p += 1) {
      const at = this.at(given[p], mapped[p]);
      const gap = (at[0] - x) ** 2 + (at[1] - y) ** 2;
      if (gap < least) { least = gap; best = p; }
    }
    if (best < 0) { light(-1); return; }
    this.point(given[best], mapped[best]);
    light(-1, [i[best], j[best]]);
  }
}

// The cost of a fit, sweep by sweep, while it runs.
export class Course {
  constructor(canvas) {
    this.canvas = canvas;
    this.clear();
  }

  clear() { this.costs = []; this.draw(); }

  add(cost) {
    if (cost === null) return; // beyond all numbers
    this.costs.push(cost);
    if (this.costs.length > MOST) this.costs = this.costs.filter((_, at) => at % 2 === 0 || at === this.costs.length - 1);
    this.draw();
  }

  draw() {
    const { pen, width, height } = sized(this.canvas);
    if (this.costs.length < 2) return;
    const logs = this.costs.map((cost) => Math.log(Math.max(cost, 1e-300)));
    const [low, high] = [Math.min(...logs), Math.max(...logs)];
    pen.strokeStyle = css("--point");
    pen.lineWidth = 1.5;
    pen.beginPath();
    logs.forEach((v, p) => {
      const at = [4 + (p / (logs.length - 1)) * (width - 8), 3 + (1 - (v - low) / (high - low || 1)) * (height - 6)];
      if (p) pen.lineTo(...at); else pen.moveTo(...at);
    });
    pen.stroke();
  }
}
