// Two maps side by side, turned onto each other; the left one can change into the right one.

import { MapView } from "./map.js";
import { $, light, onLit, row, table } from "./parts.js";

const PLAYED = 1600; // milliseconds of the change
const FARTHEST = 12;

export class Comparison {
  constructor(names) {
    this.names = names;
    this.one = new MapView($("one"));
    this.other = new MapView($("other"));
    onLit(() => { this.one.wake(); this.other.wake(); });
    $("play").addEventListener("click", () => this.play());
    $("between").addEventListener("input", () => this.blend(Number($("between").value) / 100));
    $("close-comparison").addEventListener("click", () => { $("comparison").hidden = true; });
  }

  show(found, one, other) {
    $("comparison").hidden = false;
    this.found = found;
    for (const [view, data] of [[this.one, found.first], [this.other, found.second]]) {
      view.reset();
      view.names = this.names();
      view.take({ about: data, points: flat(data.points), kept: found.kept });
      view.wake();
    }
    $("one-told").textContent = one;
    $("other-told").textContent = other;
    $("comparison-told").textContent = found.words;
    $("between").value = 0;
    // a change can be shown where both pictures have the same shape
    const alike = found.first.kind === found.second.kind;
    for (const id of ["play", "between"]) $(id).disabled = !alike;
    this.list();
    $("comparison").scrollIntoView({ block: "nearest" });
  }

  list() {
    const { kept, moved } = this.found;
    const order = kept.map((_, at) => at).sort((a, b) => moved[b] - moved[a]).slice(0, FARTHEST);
    const rows = order.map((at) => {
      const made = row([this.names()[kept[at]], moved[at]]);
      made.addEventListener("pointerenter", () => light(kept[at]));
      made.addEventListener("pointerleave", () => light(-1));
      return made;
    });
    $("moved").replaceChildren(table(["moved most", { number: "by" }], rows));
  }

  blend(share) {
    const { first, second, kept } = this.found;
    let points = first.points.map((p, at) => p.map((v, c) => v + share * (second.points[at][c] - v)));
    // on a globe or a circle points move along the surface, not through it
    if (first.kind === "globe" || first.kind === "circle") points = points.map((p) => { const l = Math.hypot(...p) || 1; return p.map((v) => v / l); });
    this.one.take({ about: {}, points: flat(points), kept });
    this.one.here.set(this.one.goal);
    this.one.wake();
  }

  play() {
    const began = performance.now();
    cancelAnimationFrame(this.playing); // it may play already
    const forward = Number($("between").value) < 50;
    const step = (now) => {
      const t = Math.min((now - began) / PLAYED, 1);
      const eased = t < 0.5 ? 2 * t * t : 1 - 2 * (1 - t) * (1 - t);
      const share = forward ? eased : 1 - eased;
      $("between").value = Math.round(100 * share);
      this.blend(share);
      if (t < 1) this.playing = requestAnimationFrame(step);
    };
    this.playing = requestAnimationFrame(step);
  }
}

const flat = (points) => Float32Array.from(points.flat());