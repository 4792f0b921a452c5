// The lists and forms around the map.

import { $, brief, button, element, light, lit, number, percent, row, table } from "./parts.js";

// --- settings: all words come from the server ---

export class Settings {
  constructor(change) {
    this.change = change;
    this.fields = {};
  }

  build(help) {
    this.help = help;
    const fields = help.map((setting) => {
      const field = element("div", undefined, { class: "field", "data-setting": setting.name });
      const id = `set-${setting.name}`;
      const told = element("p", setting.help, { class: "quiet", id: `${id}-help` });
      const label = element("label", setting.title, { for: id, title: setting.help });
      const input = setting.choices.length ? element("select", undefined, { id, "aria-describedby": told.id }) : element("input", undefined, { id, type: "number", min: 0, max: 4294967295, step: 1, "aria-describedby": told.id });
      for (const choice of setting.choices) input.append(element("option", choice.title, { value: choice.value }));
      input.addEventListener("change", () => {
        const value = setting.choices.length ? setting.choices[input.selectedIndex].value : Math.round(Number(input.value));
        this.change({ [setting.name]: value });
      });
      this.fields[setting.name] = { input, told, setting, field };
      field.append(label, input, told);
      return field;
    });
    $("settings").replaceChildren(...fields);
  }

  show(values, precomputed) {
    for (const [name, { input, told, setting, field }] of Object.entries(this.fields)) {
      if (document.activeElement !== input || setting.choices.length) input.value = values[name];
      const chosen = setting.choices.find((choice) => choice.value === values[name]);
      told.textContent = chosen ? chosen.help : setting.help;
      if (name === "metric") field.hidden = precomputed;
    }
  }

  // A map's settings in a few words: what differs from the usual.
  words(values, precomputed) {
    return this.help.filter(({ name, choices }) => choices.length && name !== "start" && !(name === "metric" && precomputed))
      .map(({ name, choices, title }) => { const one = choices.find((c) => c.value === values[name]); return name === "dim" ? `${one.title}-d` : { title, words: one.title }; })
      .map((one) => (typeof one === "string" ? one : one.words.toLowerCase())).join(", ");
  }
}

// --- the file ---

// Offer the ways to read a file, those of `names`; all words come from the server.
function offer(place, readings, names, how, readAs) {
  const shown = readings.filter(({ name }) => names.includes(name));
  const fields = shown.map(({ name, title, values }) => {
    const id = `${place.id}-${name}`;
    const select = element("select", undefined, { id, "data-name": name });
    for (const [value, text] of Object.entries(values)) select.append(element("option", text, { value }));
    select.value = how[name] ?? "auto";
    select.addEventListener("change", () => readAs(chosen(place)));
    const field = element("div", undefined, { class: "field" });
    field.append(element("label", title, { for: id }), select);
    return field;
  });
  place.replaceChildren(...fields);
}

function chosen(place) {
  const how = Object.fromEntries([...place.querySelectorAll("select")].map((select) => [select.dataset.name, select.value]));
  if (!["auto", "graph"].includes(how.kind)) delete how.weight; // only graphs have edges
  return how;
}

// A file that could not be read may be something else; what is known of the file before is out of the way.
export function showRefused({ refused, file }, readings, readAs) {
  $("file-told").hidden = !file || refused !== null;
  const about = JSON.stringify([refused, file?.name]);
  if ($("refused").dataset.about === about) return;
  $("refused").dataset.about = about;
  $("refused").hidden = refused === null;
  $("refused-told").textContent = `${refused} could not be read.${file ? ` The map is still that of ${file.name}.` : ""}`;
  $("forget").textContent = file ? `Back to ${brief(file.name)}` : "Close";
  offer($("refused-how"), readings, ["kind", "weight", "encoding"], {}, readAs);
}

