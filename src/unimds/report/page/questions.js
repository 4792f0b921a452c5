// --- details of a point ------------------------------------------------------------------------

// At a level of measurement the map is compared with disparities, not with what was given.
const KINDS = data.scaled ? ["given", "disparity", "mapped"] : ["given", "mapped"];
const COMPARED = KINDS.slice(-2); // there is room for two columns of numbers
const numbersOf = (pair) => KINDS.map((kind) => `${kind} ${number(pair[kind])}`).join(", ");
const pairLine = (pair) => `${nameOf(pair.j)}: ${numbersOf(pair)}`;
const times = (share) => Number((share * n).toPrecision(2));
const stressOf = (i) => (data.share ? `Point stress: ${percent(data.share[i])}, ${times(data.share[i])} times an equal share of the squared error` : "");

function showTip(title, lines, pointer) {
  const tip = $("tip");
  tip.replaceChildren(element("strong", title), ...lines.filter(Boolean).map((line) => element("span", line)));
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(pointer.x + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${Math.max(4, Math.min(pointer.y + 14, innerHeight - height - 8))}px`;
}

function tellPoint(i) {
  const lines = partners(i).slice(0, 4).map(pairLine);
  return [stressOf(i), lines.length ? "fits worst with" : "", ...lines];
}

function columnRows(i) {
  return data.columns.map((column) => {
    const row = element("tr");
    const known = column.numbers ? column.numbers[i] !== null : column.codes[i] >= 0;
    const value = !known ? MISSING : column.numbers ? number(column.numbers[i]) : column.names[column.codes[i]];
    row.append(element("th", column.name, { scope: "row" }), element("td", value));
    return row;
  });
}

function partnerTable(i) {
  const table = element("table");
  const head = element("tr");
  head.append(...["fits worst with", ...COMPARED].map((text) => element("th", text, { scope: "col" })));
  table.append(element("thead"), element("tbody"));
  table.tHead.append(head);
  for (const pair of partners(i)) {
    const row = element("tr");
    const cell = element("td");
    cell.append(pointButton(pair.j, nameOf(pair.j)));
    row.append(cell, ...COMPARED.map((kind) => element("td", number(pair[kind]), { class: "number" })));
    table.tBodies[0].append(row);
  }
  return table;
}

function drawDetails() {
  const i = state.selected;
  const details = $("details");
  details.parentElement.classList.toggle("empty", i < 0);
  $("details-title").textContent = i < 0 ? "No point selected" : nameOf(i);
  details.replaceChildren();
  if (i < 0) return;
  if (data.share) details.append(element("p", stressOf(i)));
  if (data.columns.length) {
    const table = element("table");
    table.append(...columnRows(i));
    details.append(table);
  }
  if (partners(i).length) details.append(partnerTable(i));
  else if (data.partners) details.append(element("p", "All distances of this point fit."));
}

function select(i) {
  state.selected = i;
  drawDetails();
  const worst = partners(i).slice(0, 1).map((one) => ` It fits worst with ${pairLine(one)}.`);
  if (i >= 0) say(`${nameOf(i)} is selected. ${stressOf(i)}${data.share ? "." : ""}${worst.join("")}`);
  drawMap().then(() => { if (i >= 0) bringToFront(i); });
  if (data.shepard) drawShepard();
}

const cameraEye = () => (map.layout.scene.camera ?? map._fullLayout.scene.camera).eye;

function bringToFront(i) {
  if (!globe()) return;
  const eye = cameraEye();
  Plotly.relayout(map, { "scene.camera.eye": facing(data.points.map((a) => a[i]), Math.hypot(eye.x, eye.y, eye.z)) });
}

const say = (text) => { $("status").textContent = text; };

// --- finding points ----------------------------------------------------------------------------

const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
const haystack = data.labels.map(folded);

function find() {
  const wanted = folded($("search").value.trim());
  state.matches = wanted ? haystack.flatMap((label, i) => (label.includes(wanted) ? [i] : [])) : [];
  state.turn = -1;
  const exact = state.matches.filter((i) => haystack[i] === wanted);
  if (state.matches.length === 1 || exact.length === 1) {
    select(exact[0] ?? state.matches[0]);
    return;
  }
  state.selected = -1;
  drawDetails();
  const count = state.matches.length;
  const first = state.matches.slice(0, 3).map(nameOf).join(", ");
  if (!wanted) say("");
  else if (!count) say("No label matches.");
  else say(`${count} labels match: ${first}${count > 3 ? " …" : ""}. Press Enter for the next match.`);
  drawMap();
}

function nextMatch(step) {
  const count = state.matches.length;
  if (!count) return;
  state.turn = (state.turn + step + count) % count;
  select(state.matches[state.turn]);
}

// --- keyboard ----------------------------------------------------------------------------------

const globe = () => data.kind === "globe";
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1], "+": [0, 0, 0.8], "-": [0, 0, 1.25] };

function turn([right, up, zoom = 1]) {
  const eye = cameraEye();
  const length = Math.hypot(eye.x, eye.y, eye.z);
  const east = Math.atan2(eye.y, eye.x) + 0.2 * right;
  const north = Math.max(-1.5, Math.min(1.5, Math.asin(eye.z / length) + 0.2 * up));
  const far = length * (globe() ? 1 : zoom);
  const moved = { x: far * Math.cos(north) * Math.cos(east), y: far * Math.cos(north) * Math.sin(east), z: far * Math.sin(north) };
  const change = { "scene.camera.eye": moved, "scene.camera.up": { x: 0, y: 0, z: 1 } };
  // the globe has no perspective: moving the camera closer would not enlarge it
  const across = globe() ? map.layout.scene.aspectratio.x / zoom : 0;
  return Plotly.relayout(map, globe() ? { ...change, "scene.aspectratio": { x: across, y: across, z: across } } : change);
}

function shift([right, up, zoom = 1]) {
  const moved = (range, by) => {
    const [middle, half] = [(range[0] + range[1]) / 2, (range[1] - range[0]) / 2];
    return [middle + 0.2 * by * half - zoom * half, middle + 0.2 * by * half + zoom * half];
  };
  const { xaxis, yaxis } = map._fullLayout;
  return Plotly.relayout(map, { "xaxis.range": moved(xaxis.range, right), "yaxis.range": moved(yaxis.range, up) });
}

// --- themes and events -------------------------------------------------------------------------

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const dark = () => root.dataset.theme === "dark";

function setTheme(name) {
  root.dataset.theme = name;
  $("theme").textContent = name === "dark" ? "Light" : "Dark"; // what a click brings
}

// In three dimensions plotly reports a click at each frame while a button is down over a point, even while
// the map rotates. It also draws a second, hidden picture to find the point under the mouse, which a rotating
// map does not need. Without a graphics card a rotating map has a lower resolution, and shows a few thousand
// of very many points.
function listenInSpace() {
  let [under, pressed, turning, corners] = [-1, { x: 0, y: 0 }, false, 0];
  for (const told of ["plotly_hover", "plotly_click"]) map.on(told, ({ points: [at] }) => { under = pointOf(at); });
  map.on("plotly_unhover", () => { under = -1; });
  const setTurning = (now) => {
    if (now === turning) return;
    turning = now;
    const { glplot, traces } = map._fullLayout.scene._scene;
    if (!card) glplot.pixelRatio = turning ? 1 : sharp;
    if (!card && tiny) {
      const { scatterPlot } = traces.points;
      if (turning) corners = scatterPlot.vertexCount;
      scatterPlot.vertexCount = turning ? (corners / n) * FEW : corners;
    }
    for (const drawn of glplot.objects) {
      if (turning) drawn.drawPick = () => {};
      else delete drawn.drawPick;
    }
    if (!turning) setTimeout(() => glplot.redraw(), 0); // plotly handles the mouse event after us
  };
  const moved = (event) => Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > 3;
  map.addEventListener("mousedown", (event) => { pressed = { x: event.clientX, y: event.clientY }; }, true);
  addEventListener("mousemove", (event) => { setTurning(event.buttons !== 0 && map.contains(event.target) && moved(event)); }, true);
  addEventListener("mouseup", () => setTurning(false), true);
  map.addEventListener("click", (event) => {
    // plotly finds the point in the next frame
    if (!moved(event)) requestAnimationFrame(() => setTimeout(() => { if (under >= 0) select(under); }, 0));
  }, true);
}

function listen() {
  const pointer = { x: 0, y: 0 };
  addEventListener("mousemove", (event) => Object.assign(pointer, { x: event.clientX, y: event.clientY }), true);
  const layerOf = (trace) => trace.hoverinfo === "none";
  const later = async (draw) => { await nextFrame(); draw(); }; // plotly may be drawing at this moment
  map.on("plotly_hover", ({ points: [at] }) => { if (layerOf(at.data)) showTip(nameOf(pointOf(at)), tellPoint(pointOf(at)), pointer); });
  if (flat) map.on("plotly_click", ({ points: [at] }) => { if (layerOf(at.data)) select(pointOf(at)); });
  else listenInSpace();
  map.on("plotly_unhover", () => { $("tip").hidden = true; });
  map.on("plotly_relayout", (change) => { if (($("names").checked || layerNames().length) && Object.keys(change).some((key) => key.includes("axis") || key.includes("camera"))) later(drawMap); });
  map.addEventListener("mouseleave", () => { $("tip").hidden = true; });
  map.addEventListener("keydown", (event) => {
    const way = ARROWS[event.key];
    if (!way) return;
    event.preventDefault();
    if (flat) shift(way);
    else turn(way);
  });
  if (data.shepard) {
    shepard.on("plotly_hover", ({ points: [at] }) => {
      const k = at.pointNumber;
      const { i, j, given, mapped } = data.shepard;
      const pair = { given: given[k], mapped: mapped[k], disparity: data.scaled?.disparity[k] };
      showTip(`${nameOf(i[k])} – ${nameOf(j[k])}`, [numbersOf(pair)], pointer);
    });
    shepard.on("plotly_unhover", () => { $("tip").hidden = true; });
  }
  $("search").addEventListener("input", find);
  $("search").addEventListener("keydown", (event) => { if (event.key === "Enter") nextMatch(event.shiftKey ? -1 : 1); });
  $("color").addEventListener("change", drawMap);
  $("names").addEventListener("change", drawMap);
  $("theme").addEventListener("click", () => { setTheme(dark() ? "light" : "dark"); draw(); });
  prefersDark.addEventListener("change", () => follow(prefersDark.matches ? "dark" : "light"));
  listenToTheNotebook();
}

function follow(name) {
  if (name === root.dataset.theme) return;
  setTheme(name);
  draw();
}

// In a frame the page around it knows its own theme better than the system does.
function listenToTheNotebook() {
  if (parent === window) return;
  addEventListener("message", ({ data: told, source }) => {
    if (source === parent && ["light", "dark"].includes(told?.unimdsTheme)) follow(told.unimdsTheme);
  });
  parent.postMessage("unimdsTheme?", "*");
}

// In print a page is as narrow as the paper: pictures shrink as they are, since plotly has no time to draw them again.
const PAPER = 690;
const pictures = [...document.querySelectorAll(".plot")];

function shrinkForPrint() {
  for (const picture of pictures) {
    const { offsetWidth: width, offsetHeight: height } = picture;
    if (width > PAPER) Object.assign(picture.style, { width: `${width}px`, height: `${height}px`, zoom: String(PAPER / width) });
  }
}

// A picture that the graphics card has drawn is gone when the page is printed: a copy stays.
function copyForPrint() {
  const { glplot } = map._fullLayout?.scene?._scene ?? {};
  if (!glplot?.canvas) return;
  glplot.redraw();
  const { canvas } = glplot;
  const still = element("canvas", "", { width: canvas.width, height: canvas.height, class: "still" });
  still.style.cssText = canvas.style.cssText;
  still.getContext("2d").drawImage(canvas, 0, 0);
  canvas.after(still);
}

function listenToThePage() {
  let across = map.clientWidth;
  new ResizeObserver(() => {
    if (map.clientWidth === across || map.style.zoom) return;
    across = map.clientWidth;
    setTimeout(drawMap, 300); // names need the new places of the points; plotly waits for a pause, too
  }).observe(map);
  addEventListener("beforeprint", copyForPrint);
  addEventListener("beforeprint", shrinkForPrint);
  addEventListener("afterprint", () => {
    for (const { style } of pictures) Object.assign(style, { width: "", height: "", zoom: "" });
    for (const still of document.querySelectorAll("canvas.still")) still.remove();
  });
}

function setUp() {
  setTheme(prefersDark.matches ? "dark" : "light");
  const choices = [["", "nothing"], ...(data.share ? [["stress", "point stress"]] : []), ...data.columns.map((c, k) => [String(k), c.name])];
  $("color").append(...choices.map(([value, text]) => element("option", text, { value })));
  $("color").value = data.columns.length ? "0" : data.share?.some((share) => share > 0) ? "stress" : "";
  $("names").checked = n <= 150 || data.fresh > 0;
  layerBoxes();
  $("keys").textContent = flat ? "Drag or use the arrow keys to move the map; scroll or press + and − to zoom." : "Drag or use the arrow keys to rotate the map; scroll or press + and − to zoom.";
  (data.worst ?? []).forEach((i, at) => {
    const item = element("li");
    const told = data.misfit ? `Stress-1 ${number(data.misfit[at])}` : percent(data.share[i]);
    item.append(pointButton(i, `${nameOf(i)} (${told})`));
    $("worst").append(item);
  });
  $("shepard-section").hidden = !data.shepard;
  $("history-section").hidden = !data.history.length;
  if (data.shepard?.counts) $("shepard-note").textContent += " The dots are a sample; the shade shows how dense the pairs are.";
}

setUp();
draw().then(() => { listen(); listenToThePage(); root.dataset.ready = "yes"; });
