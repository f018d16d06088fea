// The map: marks on a canvas, so that 20,000 of them are drawn in one frame.
const map = { plane: 0, transform: d3.zoomIdentity, hovered: -1, lasso: null, tree: null };

function startMap() {
  const canvas = byId("map-canvas");
  if (!canvas || !held.pictures) return;
  map.canvas = canvas; map.above = byId("map-above"); map.stage = byId("map-stage");
  map.planes = held.pictures.planes.map((p) => ({ x: fractions(p.x), y: fractions(p.y) }));
  for (const tools of document.querySelectorAll("#map .tools, .zoom")) tools.hidden = false;
  const coarse = matchMedia("(pointer: coarse)").matches;
  document.querySelector(`input[name="mode"][value="${coarse ? "look" : "lasso"}"]`).checked = true;
  byId("planes").addEventListener("change", (event) => { map.plane = +event.target.value; showPlane(); resizeMap(); });
  byId("modes").addEventListener("change", setTouch);
  map.zoom = d3.zoom().scaleExtent([0.8, 60])
    .filter((event) => event.type === "wheel" ? event.ctrlKey || event.metaKey : mode() === "move" || (event.touches && event.touches.length > 1))
    .on("zoom", (event) => { map.transform = event.transform; later(drawMap); });
  d3.select(canvas).call(map.zoom).on("dblclick.zoom", null);
  byId("map-in").addEventListener("click", () => zoomMap(1.6));
  byId("map-out").addEventListener("click", () => zoomMap(1 / 1.6));
  byId("map-whole").addEventListener("click", () => d3.select(canvas).call(map.zoom.transform, d3.zoomIdentity));
  startPointer(canvas);
  canvas.addEventListener("keydown", mapKeys);
  canvas.addEventListener("blur", () => hover(-1));
  startLegend();
  choice.listeners.push(() => { later(drawMap); fillSamples(0); });
  showPlane(); setTouch(); resizeMap(); fillSamples(0);
  new ResizeObserver(() => later(resizeMap)).observe(map.stage);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { later(drawMap); });
  byId("rows-before").addEventListener("click", () => fillSamples(map.page - 1));
  byId("rows-after").addEventListener("click", () => fillSamples(map.page + 1));
}

const mode = () => document.querySelector('input[name="mode"]:checked').value;
const setTouch = () => { map.canvas.style.touchAction = mode() === "look" ? "pan-x pan-y" : "none"; map.canvas.style.cursor = mode() === "move" ? "grab" : "crosshair"; };
const waitingFrames = new Set();
function later(work) {
  if (waitingFrames.has(work)) return;
  waitingFrames.add(work);
  requestAnimationFrame(() => { waitingFrames.delete(work); work(); });
}
const zoomMap = (factor) => d3.select(map.canvas).call(map.zoom.scaleBy, factor);

function showPlane() {
  for (const told of document.querySelectorAll(".plane-told")) told.hidden = +told.dataset.plane !== map.plane;
}

