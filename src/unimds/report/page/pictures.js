// --- the map ---------------------------------------------------------------------------------

const line = data.kind === "line";
const size = (flat ? 1 : 0.5) * (n <= 150 ? 10 : n <= 1000 ? 8 : n <= 5000 ? 5 : 4);
// For few points SVG is fast, and prints better.
const scatter = flat ? (n > 300 ? "scattergl" : "scatter") : "scatter3d";
const lift = (axes, by) => (data.kind === "globe" ? axes.map((axis) => axis.map((v) => (v === null ? null : v * by))) : axes);

function lineTrace(axes, color, width, dash = "solid") {
  const type = flat ? "scatter" : "scatter3d";
  return { ...named(axes), type, mode: "lines", hoverinfo: "skip", line: { color, width, dash } };
}

// Smaller than the globe: flat markers would otherwise sink into it.
const BALL = 0.97;

function ball(across = 36) {
  const around = 2 * across;
  const [x, y, z, i, j, k] = [[], [], [], [], [], []];
  for (let a = 0; a <= across; a += 1) {
    const north = (a / across - 0.5) * Math.PI;
    for (let b = 0; b < around; b += 1) {
      const east = (b / across) * Math.PI;
      x.push(BALL * Math.cos(north) * Math.cos(east));
      y.push(BALL * Math.cos(north) * Math.sin(east));
      z.push(BALL * Math.sin(north));
      if (a === across) continue;
      const [here, next] = [a * around + b, a * around + ((b + 1) % around)];
      i.push(here, next);
      j.push(next, next + around);
      k.push(here + around, here + around);
    }
  }
  const lighting = { ambient: 1, diffuse: 0, specular: 0, fresnel: 0 };
  return { type: "mesh3d", x, y, z, i, j, k, color: css("--globe"), hoverinfo: "skip", lighting };
}

// The geodesic between two points in the picture: normalised chords of the sphere or hyperboloid.
function geodesic(i, j, steps = 24) {
  const [p, q] = [i, j].map((k) => data.points.map((axis) => axis[k]));
  const path = Array.from({ length: steps + 1 }, (_, s) => s / steps);
  if (data.kind === "globe") {
    return path.map((t) => {
      const v = p.map((c, a) => (1 - t) * c + t * q[a]);
      const length = Math.hypot(...v) || 1;
      return v.map((c) => (1.01 * c) / length);
    });
  }
  if (data.kind !== "disk") return [p, q];
  const up = ([x, y]) => { const s = Math.min(x * x + y * y, 1 - 1e-12); return [(1 + s) / (1 - s), (2 * x) / (1 - s), (2 * y) / (1 - s)]; };
  const [a, b] = [up(p), up(q)];
  return path.map((t) => {
    const v = a.map((c, k) => (1 - t) * c + t * b[k]);
    const length = Math.sqrt(v[0] * v[0] - v[1] * v[1] - v[2] * v[2]);
    return [v[1] / (length + v[0]), v[2] / (length + v[0])];
  });
}

const partners = (i) => (data.partners && i >= 0 ? data.partners[i].map((j, m) => ({ j, given: data.given[i][m], disparity: data.disparity?.[i][m], mapped: data.mapped[i][m] })).filter((one) => one.j >= 0) : []);

const FEW_EDGES = 300;

// The edges of a graph, as one trace with gaps.
function edgesTrace() {
  const gap = data.points.map(() => null);
  const steps = data.links.length > 2000 ? 6 : 24;
  const path = data.links.flatMap(([i, j]) => [...geodesic(i, j, steps), gap]);
  const trace = lineTrace(data.points.map((_, a) => path.map((at) => at[a])), css("--edge"), flat ? 1.3 : 3);
  // many edges would hide the points and each other
  return { ...trace, opacity: Math.min(1, Math.sqrt(FEW_EDGES / data.links.length)) };
}