export function showFile(file, readings, readAs) {
  $("empty").hidden = true;
  $("drop-hint").hidden = true;
  $("file-name").textContent = file.name;
  $("recognised").replaceChildren(...file.recognised.map((text) => element("li", text)));
  $("doubts").replaceChildren(...file.doubts.map((text) => element("li", text)));
  const names = ["kind", ...(file.kind === "graph" ? ["weight"] : []), ...(file.how.encoding ? ["encoding"] : [])];
  offer($("read-how"), readings, names, file.how, readAs);
}

// --- lists ---

function lighting(made, point, pair, before = () => {}) {
  made.dataset.point = point;
  if (pair) made.dataset.pair = pair.join("-");
  made.addEventListener("pointerenter", () => { before(); light(point, pair); });
  made.addEventListener("pointerleave", () => light(-1));
  return made;
}

export function showPairs(judged, app) {
  const name = (k) => brief(app.names[k] ?? String(k + 1));
  const rows = judged.worst.map((pair) => {
    const drop = button("drop", () => app.act("drop_pair", { point: pair.i, other: pair.j }), `Leave out the pair ${name(pair.i)} – ${name(pair.j)}`);
    const made = row([`${name(pair.i)} – ${name(pair.j)}`, pair.given, pair.mapped, drop]);
    return lighting(made, -1, [pair.i, pair.j], () => app.shepard.point(pair.given, pair.mapped));
  });
  $("pairs").replaceChildren(rows.length ? table(["pair", { number: "given" }, { number: "on the map" }, ""], rows) : element("p", "All distances are met.", { class: "quiet" }));
}

export function showPoints(judged, app) {
  const { kept } = judged;
  const order = kept.map((_, at) => at).sort((a, b) => judged.share[b] - judged.share[a]).slice(0, 200);
  const most = judged.share[order[0]] || 1;
  const rows = order.map((at) => {
    const meter = element("span", "", { class: "meter" });
    meter.style.width = `${(100 * judged.share[at]) / most}%`;
    const made = row([brief(app.names[kept[at]]), { number: percent(judged.share[at]) }, meter]);
    made.addEventListener("click", () => app.select(kept[at]));
    return lighting(made, kept[at], null);
  });
  $("points").replaceChildren(table(["point", { number: "share of the error" }, ""], rows));
}

export function showChanges(state, app) {
  const name = (k) => brief(app.names[k] ?? String(k + 1));
  const rows = [
    ...state.fixed.map((k) => lighting(row([`${name(k)} is fixed`, button("free", () => app.act("free", { point: k }))]), k, null)),
    ...state.left_out.map((k) => row([`${name(k)} is left out`, button("take back", () => app.act("restore_point", { point: k }))])),
    ...state.missing.map(([i, j]) => lighting(row([`${name(i)} – ${name(j)} does not count`, button("take back", () => app.act("restore_pair", { point: i, other: j }))]), -1, [i, j])),
  ];
  $("tab-changes").textContent = rows.length ? `By hand (${rows.length})` : "By hand";
  const hint = "Drag a point to fix it. One fixed point only moves the map; three or more bend it.";
  $("changes").replaceChildren(element("p", hint, { class: "quiet" }), ...(rows.length ? [table(null, rows)] : []));
}

export function markLit() {
  const pair = lit.pair ? lit.pair.join("-") : null;
  for (const made of document.querySelectorAll("tr[data-point]")) {
    made.classList.toggle("lit", (lit.point >= 0 && Number(made.dataset.point) === lit.point) || (pair !== null && made.dataset.pair === pair));
  }
}

// --- the selected point ---