function sized(canvas, width, height) {
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

function resizeMap() {
  map.width = map.stage.clientWidth;
  if (!map.width) return;
  const most = Math.min(544, 0.75 * innerHeight), { x, y } = map.planes[map.plane], [low, high] = [d3.extent(x), d3.extent(y)];
  // As high as the picture needs, but no strip and no tower.
  map.height = Math.round(Math.max(260, Math.min(most, 48 + ((map.width - 32) * (high[1] - high[0])) / (low[1] - low[0] || 1))));
  map.stage.style.height = `${map.height}px`;
  map.context = sized(map.canvas, map.width, map.height);
  map.overlay = sized(map.above, map.width, map.height);
  const side = Math.min(map.width, map.height) - 32;
  const scale = Math.min((map.width - 32) / (low[1] - low[0] || 1), (map.height - 32) / (high[1] - high[0] || 1), 4 * side);
  map.px = Float32Array.from(x, (v) => map.width / 2 + (v - (low[0] + low[1]) / 2) * scale);
  map.py = Float32Array.from(y, (v) => map.height / 2 - (v - (high[0] + high[1]) / 2) * scale);
  map.tree = d3.quadtree(d3.range(samples.count), (row) => map.px[row], (row) => map.py[row]);
  drawMap();
}

// Marks shrink as the room for each does.
const markSize = () => Math.min(4, Math.max(1.5, 0.085 * Math.sqrt((map.width * map.height) / samples.count))) * Math.min(2, Math.sqrt(map.transform.k));
const markRadius = (row) => markSize() * (1 + 0.9 * Math.min(1, 1.4 * doubt(row)));

function drawMap() {
  const { context, transform } = map;
  if (!context) return;
  context.clearRect(0, 0, map.width, map.height);
  if (onPaper()) { context.fillStyle = "#fff"; context.fillRect(0, 0, map.width, map.height); } // paper knows no transparency
  const hues = d3.range(7).map((i) => colour(`--c${i}`)), text = colour("--text"), size = markSize();
  const draw = (row, chosen) => {
    const [x, y] = transform.apply([map.px[row], map.py[row]]);
    if (x < -9 || y < -9 || x > map.width + 9 || y > map.height + 9) return;
    const radius = markRadius(row), code = samples.truth ? samples.truth[row] : 0;
    context.globalAlpha = chosen ? 0.82 : 0.1;
    context.fillStyle = hues[hue(code)];
    mark(context, code, x, y, radius);
    if (chosen && samples.decided && isWrong(row)) {
      context.globalAlpha = 0.85; context.strokeStyle = text; context.lineWidth = Math.min(1.2, 0.4 * size);
      context.beginPath(); context.arc(x, y, radius + 0.55 * size + 0.6, 0, 7); context.stroke();
    }
  };
  if (choice.flags) for (let row = 0; row < samples.count; row++) if (!isChosen(row)) draw(row, false);
  for (let row = 0; row < samples.count; row++) if (isChosen(row)) draw(row, true);
  context.globalAlpha = 1;
  drawAbove();
}

function mark(context, code, x, y, radius) {
  context.translate(x, y);
  context.beginPath();
  shape(code).draw(context, 3.4 * radius * radius);
  context.fill();
  context.translate(-x, -y);
}

function drawAbove() {
  const context = map.overlay, text = colour("--text");
  context.clearRect(0, 0, map.width, map.height);
  if (map.hovered >= 0) {
    const [x, y] = map.transform.apply([map.px[map.hovered], map.py[map.hovered]]);
    context.strokeStyle = text; context.lineWidth = 2;
    context.beginPath(); context.arc(x, y, markRadius(map.hovered) + 5, 0, 7); context.stroke();
  }
  if (map.lasso && map.lasso.length > 1) {
    context.strokeStyle = colour("--accent"); context.lineWidth = 2; context.setLineDash([5, 4]);
    context.beginPath(); d3.line()(map.lasso); context.moveTo(...map.lasso[0]);
    for (const point of map.lasso) context.lineTo(...point);
    context.closePath(); context.stroke(); context.setLineDash([]);
    context.globalAlpha = 0.08; context.fillStyle = colour("--accent"); context.fill(); context.globalAlpha = 1;
  }
}

function startPointer(canvas) {
  let from = null;
  canvas.addEventListener("pointerdown", (event) => {
    from = d3.pointer(event, canvas);
    if (mode() !== "lasso" || event.button !== 0) return;
    map.lasso = [from];
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const at = d3.pointer(event, canvas);
    if (map.lasso) {
      map.lasso.push(at); hover(-1); later(drawAbove);
      return;
    }
    hover(nearestRow(at, 16), event);
  });
  canvas.addEventListener("pointerleave", () => { if (!map.lasso) hover(-1); });
  canvas.addEventListener("pointercancel", () => { map.lasso = null; later(drawAbove); });
  canvas.addEventListener("pointerup", (event) => {
    const at = d3.pointer(event, canvas), moved = from && Math.hypot(at[0] - from[0], at[1] - from[1]) > 5;
    const path = map.lasso;
    map.lasso = null;
    later(drawAbove);
    if (path && moved && path.length > 3) {
      const rows = d3.range(samples.count).filter((row) => d3.polygonContains(path, map.transform.apply([map.px[row], map.py[row]])));
      chooseRows(rows, "in the lasso");
    } else if (!moved) {
      const row = nearestRow(at, 16);
      if (row >= 0) openSample(row);
    }
    from = null;
  });
}

function nearestRow(at, within) {
  const [x, y] = map.transform.invert(at);
  const row = map.tree && map.tree.find(x, y, within / map.transform.k);
  return row === undefined || row === null ? -1 : row;
}

function hover(row, event) {
  const tip = byId("tip");
  if (row !== map.hovered) { map.hovered = row; later(drawAbove); }
  if (row < 0) { tip.hidden = true; return; }
  if (tip.dataset.row !== String(row) || tip.hidden) {
    tip.dataset.row = row;
    tip.replaceChildren(...toldSample(row));
  }
  const box = map.canvas.getBoundingClientRect(), [x, y] = map.transform.apply([map.px[row], map.py[row]]);
  placeTip(event ? event.clientX : box.left + x, event ? event.clientY : box.top + y);
}

function placeTip(x, y) {
  const tip = byId("tip");
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - width - 6)) + "px";
  tip.style.top = Math.max(4, y + 16 + height > innerHeight ? y - height - 10 : y + 16) + "px";
}

