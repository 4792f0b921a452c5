// --- layers: hulls, ellipses, trees, arrows, bubbles, each with a box to switch it on and off --------

const ROLES = { miss: "--mark", region: "--region", note: "--quiet", ink: "--ink" };
const hueOf = (hue) => (typeof hue === "number" ? HUES[hue % HUES.length] : css(ROLES[hue] ?? "--ink"));
const faint = (color) => `${color}${color.length === 7 ? "22" : ""}`; // #rrggbb with some transparency
const layersShown = () => data.layers.filter((_, k) => $(`layer-${k}`).checked);

function layerBoxes() {
  $("layers").hidden = !data.layers.length;
  data.layers.forEach((layer, k) => {
    const field = element("div", undefined, { class: "field check" });
    const box = element("input", undefined, { type: "checkbox", id: `layer-${k}` });
    box.checked = true;
    box.addEventListener("change", () => drawMap());
    field.append(box, element("label", layer.name, { for: `layer-${k}` }));
    $("layers").append(field);
  });
}

function layerLines({ at, hue, width, filled, dashed }) {
  const trace = lineTrace(lift(at, 1.003), hueOf(hue), (flat ? 1.3 : 2.6) * width, dashed ? "dash" : "solid");
  const broad = width > 4; // a region of one dimension
  return { ...trace, opacity: broad ? 0.4 : 1, ...(flat && filled ? { fill: "toself", fillcolor: faint(hueOf(hue)) } : {}) };
}

function layerDots({ at, hue, sign, sizes, hollow }) {
  const color = hueOf(hue);
  // in space, the line of an open circle would grow with it, and signs are drawn larger than they are called
  const open = flat ? { symbol: "circle-open" } : { symbol: "circle", color: "rgba(0, 0, 0, 0)" };
  const ring = hollow ? { ...open, line: { color, width: 1.5 } } : { symbol: sign, line: { color: css("--paper"), width: flat ? 1 : 0 } };
  const marker = { color, opacity: 1, size: sizes ? sizes.map((s) => (s * 4) / 3) : flat ? 10 : 4, ...ring };
  return { ...named(lift(at, 1.006)), type: flat ? "scatter" : "scatter3d", mode: "markers", hoverinfo: "skip", marker };
}

// All arrows of one colour: lines with gaps, whose ends have a head.
function layerArrows(arrows) {
  const ends = arrows.flatMap(({ from, to }) => [from, to, from.map(() => null)]);
  const axes = data.points.map((_, a) => ends.map((at) => at[a]));
  const color = hueOf(arrows[0].hue);
  const head = flat ? { symbol: "arrow", angleref: "previous", size: ends.map((_, k) => (k % 3 === 1 ? 13 : 0)) } : { symbol: "diamond", size: ends.map((_, k) => (k % 3 === 1 ? 5 : 0)) };
  return { ...lineTrace(axes, color, flat ? 2 : 4), mode: "lines+markers", marker: { color, opacity: 1, line: { width: 0 }, ...head } };
}

function layersBelow() {
  return layersShown().flatMap(({ lines = [], dots = [] }) => [...lines.map(layerLines), ...dots.filter(({ hollow }) => hollow).map(layerDots)]);
}

function layersAbove() {
  return layersShown().flatMap(({ dots = [], arrows = [] }) => [...dots.filter(({ hollow }) => !hollow).map(layerDots), ...(arrows.length ? [layerArrows(arrows)] : [])]);
}

const layerNames = () => layersShown().flatMap(({ names = [] }) => names);

// Where signs and arrows of layers are on the screen; a sign is named beside it, and an arrow may begin at a point.
function layerObstacles(place) {
  const shown = layersShown();
  const signs = shown.flatMap(({ dots = [] }) => dots.filter(({ hollow }) => !hollow));
  const marks = signs.flatMap(({ at }) => at[0].map((_, k) => place(at.map((axis) => axis[k]))));
  const ends = shown.flatMap(({ arrows = [] }) => arrows.map(({ from, to }) => [place(from), place(to)]));
  const along = [...Array(12).keys()].map((k) => (k + 1) / 12);
  const strokes = ends.filter(([a, b]) => a && b).flatMap(([a, b]) => along.map((t) => a.map((from, axis) => from + t * (b[axis] - from))));
  return { marks: marks.filter(Boolean), strokes };
}

// What the colours of the points do not tell already.
function drawLayerLegend(legend, known) {
  for (const layer of layersShown()) {
    const entries = (layer.legend ?? []).filter(([text]) => !known.has(text));
    if (entries.length) legend.append(element("strong", layer.name));
    for (const [text, hue, size] of entries) {
      legendEntry(legend, size ? "" : "▬", hueOf(hue), text);
      if (size) Object.assign(legend.lastChild.firstChild.style, { width: `${(size * 4) / 3}px`, height: `${(size * 4) / 3}px`, border: "1.5px solid", borderRadius: "50%", display: "inline-block", verticalAlign: "middle" });
    }
  }
}