function linksTrace() {
  const gap = data.points.map(() => null);
  const path = partners(state.selected).flatMap(({ j }) => [...geodesic(state.selected, j), gap]);
  const axes = data.points.map((_, a) => path.map((at) => at[a]));
  return lineTrace(axes, css("--mark"), flat ? 1.5 : 4, flat ? "dot" : "solid");
}

// Very many points in three dimensions are drawn in random order: while the map moves, the first few are a fair sample.
const order = tiny ? shuffled() : undefined;
const inOrder = (values) => (order && Array.isArray(values) ? order.map((i) => values[i]) : values);
const pointOf = ({ pointNumber }) => (order ? order[pointNumber] : pointNumber);

function shuffled() {
  const all = [...Array(n).keys()];
  let random = 1; // Park and Miller's generator: the same order in every browser
  for (let i = n - 1; i > 0; i -= 1) {
    random = (48271 * random) % 2147483647;
    const j = random % (i + 1);
    [all[i], all[j]] = [all[j], all[i]];
  }
  return all;
}

const THIN = n <= 1000 && flat ? 1 : 0;

// In three dimensions all outlines of a trace have one width: those of old points have their colour.
function outlines(color) {
  const [ink, paper] = [css("--ink"), css("--paper")];
  const own = (i) => (flat ? paper : Array.isArray(color) ? color[i] : color);
  const every = [...Array(n).keys()];
  const width = flat ? inOrder(every.map((i) => (isNew(i) ? 2.5 : THIN))) : 2;
  return { color: inOrder(every.map((i) => (isNew(i) ? ink : own(i)))), width };
}

function pointsTrace() {
  const { color, symbol } = appearance();
  const line = outlined() ? outlines(color) : { color: css("--paper"), width: THIN };
  const marker = { size, opacity: 1, line, color: inOrder(color), symbol: inOrder(symbol) };
  return { ...named(lift(data.points.map(inOrder), 1.005)), uid: "points", type: scatter, mode: "markers", hoverinfo: "none", marker };
}

function marksTrace() {
  const shown = state.matches.slice(0, 2000).filter((i) => i !== state.selected);
  if (state.selected >= 0) shown.push(state.selected);
  const big = shown.map((i) => (i === state.selected ? size + 12 : size + 6));
  const marker = { symbol: "circle-open", size: big, color: css("--mark"), line: { color: css("--mark"), width: 3 }, opacity: 1 };
  return { ...named(lift(rows(shown), 1.01)), type: flat ? "scatter" : "scatter3d", mode: "markers", hoverinfo: "skip", marker };
}

// Which names are shown, and where: on the map, and never without the name of the selected point.
function namesShown() {
  const chosen = state.selected;
  const shown = uncrowded($("names").checked ? [...Array(n).keys()] : chosen >= 0 ? [chosen] : []);
  return chosen >= 0 && !shown.some(({ i }) => i === chosen) ? [...shown, { i: chosen, at: PLACES[0].at, shift: PLACES[0].middle(0), side: 1, moved: 0 }] : shown;
}

function namesTrace() {
  const shown = line ? [] : namesShown();
  const axes = rows(shown.map(({ i }) => i)).map((axis, a) => [...axis, ...inscribed.map(({ place }) => place[a])]);
  return {
    ...named(axes), type: "scatter", mode: "markers+text", hoverinfo: "skip", cliponaxis: false,
    marker: { size, opacity: 0 }, // invisible: it keeps the name off the point
    text: [...shown.map(({ i }) => plain(nameOf(i))), ...inscribed.map(({ text }) => plain(text))],
    textposition: [...shown, ...inscribed].map(({ at }) => at),
    textfont: { color: [...shown.map(() => css("--ink")), ...inscribed.map(({ hue }) => hueOf(hue))], size: NAME },
  };
}

