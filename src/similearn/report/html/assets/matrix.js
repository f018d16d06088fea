// The ordered matrix: one picture, enlarged on a canvas.
const matrix = { transform: d3.zoomIdentity };

function startMatrix() {
  const canvas = byId("matrix-canvas");
  if (!canvas || !held.pictures) return;
  const m = held.pictures.matrix;
  Object.assign(matrix, { canvas, stage: byId("matrix-stage"), ...m, cells: unpacked(m.cells, Uint8Array), order: unpacked(m.order, Uint32Array) });
  paintMatrix();
  matrix.zoom = d3.zoom().scaleExtent([1, 40])
    .filter((event) => (event.type === "wheel" ? event.ctrlKey || event.metaKey : matrix.transform.k > 1 || (event.touches && event.touches.length > 1)))
    .on("zoom", (event) => { matrix.transform = event.transform; later(drawMatrix); });
  d3.select(canvas).call(matrix.zoom).on("dblclick.zoom", null);
  byId("matrix-in").addEventListener("click", () => d3.select(canvas).call(matrix.zoom.scaleBy, 1.6));
  byId("matrix-out").addEventListener("click", () => d3.select(canvas).call(matrix.zoom.scaleBy, 1 / 1.6));
  byId("matrix-whole").addEventListener("click", () => d3.select(canvas).call(matrix.zoom.transform, d3.zoomIdentity));
  canvas.addEventListener("pointermove", (event) => {
    const cell = event.buttons ? null : cellAt(event);
    if (cell) tellCell(cell, event.clientX, event.clientY);
    else byId("tip").hidden = true;
  });
  canvas.addEventListener("blur", () => setCursor(null));
  canvas.addEventListener("pointerleave", () => { byId("tip").hidden = true; });
  canvas.addEventListener("click", (event) => { const cell = event.defaultPrevented ? null : cellAt(event); if (cell) chooseSquare(cell); });
  canvas.addEventListener("keydown", matrixKeys);
  choice.listeners.push(() => later(drawMatrix));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { paintMatrix(); drawMatrix(); });
  new ResizeObserver(() => later(resizeMatrix)).observe(matrix.stage);
  resizeMatrix();
}

function ramp() {
  // Yellow, green, blue: told apart by the colour-blind, and by lightness alone in grey.
  const dark = isDark(), of = (near) => d3.interpolateYlGnBu(dark ? 1 - near : near);
  return d3.range(256).map((i) => d3.rgb(of(held.pictures.near ? i / 255 : 1 - i / 255)));
}

function paintMatrix() {
  const { side, cells } = matrix, colours = ramp();
  const picture = element("canvas");
  picture.width = picture.height = side;
  const context = picture.getContext("2d"), pixels = context.createImageData(side, side);
  for (let i = 0; i < side * side; i++) {
    const c = colours[cells[i]];
    pixels.data[4 * i] = c.r; pixels.data[4 * i + 1] = c.g; pixels.data[4 * i + 2] = c.b; pixels.data[4 * i + 3] = 255;
  }
  context.putImageData(pixels, 0, 0);
  matrix.picture = picture;
  const bar = byId("ramp").getContext("2d"), ends = held.pictures.near ? colours : colours.slice().reverse();
  for (let i = 0; i < 240; i++) { bar.fillStyle = String(ends[Math.round((i / 239) * 255)]); bar.fillRect(i, 0, 1, 10); }
  const marks = [0, 0.25, 0.5, 0.75, 1].map((far) => plain(+valueAt(held.pictures.near ? far : 1 - far).toPrecision(3)));
  byId("ramp-told").replaceChildren(...(new Set(marks).size > 1 ? marks : marks.slice(0, 1)).map((text) => element("span", { text })));
}

// The value that lies so far along the colours.
function valueAt(share) {
  const { points, shares } = matrix, i = Math.min(Math.max(d3.bisectLeft(shares, share), 1), shares.length - 1);
  if (shares.length === 1) return points[0];
  const part = (share - shares[i - 1]) / (shares[i] - shares[i - 1]);
  return points[i - 1] + Math.min(Math.max(part, 0), 1) * (points[i] - points[i - 1]);
}

function resizeMatrix() {
  matrix.width = matrix.stage.clientWidth;
  matrix.height = matrix.stage.clientHeight;
  if (!matrix.width) return;
  matrix.context = sized(matrix.canvas, matrix.width, matrix.height);
  matrix.margin = 10;
  matrix.size = Math.min(matrix.width, matrix.height) - matrix.margin;
  drawMatrix();
}

function drawMatrix() {
  const { context, transform, margin, size, picture } = matrix;
  if (!context) return;
  context.clearRect(0, 0, matrix.width, matrix.height);
  context.save();
  context.beginPath(); context.rect(margin, margin, size, size); context.clip();
  context.imageSmoothingEnabled = matrix.side > size * transform.k;
  context.drawImage(picture, transform.x + margin * 1, transform.y + margin * 1, size * transform.k, size * transform.k);
  const scale = (size * transform.k) / (matrix.side * matrix.step);
  if (matrix.edges.length > 1 && (size * transform.k) / matrix.edges.length > 7) {
    context.strokeStyle = colour("--text"); context.globalAlpha = 0.4; context.lineWidth = 1;
    for (const edge of matrix.edges.slice(0, -1)) {
      const at = edge * scale;
      line(context, margin + transform.x + at, margin, margin + transform.x + at, margin + size);
      line(context, margin, margin + transform.y + at, margin + size, margin + transform.y + at);
    }
  }
  if (matrix.cursor) {
    const [x, y] = placeOf(matrix.cursor), half = Math.max(cellSize() / 2, 4);
    for (const [name, wide] of [["--back", 4], ["--text", 2]]) {
      context.globalAlpha = 1; context.strokeStyle = colour(name); context.lineWidth = wide;
      context.strokeRect(x - half, y - half, 2 * half, 2 * half);
    }
  }
  context.restore();
  drawBands(context, scale);
}

