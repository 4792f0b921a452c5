// The studio: what the server tells is shown, what the user does is sent.

import { Course, Shepard } from "./charts.js";
import { Comparison } from "./compare.js";
import { MapView } from "./map.js";
import * as net from "./net.js";
import { Settings, markLit, showChanges, showChoice, showFile, showMaps, showPairs, showPoint, showPoints, showRefused, showStability } from "./panels.js";
import { $, button, coloured, element, lit, number, onLit } from "./parts.js";

const DOING = { choose: "holding pairs out", stability: "studying the map", judge: "finding out how well the map fits" };
const PULL = 30; // milliseconds between two places of a dragged point
const FILES = [["map", "Map (CSV)"], ["png", "Picture (PNG)"], ["svg", "Picture (SVG)"], ["report", "Report"], ["model", "Model"], ["python", "Python"], ["archive", "Table and script (zip)"]];

const app = {
  state: null, names: [], columns: {}, kept: [], judged: null, shares: new Map(), own: null, two: [], version: 0, shown: null, found: null,
  act: async (action, more) => { try { await net.act(action, more); } catch (error) { complain(error.message); } },
  select, pick,
};
app.map = new MapView($("map"), { drag: dragged, select, tip });
app.shepard = new Shepard($("shepard"));
app.course = new Course($("course"));
app.settings = new Settings((settings) => app.act("change", { settings }));
app.comparison = new Comparison(() => app.names);
window.studio = { app }; // for the tests, which count frames

// --- messages ---

let closed = ""; // what was told, and closed by the user
function complain(text) {
  $("banner").hidden = !text;
  $("banner").replaceChildren(...(text ? [element("span", text), " ", button("Close", () => { closed = text; complain(""); })] : []));
}

function banner({ message, torn, running }) {
  const text = ["error", "crash"].includes(message.kind) ? message.text : "";
  if (!text) closed = "";
  complain(text === closed ? "" : text);
  if (text && text !== closed && message.kind === "crash" && torn && !running) $("banner").append(" ", button("Go on", () => app.act("go_on")));
}

function hear(header, numbers) {
  if (header.type === "state") hearState(header);
  if (header.type === "frame") hearFrame(header, numbers);
  if (header.type === "view") hearView(header, numbers);
}

function hearState(state) {
  if (state.help) app.settings.build(state.help);
  if (state.readings) app.readings = state.readings;
  app.state = state;
  const file = state.file;
  if (file && file.version !== app.version) newFile(file);
  banner(state);
  app.settings.show(state.settings, file ? file.precomputed : true);
  app.map.fixed = new Set(state.fixed);
  for (const [id, off] of [["anew", !file], ["stop", !state.running || state.running.stopping], ["go-on", !file || (state.current === null && !state.torn)], ["study", state.current === null], ["example", false]]) $(id).disabled = off;
  for (const made of document.querySelectorAll("#choose-buttons button, #exports button")) made.disabled = state.current === null;
  showStatus();
  showRefused(state, app.readings, (how) => app.act("read_as", { how, refused: true }));
  if (!file) return;
  app.two = app.two.filter((one) => state.maps.some((map) => map.number === one));
  showMaps(state, app);
  showChanges(state, app);
  showChoice(state, app);
  stability(state);
  lines(state);
  const current = state.maps.find((map) => map.number === state.current);
  if (current?.judged && app.shown !== current.number) judge(current);
  else if (current && !current.judged && !state.running) notJudged();
}

async function newFile(file) {
  app.version = file.version;
  Object.assign(app, { names: [], columns: {}, judged: null, shares: new Map(), own: null, two: [], shown: null, found: null });
  app.map.reset();
  app.course.clear();
  app.shepard.show(null);
  $("comparison").hidden = true;
  app.select(-1);
  showFile(file, app.readings, (how) => app.act("read_as", { how, refused: false }));
  for (const id of ["pairs", "points", "verdict"]) $(id).replaceChildren();
  document.title = `${file.name} – unimds studio`;
  const { names, columns } = await net.get("names");
  if (app.version !== file.version) return;
  Object.assign(app, { names, columns });
  app.map.names = names;
  colours();
  app.map.wake();
  if (app.judged) showLists();
}

function keptNow(left) {
  const out = new Set(left);
  return [...Array(app.state.file.n).keys()].filter((k) => !out.has(k));
}

let job = 0;
function hearFrame(header, numbers) {
  if (header.job !== job) { job = header.job; if (!header.preview) app.course.clear(); }
  if (header.cost !== undefined && !header.preview) app.course.add(header.cost);
  app.kept = keptNow(header.left_out);
  if (app.map.links.length && header.kind) { app.map.links = []; }
  app.map.regions = [];
  app.map.push(header, numbers, app.kept, header.preview);
  app.sweep = header;
  if (app.state.running?.purpose === "fit") Object.assign(app.state.running, { sweep: header.sweep, what: undefined });
  showStatus();
}

function hearView(header, numbers) {
  app.kept = header.kept;
  $("note").textContent = header.note;
  app.map.push(header, numbers, header.kept);
}

// --- words about what is going on ---