// On a line names stand side by side if they are slanted; a thin line leads to a name that is moved aside.
function namesOnLine() {
  const font = { color: css("--ink"), size: NAME };
  return namesShown().map(({ i, side, moved }) => {
    const name = { x: data.points[0][i], y: data.points[1][i], text: plain(nameOf(i)), textangle: -SLANT, font, xanchor: side > 0 ? "left" : "right", yanchor: side > 0 ? "bottom" : "top" };
    const stem = { showarrow: true, arrowhead: 0, arrowwidth: 0.8, arrowcolor: css("--edge"), standoff: size / 2, ax: moved, ay: -side * STEM };
    return { ...name, ...(moved ? stem : { showarrow: false, xshift: -4 * side, yshift: (side * size) / 2 }) };
  });
}

// In three dimensions names are annotations: the text of a trace would sink into the globe.
function namesInSpace() {
  const look = { showarrow: false, font: { color: css("--ink"), size: NAME } };
  const own = namesShown().map(({ i, shift: [right, down] }) => {
    const [x, y, z] = lift(rows([i]), 1.005).map((axis) => axis[0]);
    return { x, y, z, text: plain(nameOf(i)), xshift: right, yshift: -down, ...look };
  });
  return [...own, ...inscribed.map(({ place: [x, y, z], text, hue, shift: [right, down] }) => ({ x, y, z, text: plain(text), xshift: right, yshift: -down, showarrow: false, font: { color: hueOf(hue), size: NAME } }))];
}

// The position of a place in the picture, in pixels; null for a hidden one.
function onScreen() {
  const { xaxis: x, yaxis: y, scene } = map._fullLayout ?? {};
  if (flat) {
    if (!x?.l2p) return () => null;
    const inside = (a, b) => a >= 0 && b >= 0 && a <= x._length && b <= y._length;
    return (p) => {
      const at = [x.l2p(p[0]), y.l2p(p[1])];
      return inside(...at) ? at : null;
    };
  }
  const { glplot, dataScale } = scene?._scene ?? {};
  if (!glplot?.cameraParams) return () => null;
  const { eye } = map.layout?.scene?.camera ?? scene.camera;
  const hidden = (p) => globe() && (p[0] * eye.x + p[1] * eye.y + p[2] * eye.z) / Math.hypot(eye.x, eye.y, eye.z) < 0.2;
  return (p) => (hidden(p) ? null : projected(glplot.cameraParams, p.map((c, a) => c * dataScale[a])));
}

function projected({ model, view, projection }, [x, y, z]) {
  const apply = (m, v) => [0, 1, 2, 3].map((r) => m[r] * v[0] + m[r + 4] * v[1] + m[r + 8] * v[2] + m[r + 12] * v[3]);
  const [a, b, , w] = [model, view, projection].reduce((v, m) => apply(m, v), [x, y, z, 1]);
  return w > 0 ? [0.5 * (1 + a / w) * map.clientWidth, 0.5 * (1 - b / w) * map.clientHeight] : null;
}

const pen = document.createElement("canvas").getContext("2d");
const font = () => getComputedStyle(document.body).fontFamily;
const NAME = 12;

function widthOf(name) {
  pen.font = `${NAME}px ${font()}`;
  return pen.measureText(name).width;
}

const SLANT = 55; // degrees
const LEAN = 16; // pixels between two slanted names
const STEM = 20; // pixels between a point and a name that is moved aside

// Where a name may stand: plotly's word for it, and the middle of the name, by half its width.
const HALF = 8; // half the height of a name
const dot = flat ? size : 2 * size; // the width of a point; in three dimensions plotly doubles it
const beside = (half) => dot / 2 + 4 + half;
const corner = size / 1.6 + 1; // plotly's distance of a name that stands aslant
const PLACES = [
  { at: "top center", middle: () => [0, -beside(HALF)] },
  { at: "bottom center", middle: () => [0, beside(HALF)] },
  { at: "middle right", middle: (half) => [beside(half), 0] },
  { at: "middle left", middle: (half) => [-beside(half), 0] },
  { at: "top right", middle: (half) => [corner + half, -corner - HALF] },
  { at: "top left", middle: (half) => [-corner - half, -corner - HALF] },
  { at: "bottom right", middle: (half) => [corner + half, corner + HALF] },
  { at: "bottom left", middle: (half) => [-corner - half, corner + HALF] },
];

