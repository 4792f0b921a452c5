// Small helpers. Names of points are data: they are only ever shown as text.

export const $ = (id) => document.getElementById(id);

export function element(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  if (text !== undefined && text !== null) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

export function button(text, act, label) {
  const made = element("button", text, { type: "button", ...(label ? { "aria-label": label, title: label } : {}) });
  made.addEventListener("click", (event) => { event.stopPropagation(); act(event); });
  return made;
}

export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
export const number = (x) => (x === null || x === undefined ? "?" : String(Number(x.toPrecision(4))));
export const percent = (x) => `${Number((100 * x).toPrecision(2))} %`;
export const brief = (text) => (text.length > 28 ? `${text.slice(0, 27)}…` : text);

export function row(cells, tag = "td") {
  const made = element("tr");
  for (const cell of cells) {
    const kind = typeof cell === "number" || cell?.number !== undefined ? "number" : "";
    const td = element(tag, undefined, kind ? { class: kind } : {});
    td.append(typeof cell === "number" ? number(cell) : cell?.number !== undefined ? cell.number : cell);
    made.append(td);
  }
  return made;
}

export function table(head, rows) {
  const made = element("table");
  if (head) { const top = element("thead"); top.append(row(head, "th")); made.append(top); }
  const body = element("tbody");
  body.append(...rows);
  made.append(body);
  return made;
}

// A canvas with as many pixels as the screen has, in units of the page.
export function sized(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height };
}

// What the pointer is on, wherever: a point or a pair. All pictures and lists are told.
const hearers = [];
export const lit = { point: -1, pair: null };
export const onLit = (hear) => hearers.push(hear);
export function light(point, pair = null) {
  if (lit.point === point && lit.pair?.[0] === pair?.[0] && lit.pair?.[1] === pair?.[1]) return;
  lit.point = point;
  lit.pair = pair;
  for (const hear of hearers) hear();
}

// The palettes of the reports: Okabe and Ito's for words, viridis for numbers, heat for stress.
const HUES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8c8c8c", "#b5a900"];
const dark = () => document.documentElement.dataset.theme === "dark";
const ramp = () => [dark() ? "#9a78d6" : "#440154", dark() ? "#6f8fd0" : "#3b528b", dark() ? "#35b0a8" : "#21918c", "#5ec962", "#fde725"];
const heat = () => (dark() ? ["#5f7890", "#b0611c", "#ffb066", "#fff0dc"] : ["#7f9fbe", "#f0a050", "#c94f00", "#4a1c00"]);
const STEPS = 24; // few colours, so that many points are drawn together

function mixed(stops, t) {
  const at = Math.min(Math.max(t, 0), 1) * (stops.length - 1);
  const k = Math.min(Math.floor(at), stops.length - 2);
  const channel = (hex, c) => parseInt(hex.slice(1 + 2 * c, 3 + 2 * c), 16);
  const mix = [0, 1, 2].map((c) => channel(stops[k], c) * (1 - at + k) + channel(stops[k + 1], c) * (at - k));
  return `rgb(${mix.map(Math.round).join(",")})`;
}

export function coloured(values, stress = false) {
  if (values.every((v) => v === null || typeof v === "number")) {
    const kept = values.filter((v) => v !== null);
    const [low, high] = [Math.min(...kept), Math.max(...kept)];
    const stops = stress ? heat() : ramp();
    return values.map((v) => (v === null ? css("--line") : mixed(stops, Math.round((STEPS * (v - low)) / (high - low || 1)) / STEPS)));
  }
  const names = [...new Set(values)].sort();
  return values.map((v) => (v === "" ? css("--line") : HUES[names.indexOf(v) % HUES.length]));
}