function line(context, x1, y1, x2, y2) { context.beginPath(); context.moveTo(x1, y1); context.lineTo(x2, y2); context.stroke(); }

// Along both sides: the class of each row, and bright where it is chosen.
function drawBands(context, scale) {
  const { margin, transform, order, size } = matrix, hues = d3.range(7).map((i) => colour(`--c${i}`));
  if (!samples.truth) return;
  // Rows of one class and state are one bar: single ones would leave seams.
  const state = (i) => { const row = samples.row(order[i]); return row === undefined ? -1 : 2 * samples.truth[row] + (isChosen(row) ? 1 : 0); };
  for (let i = 0, next; i < order.length; i = next) {
    const now = state(i);
    for (next = i + 1; next < order.length && state(next) === now; next++);
    if (now < 0) continue;
    context.globalAlpha = now % 2 ? 1 : 0.12;
    context.fillStyle = hues[hue(now >> 1)];
    const from = Math.max(i * scale, 0), thick = Math.max((next - i) * scale, 0.75);
    band(context, transform.x + from, thick, (at, long) => context.fillRect(margin + at, 0, long, margin - 3), size);
    band(context, transform.y + from, thick, (at, long) => context.fillRect(0, margin + at, margin - 3, long), size);
  }
  context.globalAlpha = 1;
}

function band(context, at, long, fill, size) {
  const from = Math.max(at, 0), to = Math.min(at + long, size);
  if (to > from) fill(from, to - from);
}

function cellAt(event) {
  const [x, y] = d3.pointer(event, matrix.canvas), { transform, margin, size, side } = matrix;
  const of = (v, shift) => Math.floor(((v - margin - shift) / (size * transform.k)) * side);
  const column = of(x, transform.x), row = of(y, transform.y);
  return row >= 0 && column >= 0 && row < side && column < side && x > margin && y > margin ? [row, column] : null;
}

const within = (i) => Array.from(matrix.order.slice(i * matrix.step, (i + 1) * matrix.step));

function toldSide(i) {
  const places = within(i), row = samples.row(places[0]);
  if (row === undefined) return element("p", { text: `sample ${places[0]}` });
  const names = places.length === 1 ? samples.name(row) : `${samples.name(row)} and ${places.length - 1} beside it`;
  return element("p", {}, bdi(names), samples.truth ? ` (${className(samples.truth[row])})` : "");
}

function tellCell(cell, x, y) {
  const tip = byId("tip"), value = valueAt(matrix.cells[cell[0] * matrix.side + cell[1]] / 255);
  delete tip.dataset.row;
  tip.replaceChildren(toldSide(cell[0]), toldSide(cell[1]), element("p", { text: `${matrix.step > 1 ? "mean " : ""}value about ${plain(value)}` }));
  placeTip(x, y);
  return [...tip.children].map((line) => line.textContent).join(", ");
}

function chooseSquare(cell) {
  const rows = [...within(cell[0]), ...within(cell[1])].map(samples.row).filter((row) => row !== undefined);
  chooseRows(rows, "of a cell of the matrix");
}

function matrixKeys(event) {
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }, on = d3.select(matrix.canvas);
  if (event.key === "+" || event.key === "=") on.call(matrix.zoom.scaleBy, 1.6, placeOf(matrix.cursor));
  else if (event.key === "-") on.call(matrix.zoom.scaleBy, 1 / 1.6, placeOf(matrix.cursor));
  else if (event.key === "Enter" && matrix.cursor) chooseSquare(matrix.cursor);
  else if (event.key === "Escape") { setCursor(null); choose(null); }
  else if (steps[event.key]) goToCell(steps[event.key]);
  else return;
  event.preventDefault();
}

const cellSize = () => (matrix.size * matrix.transform.k) / matrix.side;
const placeOf = (cell) => cell && [matrix.margin + matrix.transform.x + (cell[1] + 0.5) * cellSize(), matrix.margin + matrix.transform.y + (cell[0] + 0.5) * cellSize()];

// Some pixels further with each key, and the picture follows.
function goToCell([down, right]) {
  const step = Math.max(1, Math.round(8 / cellSize())), last = matrix.side - 1, inside = (v) => Math.max(0, Math.min(last, v));
  const from = matrix.cursor || [inside(Math.round(last / 2)), inside(Math.round(last / 2))];
  setCursor(matrix.cursor ? [inside(from[0] + step * down), inside(from[1] + step * right)] : from);
  const [x, y] = placeOf(matrix.cursor), outside = (v) => v < matrix.margin || v > matrix.margin + matrix.size;
  if (outside(x) || outside(y)) d3.select(matrix.canvas).call(matrix.zoom.translateTo, (matrix.cursor[1] + 0.5) * (matrix.size / matrix.side), (matrix.cursor[0] + 0.5) * (matrix.size / matrix.side));
  const box = matrix.canvas.getBoundingClientRect(), [cx, cy] = placeOf(matrix.cursor);
  byId("matrix-said").textContent = tellCell(matrix.cursor, box.left + cx, box.top + cy);
}

function setCursor(cell) {
  matrix.cursor = cell;
  if (!cell) byId("tip").hidden = true;
  later(drawMatrix);
}