// On a circle, names stand outside.
function placesOf(i) {
  if (data.kind !== "circle") return PLACES;
  const [x, y] = data.points.map((axis) => axis[i]);
  const away = ({ at }) => {
    const way = [at.includes("right") - at.includes("left"), at.includes("top") - at.includes("bottom")];
    // a name beside its point leaves more room for the names above and below the circle
    return (way[0] * x + way[1] * y) / (Math.hypot(...way) * Math.hypot(x, y) || 1) + (way[0] && Math.abs(x) > 0.1 ? 0.15 : 0);
  };
  return PLACES.filter((place) => away(place) > 0.65).sort((a, b) => away(b) - away(a));
}

// How far a name is from a point: 0 if it covers the middle of the point.
const apartFrom = ([x, y], half, [a, b]) => Math.hypot(Math.max(Math.abs(a - x) - half, 0), Math.max(Math.abs(b - y) - HALF, 0));

// The names of layers that found a place.
let inscribed = [];

// Points whose names come first, such as the columns of a joint map.
const early = new Set(data.first);
const comesFirst = (i) => isNew(i) || early.has(i);

// Each name is nearest to its own point and covers no other, nor a name: first come, first served. Names of layers come
// before those of points.
function uncrowded(wanted) {
  const place = onScreen();
  const start = flat ? (map._fullLayout?.xaxis?._offset ?? 0) : 0;
  const left = flat && data.kind !== "plane" ? start : 0; // not over numbers
  const cut = ([x], half) => x - half < -left || x + half > map.clientWidth - start;
  const own = [...Array(n).keys()].map((i) => place(data.points.map((axis) => axis[i])));
  const order = wanted.filter((i) => own[i]).sort((a, b) => (b === state.selected) - (a === state.selected) || comesFirst(b) - comesFirst(a) || a - b);
  if (line) return besideLine(order, own);
  const seen = n <= 2000 ? own.filter(Boolean) : [];
  const taken = [];
  const apart = ([x, y], half) => taken.every(([a, b, other]) => Math.abs(x - a) > half + other || Math.abs(y - b) > 2 * HALF + 3);
  const clear = (at, half, mine) => {
    const gap = Math.max(apartFrom(at, half, mine) + 1, dot / 2 + 2);
    return seen.every((p) => (Math.abs(p[0] - mine[0]) < 1 && Math.abs(p[1] - mine[1]) < 1) || apartFrom(at, half, p) >= gap);
  };
  const { marks, strokes } = layerObstacles(place);
  // A name that covers a sign or an arrow of a layer is written only where there is no other room.
  const bare = (at, half, mine) =>
    marks.every((p) => Math.hypot(p[0] - mine[0], p[1] - mine[1]) < 1 || apartFrom(at, half, p) >= 6)
    && strokes.every((p) => apartFrom(at, half, p) >= 2);
  inscribed = layerNames().flatMap(({ at: there, text, hue, away }) => {
    const mine = place(there);
    if (!mine) return [];
    const half = widthOf(shortened(text)) / 2;
    const towards = ({ middle }) => { const [x, y] = middle(10); return away ? (x * away[0] - y * away[1]) / Math.hypot(x, y) : 0; };
    const fit = [...PLACES].sort((a, b) => towards(b) - towards(a)).map(({ at, middle }) => ({ at, shift: middle(half) }))
      .filter(({ shift }) => { const at = shift.map((by, a) => mine[a] + by); return !cut(at, half + 3) && apart(at, half + 3); });
    const middleOf = ({ shift }) => shift.map((by, a) => mine[a] + by);
    const open = fit.filter((one) => seen.every((p) => apartFrom(middleOf(one), half, p) >= dot / 2));
    const free = open.find((one) => bare(middleOf(one), half, mine)) ?? open[0] ?? fit[0]; // it covers a point rather than be missing
    if (!free) return [];
    taken.push([mine[0] + free.shift[0], mine[1] + free.shift[1], half + 3]);
    return [{ place: there, text, hue, ...free }];
  });
  const found = [];
  for (const i of order) {
    if (taken.length >= 300) break;
    const half = widthOf(shortened(nameOf(i))) / 2;
    const whole = (places) => places
      .map(({ at, middle }) => ({ at, shift: middle(half) }))
      .map((one) => ({ ...one, middle: one.shift.map((by, a) => own[i][a] + by) }))
      .filter(({ middle }) => !cut(middle, half + 3));
    const open = whole(placesOf(i)).filter(({ middle }) => apart(middle, half + 3) && clear(middle, half, own[i]));
    const free = open.find(({ middle }) => bare(middle, half, own[i])) ?? open[0]
      ?? (i === state.selected ? whole(PLACES)[0] : undefined); // it covers others rather than be cut or missing
    if (!free) continue;
    taken.push([...free.middle, half + 3]);
    found.push({ i, at: free.at, shift: free.shift });
  }
  return found;
}