function toldSample(row) {
  const lines = [element("p", {}, element("strong", {}, bdi(samples.name(row))))];
  if (samples.truth) lines.push(element("p", {}, "class ", bdi(className(samples.truth[row]))));
  if (samples.decided) lines.push(element("p", {}, isWrong(row) ? "decided wrongly as " : "decided as ", bdi(className(samples.decided[row]))));
  if (samples.top) for (let j = 0; j < Math.min(3, samples.top.k); j++) {
    const at = row * samples.top.k + j;
    lines.push(element("p", {}, bdi(className(samples.top.classes[at])), " " + percent(samples.top.shares[at])));
  }
  return lines;
}

function mapKeys(event) {
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  if (event.key === "+" || event.key === "=") zoomMap(1.6);
  else if (event.key === "-") zoomMap(1 / 1.6);
  else if (event.key === "Escape") { hover(-1); choose(null); }
  else if (event.key === "Enter" && map.hovered >= 0) openSample(map.hovered);
  else if (event.key === " " && map.hovered >= 0) toggleRow(map.hovered);
  else if (steps[event.key]) goTowards(steps[event.key]);
  else return;
  event.preventDefault();
}

function toggleRow(row) {
  const flags = choice.flags && choice.told === "chosen one by one" ? choice.flags.slice() : new Uint8Array(samples.count);
  flags[row] = 1 - flags[row];
  choose(d3.some(flags, (v) => v) ? flags : null, "chosen one by one");
}

function goTowards([dx, dy]) {
  const here = map.hovered;
  if (here < 0) { hover(nearestRow([map.width / 2, map.height / 2], Infinity)); sayHovered(); return; }
  let best = -1, least = Infinity;
  for (let row = 0; row < samples.count; row++) {
    if (row === here) continue;
    const x = map.px[row] - map.px[here], y = map.py[row] - map.py[here], along = x * dx + y * dy, across = Math.abs(x * dy) + Math.abs(y * dx);
    if (along > 0.01 && along + 2 * across < least) { least = along + 2 * across; best = row; }
  }
  if (best >= 0) { hover(best); sayHovered(); }
}

function sayHovered() {
  byId("map-said").textContent = toldSample(map.hovered).map((line) => line.textContent).join(", ");
}

function startLegend() {
  const legend = byId("legend");
  if (!legend || !samples.truth) return;
  const counts = new Array(classes.length).fill(0);
  for (const code of samples.truth) if (code !== UNKNOWN) counts[code]++;
  if (held.whole) held.whole.sizes.forEach((size, code) => { counts[code] = size; });
  const pixels = innerWidth < 736 ? 96 : 150; // both ends of long names: they may begin alike
  classOrder.forEach((code) => {
    if (!counts[code]) return;
    const name = classes[code];
    const button = element("button", { type: "button", "aria-pressed": "false", title: name }, glyph(code), bdi(short(name, pixels)), element("span", { class: "count", text: counted(counts[code]) }));
    button.addEventListener("click", () => {
      const pressed = button.getAttribute("aria-pressed") === "true";
      if (pressed) choose(null);
      else chooseRows(d3.range(samples.count).filter((row) => samples.truth[row] === code), `of ${name}`);
      button.setAttribute("aria-pressed", String(!pressed));
    });
    legend.append(button);
  });
  choice.listeners.push(() => { for (const button of legend.children) button.setAttribute("aria-pressed", "false"); });
}

const ROWS = 25;
function fillSamples(page) {
  const table = byId("samples-table");
  if (!table) return;
  const rows = chosenRows();
  if (samples.sure) rows.sort((a, b) => doubt(b) - doubt(a));
  map.page = Math.max(0, Math.min(page, Math.ceil(rows.length / ROWS) - 1));
  const shown = rows.slice(map.page * ROWS, (map.page + 1) * ROWS);
  table.tBodies[0].replaceChildren(...shown.map((row) => element("tr", {}, element("th", { scope: "row" }, sampleLink(row)),
    samples.truth && element("td", {}, bdi(className(samples.truth[row]))), samples.decided && element("td", {}, bdi(className(samples.decided[row]))), samples.sure && element("td", { class: "n", text: percent(samples.sure[row]) }))));
  byId("rows-told").textContent = rows.length ? `${map.page * ROWS + 1} to ${map.page * ROWS + shown.length} of ${rows.length}${samples.sure ? ", the most doubtful first" : ""}` : "none";
  byId("rows-before").disabled = map.page === 0;
  byId("rows-after").disabled = (map.page + 1) * ROWS >= rows.length;
}
