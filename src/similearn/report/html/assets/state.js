// What the file holds, and which samples are chosen. All other parts ask here.
const held = JSON.parse(document.getElementById("report-data").textContent);
const UNKNOWN = 65535, FINEST = 65534;
const byId = (id) => document.getElementById(id);

function unpacked(text, Kind) {
  if (!text) return null;
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return new Kind(bytes.buffer);
}

function fractions(text) {
  const whole = unpacked(text, Uint16Array);
  return whole && Float32Array.from(whole, (v) => v / FINEST);
}

const classes = held.classes;
const classOrder = held.order && held.order.length ? held.order : d3.range(classes.length);
const samples = (function () {
  const s = held.samples, places = unpacked(s.places, Uint32Array);
  const count = places ? places.length : s.n;
  const rowOf = new Map();
  if (places) places.forEach((place, row) => rowOf.set(place, row));
  return {
    n: s.n, count,
    place: (row) => (places ? places[row] : row),
    row: (place) => (places ? rowOf.get(place) : place < count ? place : undefined),
    name: (row) => (s.names ? s.names[row] : String(places ? places[row] : row)),
    truth: unpacked(s.truth, Uint16Array),
    decided: unpacked(s.decided, Uint16Array),
    own: fractions(s.own),
    sure: fractions(s.sure),
    top: s.top && { k: s.top.k, classes: unpacked(s.top.classes, Uint16Array), shares: fractions(s.top.shares) },
  };
})();

const isWrong = (row) => samples.decided !== null && samples.decided[row] !== samples.truth[row];
const doubt = (row) => (samples.sure ? 1 - samples.sure[row] : 0);
const className = (code) => (code === undefined || code === UNKNOWN || code < 0 ? "not known" : classes[code]);

// The chosen samples: null is everything, else one flag for each row.
const choice = { flags: null, told: "", listeners: [] };

function choose(flags, told) {
  choice.flags = flags;
  choice.told = told || "";
  for (const listener of choice.listeners) listener();
}

function chooseRows(rows, told) {
  const flags = new Uint8Array(samples.count);
  for (const row of rows) flags[row] = 1;
  choose(flags, told);
}

const isChosen = (row) => choice.flags === null || choice.flags[row] === 1;

function chosenRows() {
  const rows = [];
  for (let row = 0; row < samples.count; row++) if (isChosen(row)) rows.push(row);
  return rows;
}

const percent = (share) => (100 * share).toFixed(1) + "\u00a0%";
const plain = (value) => (value === null || value === undefined ? "–" : Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-4) ? value.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e") : String(+value.toPrecision(4)));
// Numbers of one column: as many decimals as show the largest of them in three digits.
function aligned(values) {
  const most = d3.max(values, (v) => Math.abs(v || 0)) || 1, decimals = Math.max(0, Math.min(8, 2 - Math.floor(Math.log10(most))));
  return most >= 1e5 || most < 1e-4 ? plain : (v) => (v === null || v === undefined ? "–" : v.toFixed(decimals));
}
const counted = (count) => count.toLocaleString("en");
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const onPaper = () => document.documentElement.classList.contains("paper");
const isDark = () => !onPaper() && matchMedia("(prefers-color-scheme: dark)").matches;

// Colour and shape of a class: 7 × 7 pairs before one comes again.
const SHAPES = [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond, d3.symbolCross, d3.symbolStar, d3.symbolWye];
const hue = (code) => (code === UNKNOWN || code === undefined ? 6 : code % 7);
const shape = (code) => (code === UNKNOWN || code === undefined ? d3.symbolCircle : SHAPES[(code + Math.floor(code / 7)) % 7]);

// Elements: names and labels are only ever set as text.
function element(tag, options, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(options || {})) {
    if (name === "text") made.textContent = value;
    else if (name === "class") made.className = value;
    else if (value !== undefined && value !== null) made.setAttribute(name, value);
  }
  for (const child of children) if (child) made.append(child);
  return made;
}

const isLong = (name) => name.length > 16;
const bdi = (text, options) => element("bdi", { ...options, text });

function glyph(code, size) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("width", 14); svg.setAttribute("height", 14); svg.setAttribute("viewBox", "-7 -7 14 14"); svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", d3.symbol(shape(code), size || 60)());
  path.setAttribute("fill", `var(--c${hue(code)})`);
  svg.append(path);
  return svg;
}

// The first row of each name; others of the same name are told apart by their places.
const firstRows = new Map();
for (let row = samples.count - 1; row >= 0; row--) firstRows.set(samples.name(row), row);
function addressOf(row) {
  const name = samples.name(row);
  return "#sample=" + encodeURIComponent(name) + (firstRows.get(name) === row ? "" : `&place=${samples.place(row)}`);
}

function sampleLink(row) {
  const name = samples.name(row);
  return element("a", { class: isLong(name) ? "sample" : "sample short", href: addressOf(row), "data-place": samples.place(row) }, bdi(name));
}