// How far a slanted name reaches to the side.
const reach = (i) => widthOf(shortened(nameOf(i))) * Math.cos((SLANT * Math.PI) / 180) + 2 * HALF;

// Names above the points of a line, and below it if they are many: as near to their points as there is room.
function besideLine(order, own) {
  if (!order.length) return [];
  const { _length: width, _offset: margin } = map._fullLayout.xaxis;
  const longest = range(order.map(reach))[1];
  const fit = Math.max(1, Math.floor((width + margin - longest) / LEAN));
  const first = order.filter((i) => i === state.selected || comesFirst(i)).slice(0, 2 * fit);
  const rest = order.filter((i) => !first.includes(i)).sort((a, b) => own[a][0] - own[b][0]);
  const room = 2 * fit - first.length;
  const some = rest.length <= room ? rest : rest.filter((_, k) => Math.floor((k * room) / rest.length) !== Math.floor(((k - 1) * room) / rest.length));
  const along = [...first, ...some].sort((a, b) => own[a][0] - own[b][0]);
  const sides = along.length <= fit ? [along] : [along.filter((_, k) => k % 2 === 0), along.filter((_, k) => k % 2 === 1)];
  return sides.flatMap((names, k) => {
    const wanted = names.map((i) => own[i][0]);
    // above, a name reaches to the right of its place, and below to the left
    const least = names.map((i) => (k ? reach(i) - margin : 0));
    const most = names.map((i) => (k ? width : width + margin - reach(i)));
    const moved = spaced(wanted, LEAN, least, most).map((x, at) => x - wanted[at]);
    const aside = moved.some((by) => Math.abs(by) > 1);
    return names.map((i, at) => ({ i, side: k ? -1 : 1, moved: aside ? moved[at] || 1e-3 : 0 }));
  });
}

// Increasing places at least `gap` from each other, each between its bounds, as near to the wanted ones as possible
// (least squares).
function spaced(wanted, gap, least, most) {
  const groups = [];
  wanted.forEach((x, k) => {
    groups.push({ sum: x - k * gap, count: 1 });
    while (groups.length > 1 && groups.at(-2).sum / groups.at(-2).count > groups.at(-1).sum / groups.at(-1).count) {
      const { sum, count } = groups.pop();
      groups.at(-1).sum += sum;
      groups.at(-1).count += count;
    }
  });
  const level = groups.flatMap(({ sum, count }) => Array(count).fill(sum / count));
  // a name pushes those after it to the right, and those before it to the left
  const low = least.map((_, k) => Math.max(...least.slice(0, k + 1).map((x, m) => x - m * gap)));
  const high = most.map((_, k) => Math.min(...most.slice(k).map((x, m) => x - (k + m) * gap)));
  return level.map((x, k) => Math.min(Math.max(x, low[k]), high[k]) + k * gap);
}