function showStatus() {
  const { state } = app;
  const { running, file } = state;
  const current = state.maps.find((map) => map.number === state.current);
  const words = [];
  if (running?.purpose === "read") words.push("reading …");
  else if (running?.purpose === "fit" && running.what !== undefined) words.push(`${running.what} …`);
  else if (running?.purpose === "fit") words.push(app.sweep && running.sweep !== undefined ? `sweep ${app.sweep.sweep}, cost ${number(app.sweep.cost)}` : state.ready ? "starting … (the first fit of a kind compiles)" : "the worker starts …");
  else if (running?.purpose === "preview") words.push("following …");
  else if (running) words.push(`${running.what ?? DOING[running.purpose]} …`);
  else if (state.torn) words.push("not finished: go on, or start anew");
  if (!running && current) words.push(`Stress-1 ${number(current.stress)} after ${current.sweeps} sweeps${current.size ? `, ${current.size}` : ""}. ${current.outcome}`);
  if (state.message.kind === "info") words.push(state.message.text);
  $("status").textContent = $("status").title = words.join(" ");
  $("headline").textContent = $("headline").title = file ? `${file.name}: ${file.n.toLocaleString("en")} points` : state.ready ? "ready" : "the worker starts …";
  document.documentElement.dataset.running = running ? running.purpose : "no";
}

async function judge(current) {
  app.shown = current.number;
  const judged = await net.get(`judged/${current.number}`);
  if (app.shown !== current.number) return;
  Object.assign(app, { judged, own: null, shares: new Map(judged.kept.map((k, at) => [k, judged.share[at]])) });
  showLists();
  if (app.map.selected >= 0) select(app.map.selected);
  document.documentElement.dataset.judged = current.number;
}

function notJudged() {
  Object.assign(app, { judged: null, own: null, shares: new Map(), shown: null });
  for (const id of ["pairs", "points"]) $(id).replaceChildren();
  $("verdict").replaceChildren(element("p", "How well this map fits is not known: the search for it was stopped."), button("Find out", () => app.act("judge")));
  app.shepard.show(null);
  colours();
}

// The lines are those of the map that stands there, or none.
let lined;
async function lines({ finished }) {
  if (finished === lined) return;
  lined = finished;
  const waiting = "The lines come when the map stands still.";
  const found = finished === null ? { python: waiting, shell: waiting } : await net.get("recipe").catch((error) => ({ python: error.message, shell: error.message }));
  const needs = found.needs?.join(" and ");
  if (lined !== finished) return;
  $("python").textContent = found.python;
  $("shell").textContent = found.shell;
  $("needs").textContent = needs ? `The script alone (Python) reads ${needs} from its folder; the zip has all it needs.` : "";
  document.documentElement.dataset.lines = finished ?? "none";
}

function showLists() {
  if (!app.names.length) return;
  const current = app.state.maps.find((map) => map.number === app.shown);
  $("verdict").replaceChildren(...[...app.judged.verdict, ...(current?.warnings ?? [])].map((text) => element("p", text)));
  showPairs(app.judged, app);
  showPoints(app.judged, app);
  app.shepard.show(app.judged.shepard, app.judged.curve);
  colours();
}

async function stability(state) {
  if (state.stability === null) app.found = null;
  else if (app.found?.number !== state.stability) {
    const found = await net.get("stability");
    if (found.number === undefined || app.state.stability !== found.number) return;
    app.found = found;
  }
  regions();
  showStability(app.state, app.found, app);
}

function regions() {
  const still = app.found && app.state.finished === app.found.number;
  app.map.regions = still && $("show-regions").checked ? app.found.regions : [];
  app.map.wake();
}

// --- colours ---

function colours() {
  const chosen = $("colour").value;
  const names = ["none", "point stress", ...Object.keys(app.columns)];
  if ([...$("colour").options].map((o) => o.textContent).join("\n") !== names.join("\n")) {
    $("colour").replaceChildren(...names.map((name, at) => element("option", name, { value: String(at) })));
    $("colour").value = Number(chosen) < names.length ? chosen || "0" : "0";
  }
  const at = Number($("colour").value);
  app.map.colours = null;
  if (at === 1 && app.judged) {
    const by = coloured(app.judged.share, true);
    app.map.colours = Object.fromEntries(app.judged.kept.map((k, row) => [k, by[row]]));
  } else if (at > 1) app.map.colours = coloured(Object.values(app.columns)[at - 2]);
  app.map.wake();
}

// --- the pointer ---

function tip(k, x, y) {
  $("tip").hidden = k < 0;
  if (k < 0) return;
  const share = app.shares.get(k) ?? null;
  $("tip").replaceChildren(element("strong", app.names[k]), element("span", share === null ? "" : `${number(100 * share)} % of the error`), ...(app.state.fixed.includes(k) ? [element("span", "fixed")] : []));
  $("tip").style.left = `${Math.min(x + 14, $("map").clientWidth - 160)}px`;
  $("tip").style.top = `${y + 14}px`;
}

