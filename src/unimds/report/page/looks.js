// Labels are data: the page shows them as text nodes only, and plotly as escaped text.

const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const root = document.documentElement;
const n = data.labels.length;
const flat = data.points.length === 2;
const map = $("map");
const state = { selected: -1, matches: [], turn: 0 };
// Our own list of buttons: one of plotly's defaults would send the data away.
const buttons = (deep) => [["toImage", ...(deep ? ["resetCameraDefault3d"] : ["zoomIn2d", "zoomOut2d", "resetScale2d"])]];
// Twice the resolution looks better, but means four times as many pixels.
const sharp = n > 1000 ? 1 : 2;
const config = (deep = false) => ({
  responsive: true, scrollZoom: true, displaylogo: false, plotlyServerURL: "", plotGlPixelRatio: sharp, modeBarButtons: buttons(deep),
});

// Without a graphics card, smooth edges would take half of the drawing time.
const card = graphicsCard();
if (!card) {
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, options) {
    return getContext.call(this, kind, options && { ...options, antialias: false });
  };
}

function graphicsCard() {
  const gl = document.createElement("canvas").getContext("webgl");
  const told = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = told ? String(gl.getParameter(told.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext(); // a browser has only a few contexts
  return !/swiftshader|llvmpipe|software|basic render/i.test(name);
}

// --- small helpers ---------------------------------------------------------------------------

const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
const number = (x) => (x === null ? "?" : String(Number(x.toPrecision(4))));
const percent = (x) => (x === null ? "?" : `${Number((100 * x).toPrecision(3))} %`);
const MISSING = "no value";
// New points are the last ones. A column that tells them apart needs no outlines.
const isNew = (i) => i >= n - (data.fresh ?? 0);
const outlined = () => data.fresh > 0 && $("color").value !== String(data.origin);
const nameOf = (i) => data.labels[i] || `(point ${i})`;

function element(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function pointButton(i, text) {
  const button = element("button", text, { type: "button" });
  button.addEventListener("click", () => select(i));
  return button;
}

const shortened = (text) => (text.length > 28 ? `${text.slice(0, 27)}…` : text);

// plotly interprets some HTML in text
function plain(text) {
  return shortened(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

const rows = (indices) => data.points.map((axis) => indices.map((i) => axis[i]));
const named = (axes) => Object.fromEntries(axes.map((axis, a) => ["xyz"[a], axis]));

// --- colours ---------------------------------------------------------------------------------

// The palette of Okabe and Ito suits colour-blind readers; shapes differ too.
const HUES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8c8c8c", "#b5a900"];
// In three dimensions plotly draws a circle as 23 triangles; at two pixels a square looks the same.
const FEW = 5000;
const tiny = !flat && n > FEW;
// Shapes that plotly fills on every machine: WebGL draws of an open one the outline alone, which has no width here, and
// in space the rest are letters of a font. With eight hues, three shapes tell 24 categories apart.
const SHAPES = tiny ? ["square"] : ["circle", "diamond", "square", ...(flat ? ["cross", "x"] : [])];
const SIGNS = tiny ? ["■"] : ["●", "◆", "■", ...(flat ? ["✚", "✖"] : [])];
// Viridis, without its dark end on a dark background.
const ramp = () => [dark() ? "#9a78d6" : "#440154", dark() ? "#6f8fd0" : "#3b528b", dark() ? "#35b0a8" : "#21918c", "#5ec962", "#fde725"];
const heat = () => (dark() ? ["#5f7890", "#b0611c", "#ffb066", "#fff0dc"] : ["#7f9fbe", "#f0a050", "#c94f00", "#4a1c00"]);

function mixed(stops, t) {
  const at = Math.min(Math.max(t, 0), 1) * (stops.length - 1);
  const k = Math.min(Math.floor(at), stops.length - 2);
  const channel = (hex, c) => parseInt(hex.slice(1 + 2 * c, 3 + 2 * c), 16);
  const mix = [0, 1, 2].map((c) => channel(stops[k], c) * (1 - at + k) + channel(stops[k + 1], c) * (at - k));
  return `rgb(${mix.map(Math.round).join(",")})`;
}

function range(values) {
  const known = values.filter((v) => v !== null);
  return [known.reduce((a, b) => Math.min(a, b), Infinity), known.reduce((a, b) => Math.max(a, b), -Infinity)];
}

function byNumber(values, stops) {
  const [low, high] = range(values);
  const scale = high > low ? high - low : 1;
  return { color: values.map((v) => (v === null ? css("--line") : mixed(stops, (v - low) / scale))), symbol: SHAPES[0] };
}

// A missing value has the code −1; it is grey, as a missing number is.
function byCategory(codes) {
  return {
    color: codes.map((c) => (c < 0 ? css("--line") : HUES[c % HUES.length])),
    symbol: codes.map((c) => (c < 0 ? SHAPES[0] : SHAPES[c % SHAPES.length])),
  };
}

function appearance() {
  const chosen = $("color").value;
  if (chosen === "stress") return byNumber(data.share, heat());
  if (chosen === "") return { color: css("--point"), symbol: SHAPES[0] };
  const column = data.columns[Number(chosen)];
  return column.numbers ? byNumber(column.numbers, ramp()) : byCategory(column.codes);
}

function drawLegend() {
  const chosen = $("color").value;
  const legend = $("legend");
  legend.replaceChildren();
  drawColours(legend, chosen);
  const column = data.columns[Number(chosen)];
  drawLayerLegend(legend, new Set(chosen !== "" && column?.names ? column.names : []));
  if (outlined()) legendEntry(legend, "○", css("--ink"), "new (outlined)");
}

function legendEntry(legend, sign, color, text) {
  const entry = element("span");
  const drawn = element("span", sign, { class: "sign", "aria-hidden": "true" });
  drawn.style.color = color;
  entry.append(drawn, text);
  legend.append(entry);
}

function drawColours(legend, chosen) {
  if (chosen === "") return;
  const column = chosen === "stress" ? { name: "point stress", numbers: data.share } : data.columns[Number(chosen)];
  legend.append(element("strong", column.name));
  if (column.numbers) {
    const [low, high] = range(column.numbers);
    const bar = element("span", "", { class: "bar" });
    bar.style.background = `linear-gradient(to right, ${(chosen === "stress" ? heat() : ramp()).join(",")})`;
    const told = chosen === "stress" ? percent : number;
    legend.append(element("span", told(low)), bar, element("span", told(high)));
    if (column.numbers.includes(null)) legendEntry(legend, SIGNS[0], css("--line"), MISSING);
    return;
  }
  const used = new Set(column.codes); // a category may have no point on this map
  column.names.forEach((name, c) => { if (used.has(c)) legendEntry(legend, SIGNS[c % SIGNS.length], HUES[c % HUES.length], name); });
  if (used.has(-1)) legendEntry(legend, SIGNS[0], css("--line"), MISSING);
}