function axis(title) {
  return { title: { text: title, standoff: 8 }, gridcolor: css("--grid"), zeroline: false, linecolor: css("--line"), automargin: true };
}

function layout(more) {
  const base = { paper_bgcolor: css("--paper"), plot_bgcolor: css("--paper"), font: { color: css("--ink"), size: 13, family: font() } };
  return { ...base, showlegend: false, hovermode: "closest", uirevision: "kept", margin: { l: 10, r: 10, t: 10, b: 10 }, ...more };
}

// The size of the globe in the picture, which plotly measures by its height.
const wide = () => 1.9 * Math.min(1, (0.92 * map.clientWidth) / map.clientHeight);

// The globe fits the page, also when the page becomes narrower; how far the reader zoomed in stays.
let fitted = 0;
function globeSides(now) {
  const zoom = now && fitted ? now.x / fitted : 1;
  fitted = wide();
  const side = zoom * fitted;
  return { x: side, y: side, z: side };
}

// Keep the current view when the map is drawn again.
function kept(name, base) {
  const now = map.layout?.[name];
  return now && now.autorange === false ? { ...base, range: now.range, autorange: false } : base;
}

function mapLayout() {
  const hidden = { visible: false, showgrid: false, zeroline: false };
  if (flat) {
    const bare = ["disk", "triangle", "circle", "cap"].includes(data.kind);
    const base = bare ? hidden : axis("");
    const round = data.kind === "circle"; // with room for names outside
    const across = round ? { ...base, range: [-1.3, 1.3] } : base;
    const up = line ? { ...hidden, range: [-1.6, 1.6] } : { ...base, scaleanchor: "x", ...(round ? { range: [-1.15, 1.15] } : {}) };
    return layout({ dragmode: "pan", xaxis: kept("xaxis", across), yaxis: kept("yaxis", up), annotations: line ? namesOnLine() : [] });
  }
  const globe = data.kind === "globe";
  const far = 1.12 * Math.max(1, (1.2 * map.clientHeight) / map.clientWidth); // the numbers of the axes must be in the picture
  const side = globe ? { ...hidden, range: [-1.08, 1.08], showspikes: false } : { ...axis(""), showspikes: false, backgroundcolor: css("--paper") };
  const eye = globe ? facing(data.points.map((a) => a.reduce((s, v) => s + v, 0)), 1.5) : { x: 1.5 * far, y: 1.5 * far, z: far };
  const seen = map.layout?.scene ?? {};
  const camera = seen.camera ?? { eye, center: { x: 0, y: 0, z: globe ? 0 : -0.15 }, projection: { type: globe ? "orthographic" : "perspective" } };
  return layout({
    margin: { l: 0, r: 0, t: 0, b: 0 },
    scene: { xaxis: side, yaxis: side, zaxis: side, ...(globe ? { aspectmode: "manual", aspectratio: globeSides(seen.aspectratio) } : { aspectmode: "data" }), dragmode: "orbit", camera, bgcolor: css("--paper"), annotations: namesInSpace() },
  });
}

function facing(v, distance) {
  const length = Math.hypot(...v);
  const [x, y, z] = length > 1e-6 ? v.map((c) => (distance * c) / length) : [distance, 0, 0];
  // exactly above a pole the camera's up direction is undefined
  return Math.hypot(x, y) < 0.05 * distance ? { x: 0.1 * distance, y: 0, z } : { x, y, z };
}

function mapTraces() {
  const back = data.kind === "globe" ? [ball()] : [];
  if (data.grid.length) back.push(lineTrace(lift(data.grid, 1.01 * BALL), css("--grid"), flat ? 1 : 2));
  if (data.edge.length) back.push(lineTrace(data.edge, css("--quiet"), 2));
  if (data.links) back.push(edgesTrace());
  return [...back, ...layersBelow(), linksTrace(), pointsTrace(), ...layersAbove(), marksTrace(), ...(flat ? [namesTrace()] : [])];
}

const nextFrame = () => new Promise((done) => { requestAnimationFrame(() => setTimeout(done, 30)); });