let wanted = 0;
async function partners(k) {
  if (k < 0 || app.own?.i === k || !app.judged) return;
  const mine = ++wanted;
  await new Promise((done) => setTimeout(done, 60)); // the pointer may only pass by
  if (mine !== wanted) return;
  const own = await net.get(`point/${k}`).catch(() => null);
  if (!own || mine !== wanted) return;
  app.own = own;
  app.shepard.own = own.j.length ? own : null; // without all pairs, the sample has some
  app.shepard.draw();
  if (app.map.selected === k) showPoint(k, app);
}

function select(k) {
  app.map.selected = app.shepard.selected = k;
  app.map.links = [];
  showPoint(k, app);
  if (k >= 0) partners(k);
  app.map.wake();
  app.shepard.draw();
}

onLit(() => { app.map.wake(); app.shepard.draw(); markLit(); partners(lit.point); });

// Places are sent one after the other, so that the last one is the last to arrive.
let sending = false;
let next = null;
async function dragged(point, place, last) {
  next = { point, place: [...place], last };
  if (sending) return;
  sending = true;
  while (next) {
    const now = next;
    next = null;
    await app.act("move", now);
    if (!now.last && !next) await new Promise((done) => setTimeout(done, PULL));
  }
  sending = false;
}

// --- forms ---

function pick(map, on) {
  app.two = app.two.filter((one) => one !== map);
  if (on) app.two = [...app.two, map].slice(-2);
  showMaps(app.state, app);
}

async function compare() {
  const [one, other] = [...app.two].sort((a, b) => a - b);
  const told = (k) => { const map = app.state.maps.find((m) => m.number === k); return `${k}: ${app.settings.words(map.settings, app.state.file.precomputed)}; Stress-1 ${number(map.stress)}`; };
  try { app.comparison.show(await net.get(`compare/${one}/${other}`), told(one), told(other)); } catch (error) { complain(error.message); }
}

async function open(file) {
  if (!file) return;
  complain("");
  try { await net.upload(file); } catch (error) { complain(error.message); }
}

function tabs(...ids) {
  for (const id of ids) {
    $(`tab-${id}`).addEventListener("click", () => {
      for (const other of ids) { $(other).hidden = other !== id; $(`tab-${other}`).setAttribute("aria-selected", String(other === id)); }
    });
  }
}

function theme(name) {
  document.documentElement.dataset.theme = name;
  $("theme").textContent = name === "dark" ? "Light" : "Dark";
  for (const view of [app.map, app.comparison.one, app.comparison.other]) view.wake();
  app.shepard.draw();
  app.course.draw();
  if (app.state?.file) colours();
}

// The theme is that of the system, until the user chooses one.
function themes() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = false;
  const follow = () => { if (!chosen) theme(system.matches ? "dark" : "light"); };
  follow();
  system.addEventListener("change", follow);
  $("theme").addEventListener("click", () => { chosen = true; theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"); });
}

function build() {
  themes();
  for (const [id, action] of [["anew", "fit"], ["stop", "stop"], ["go-on", "go_on"], ["study", "study"], ["example", "example"], ["forget", "forget"]]) $(id).addEventListener("click", () => app.act(action));
  $("whole").addEventListener("click", () => app.map.whole());
  $("compare").addEventListener("click", compare);
  $("colour").addEventListener("change", colours);
  $("show-names").addEventListener("change", () => { app.map.showNames = $("show-names").checked; app.map.wake(); });
  $("show-regions").addEventListener("change", regions);
  $("find").addEventListener("input", () => {
    const text = $("find").value.trim().toLowerCase();
    select(text ? app.kept.find((k) => app.names[k].toLowerCase().includes(text)) ?? -1 : -1);
  });
  $("file").addEventListener("change", () => { open($("file").files[0]); $("file").value = ""; });
  $("choose-buttons").append(...[["dim", "Dimension"], ["space", "Space"], ["loss", "Loss"], ["level", "Level"]].map(([name, text]) => button(text, () => app.act("choose", { name }))));
  $("exports").append(...FILES.map(([kind, text]) => button(text, async () => {
    try { $("status").textContent = `${await net.download(kind, Object.keys(app.columns)[Number($("colour").value) - 2])} is saved.`; } catch (error) { complain(error.message); }
  })));
  $("copy").addEventListener("click", () => navigator.clipboard?.writeText($($("python").hidden ? "shell" : "python").textContent).then(() => { $("copy").textContent = "Copied"; setTimeout(() => { $("copy").textContent = "Copy"; }, 1500); }));
  tabs("pairs", "points", "changes");
  tabs("python", "shell");
  dropping();
}

function dropping() {
  let depth = 0;
  const veil = (on) => { $("veil").hidden = !on; };
  const isFile = (event) => event.dataTransfer?.types.includes("Files"); // not a text that is dragged
  addEventListener("dragenter", (event) => { event.preventDefault(); depth += 1; veil(isFile(event)); });
  addEventListener("dragleave", (event) => { depth -= 1; veil(depth > 0 && isFile(event)); });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => { event.preventDefault(); depth = 0; veil(false); open(event.dataTransfer.files[0]); });
}

build();
if (net.known()) net.listen(hear, complain);
else complain("This page needs the address that `unimds studio` has printed in the terminal.");