export function showPoint(k, app) {
  const card = $("point");
  card.hidden = k < 0;
  if (k < 0) return;
  const share = app.shares.get(k) ?? null;
  const buttons = element("div", undefined, { class: "row" });
  if (app.state.fixed.includes(k)) buttons.append(button("Let it move", () => app.act("free", { point: k })));
  buttons.append(button("Leave it out", () => { app.act("drop_point", { point: k }); app.select(-1); }), button("Close", () => app.select(-1)));
  card.replaceChildren(element("h2", app.names[k]), element("p", share === null ? "" : `${percent(share)} of the squared error.`, { class: "quiet" }), buttons);
  const own = app.own?.i === k ? app.own : null;
  if (!own || !own.j.length) return;
  const gaps = own.j.map((other, p) => ({ other, p, gap: Math.abs(own.mapped[p] - own.target[p]) })).filter(({ other, p }) => other !== k && own.target[p] !== null);
  gaps.sort((a, b) => b.gap - a.gap);
  const rows = gaps.slice(0, 6).map(({ other, p }) => {
    const drop = button("drop", () => app.act("drop_pair", { point: k, other }), `Leave out this pair`);
    return lighting(row([brief(app.names[other]), own.given[p], own.mapped[p], drop]), -1, [k, other], () => app.shepard.point(own.given[p], own.mapped[p]));
  });
  app.map.links = gaps.slice(0, 6).map(({ other }) => [k, other]);
  app.map.wake();
  card.append(table(["worst partners", { number: "given" }, { number: "on the map" }, ""], rows));
}

// --- maps so far ---

export function showMaps(state, app) {
  const rows = [...state.maps].reverse().map((map) => {
    const box = element("input", undefined, { type: "checkbox", "aria-label": `Compare map ${map.number}` });
    box.checked = app.two.includes(map.number);
    box.addEventListener("change", () => app.pick(map.number, box.checked));
    const words = app.settings.words(map.settings, state.file.precomputed) + (map.changes ? `, ${map.changes} by hand` : "");
    const made = row([box, { number: String(map.number) }, words, { number: number(map.stress) }, button("show", () => app.act("show", { map: map.number }))]);
    made.classList.toggle("chosen", map.number === state.current);
    return made;
  });
  $("maps").replaceChildren(rows.length ? table(["", "", "settings", { number: "Stress-1" }, ""], rows) : element("p", "None yet.", { class: "quiet" }));
  $("compare").disabled = app.two.length !== 2;
}

// --- choice and stability ---

export function progress(running) {
  const made = element("progress", undefined, { max: 1, "aria-label": running.what ?? "working" });
  if (running.share !== undefined) made.value = running.share;
  return made;
}

export function showChoice(state, app) {
  const { running, choice } = state;
  const parts = [];
  if (running?.purpose === "choose") parts.push(progress(running), button("Cancel", () => app.act("stop")));
  if (choice) {
    const setting = app.settings.help.find((one) => one.name === choice.name);
    const rows = choice.values.map((value, at) => {
      const title = setting.choices.find((one) => one.value === value).title;
      const use = button("use", () => app.act("change", { settings: { [choice.name]: value } }));
      const error = choice.errors[at];
      const made = row([title, { number: error === null ? "cannot be fitted" : `${number(error)} ± ${number(choice.standard_errors[at])}` }, use]);
      made.classList.toggle("chosen", at === choice.best);
      return made;
    });
    if (choice.stale) parts.push(element("p", "Settings, points or pairs have changed since; ask again.", { class: "quiet" }));
    parts.push(element("p", choice.sentence), table([setting.title, { number: "error of held-out pairs" }, ""], rows));
    parts.push(...choice.warnings.map((text) => element("p", text, { class: "quiet" })));
  }
  $("choice").replaceChildren(...parts);
}

export function showStability(state, found, app) {
  const parts = [];
  if (state.running?.purpose === "stability") parts.push(progress(state.running), button("Cancel", () => app.act("stop")));
  if (found) {
    parts.push(element("p", `${found.method}: ${found.maps} maps. Stability ${number(found.stability)}; 1 would be the same map every time.`));
    const order = found.kept.map((_, at) => at).sort((a, b) => found.radii[b] - found.radii[a]).slice(0, 8);
    const rows = order.map((at) => lighting(row([brief(app.names[found.kept[at]]), found.radii[at]]), found.kept[at], null));
    parts.push(table(["least certain", { number: "90 % within" }], rows), ...found.warnings.map((text) => element("p", text, { class: "quiet" })));
  }
  $("stability").replaceChildren(...parts);
}