// What decides where points are in the picture; in space they are anywhere after the first frame.
function scale() {
  const { xaxis: x, yaxis: y } = map._fullLayout ?? {};
  return flat ? JSON.stringify([x?.range, x?._length, y?.range, y?._length]) : String(Boolean(map._fullLayout));
}

async function drawMap() {
  const before = scale();
  const react = () => Plotly.react(map, mapTraces(), mapLayout(), config(!flat));
  await react();
  // names need the positions of the points in pixels, which the first picture or a new mark at the edge has changed
  const moved = scale() !== before;
  if (moved && !flat) await nextFrame();
  if (moved && ($("names").checked || state.selected >= 0 || layerNames().length)) await react();
  drawLegend();
}

// --- the other pictures ------------------------------------------------------------------------

const shepard = $("shepard");

// The curves of a level of measurement: in steps if only the order of the dissimilarities counts.
function transformation() {
  const { curves, steps } = data.scaled ?? { curves: [] };
  const line = { color: css("--ink"), width: curves.length > 1 ? 1 : 2, shape: steps ? "hvh" : "linear" };
  const opacity = curves.length > 1 ? 0.6 : 1;
  return curves.map(([x, y]) => ({ type: "scatter", mode: "lines", x, y, hoverinfo: "skip", line, opacity }));
}

function drawShepard() {
  const pairs = data.shepard;
  const traces = [];
  const top = Math.max(range(pairs.given)[1], range(pairs.mapped)[1], 0);
  if (pairs.counts) {
    const z = pairs.counts.map((row) => row.map((c) => (c ? Math.log10(c) : null)));
    const colorscale = dark() ? [[0, "#24303c"], [1, "#7fa6c9"]] : [[0, "#e6edf5"], [1, "#6f94b8"]];
    traces.push({ type: "heatmap", x: pairs.x, y: pairs.y, z, colorscale, showscale: false, hoverinfo: "skip" });
  }
  const diagonal = { type: "scatter", mode: "lines", x: [0, top], y: [0, top], hoverinfo: "skip", line: { color: css("--ink"), width: 1.5 } };
  if (!data.scaled) traces.push(diagonal);
  const many = pairs.given.length > 1000;
  traces.push({
    type: many ? "scattergl" : "scatter", mode: "markers", x: pairs.given, y: pairs.mapped, hoverinfo: "none",
    marker: { color: css("--point"), size: many ? 3.5 : 6, opacity: many ? 0.55 : 0.75 },
  });
  traces.push(...transformation());
  const own = partners(state.selected);
  traces.push({
    type: "scatter", mode: "markers", x: own.map((p) => p.given), y: own.map((p) => p.mapped), hoverinfo: "skip",
    marker: { color: css("--mark"), size: 10, symbol: "diamond", line: { color: css("--paper"), width: 1 } },
  });
  const space = { l: 65, r: 15, t: 30, b: 60 };
  return Plotly.react(shepard, traces, layout({ margin: space, dragmode: "pan", xaxis: axis(data.scaled ? "given dissimilarity" : "given distance"), yaxis: axis("distance on the map") }), config());
}

function drawHistory() {
  const [x, seconds, y] = data.history;
  const [low, high] = range(y);
  const trace = { type: "scatter", mode: y.length <= 60 ? "lines+markers" : "lines", x, y, customdata: seconds, hovertemplate: "sweep %{x}, %{customdata:.3g} s: cost %{y:.6g}<extra></extra>", line: { color: css("--point"), width: 2 } };
  const up = { ...axis("cost"), type: low > 0 && high > 3 * low ? "log" : "linear", exponentformat: "power" };
  return Plotly.react($("history"), [trace], layout({ margin: { l: 80, r: 15, t: 30, b: 60 }, xaxis: axis("sweeps"), yaxis: up }), config());
}

async function draw() {
  await drawMap();
  if (data.shepard) await drawShepard();
  if (data.history.length) await drawHistory();
}
