// Charts by Observable Plot. Each is drawn anew when its width or the choice changes.
const charts = [], PAPER = 660; // pixels of a printed page
// Of a chart on paper: drawn as wide as it will be, its letters keep their size.
const paperWidth = (place) => (place.closest(".curves") ? PAPER / 3 - 16 : place.closest(".pair") ? PAPER / 2 - 10 : PAPER);

function chart(id, draw) {
  const place = byId(id);
  if (!place) return;
  const one = { place, draw, width: 0 };
  one.render = () => {
    const width = onPaper() ? Math.floor(paperWidth(place)) : Math.max(Math.floor(place.clientWidth), 240);
    const drawn = one.draw(width);
    // The whole is one picture with a name and a table; names of its parts would not be read.
    for (const part of drawn ? drawn.querySelectorAll("[aria-label], [aria-description]") : []) { part.removeAttribute("aria-label"); part.removeAttribute("aria-description"); }
    place.replaceChildren(drawn || element("p", { class: "note", text: "There is nothing to draw of this choice." }));
    one.width = width;
  };
  charts.push(one);
  one.render();
}

function drawCharts(onlyResized) {
  for (const one of charts) if (!onlyResized || Math.abs(one.place.clientWidth - one.width) > 2) one.render();
}

const look = (width, options) => Plot.plot({ width, className: "plot-similearn", style: { background: "transparent", color: "inherit", fontSize: "12px", fontFamily: "inherit" }, marginBottom: 44, ...options, x: { labelOffset: 38, ...options.x } });
const measure = element("canvas").getContext("2d");
function widthOf(text) {
  measure.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  return measure.measureText(text).width;
}
const room = (names) => 16 + d3.max(names, widthOf);
// Both ends of a name that is too long for its place.
function short(text, pixels) {
  const wide = widthOf(text);
  if (wide <= pixels) return text;
  const half = Math.max(2, Math.floor((text.length * pixels) / wide / 2) - 1);
  return `${text.slice(0, half)}…${text.slice(-half)}`;
}

function drawSizes(width) {
  if (!samples.truth) return null;
  const all = new Array(classes.length).fill(0), some = new Array(classes.length).fill(0);
  for (let row = 0; row < samples.count; row++) {
    const code = samples.truth[row];
    if (code === UNKNOWN) continue;
    all[code]++;
    if (isChosen(row)) some[code]++;
  }
  if (wholeShown()) held.whole.sizes.forEach((size, code) => { all[code] = size; });
  const order = d3.range(classes.length).sort((a, b) => all[b] - all[a]).slice(0, 40);
  const names = order.map((g) => short(classes[g], width / 2.6));
  const unique = order.map((g, i) => (names.indexOf(names[i]) === i ? names[i] : `${names[i]} (${g + 1})`));
  const rows = order.map((g, i) => ({ name: unique[i], all: all[g], some: some[g] }));
  return look(width, {
    height: 12 + 22 * rows.length, marginLeft: room(unique), marginTop: 4, marginBottom: 8,
    x: { axis: null }, y: { label: null, domain: unique, tickSize: 0 },
    marks: [
      Plot.barX(rows, { y: "name", x: "all", fill: "var(--c6)", fillOpacity: choice.flags ? 0.35 : 0.75, insetTop: 2, insetBottom: 2 }),
      choice.flags ? Plot.barX(rows, { y: "name", x: "some", fill: "var(--c0)", insetTop: 2, insetBottom: 2 }) : null,
      Plot.text(rows, { y: "name", x: "all", text: (d) => (choice.flags ? `${counted(d.some)} of ${counted(d.all)}` : counted(d.all)), dx: 4, textAnchor: "start", fill: "currentColor" }),
      Plot.ruleX([0]),
    ],
    marginRight: 84,
  });
}

function drawSpectrum(width) {
  const s = held.spectrum;
  if (!s) return null;
  const sign = (v) => (v < 0 ? "negative" : v > 0 ? "positive" : "zero");
  const rows = s.rank.map((rank, i) => ({ rank, value: s.value[i], sign: sign(s.value[i]) }));
  const low = d3.min(rows, (d) => d.value), high = d3.max(rows, (d) => d.value);
  // A scale that shows small values of both signs, and is straight between the smallest of them.
  const small = Math.max(d3.quantile(rows.map((d) => Math.abs(d.value)).filter((v) => v > 0).sort(d3.ascending), 0.25) || 1, 1e-4 * Math.max(high, -low));
  return look(width, {
    height: 300, marginLeft: 56, marginRight: 12,
    x: { label: "rank, largest first →", ticks: Math.min(s.n - 1, Math.max(3, Math.round(width / 90))), tickFormat: (v) => (Number.isInteger(v) ? String(v) : "") },
    y: { label: "↑ eigenvalue", type: "symlog", constant: small, ticks: spacedTicks(low, high, small), tickFormat: (v) => plain(v), grid: true },
    color: { domain: ["positive", "negative", "zero"], range: ["var(--c0)", "var(--c1)", "var(--c6)"], legend: false },
    marks: [
      Plot.ruleY([0], { strokeOpacity: 0.6 }),
      Plot.dot(rows, { x: "rank", y: "value", fill: (d) => d.sign, symbol: (d) => d.sign, r: rows.length > 200 ? 2 : 3, tip: true, title: (d) => `rank ${d.rank} of ${s.n}: ${plain(d.value)}` }),
    ],
    symbol: { domain: ["positive", "negative", "zero"], range: ["circle", "triangle", "circle"], legend: false },
  });
}

// Powers of ten of both signs that stand apart on the scale.
function spacedTicks(low, high, small) {
  const place = (v) => Math.sign(v) * Math.log1p(Math.abs(v) / small), whole = place(high) - place(low) || 1;
  const step = Math.pow(10, Math.floor(Math.log10(Math.max(Math.abs(low), Math.abs(high)) || 1)));
  const found = [0];
  for (let power = step, i = 0; i < 6; i++, power /= 10) {
    for (const v of [power, -power]) {
      if (v <= high && v >= low && found.every((other) => Math.abs(place(other) - place(v)) > 0.07 * whole)) found.push(v);
    }
  }
  return found;
}

function drawMethods(width) {
  const lines = held.methods && held.methods.lines;
  if (!lines || !lines.length) return null;
  const names = lines.map((line) => short(line.name, width / 2.6));
  const rows = lines.map((line, i) => ({ ...line, name: names[i] }));
  const dots = rows.flatMap((line) => line.splits.map((error) => ({ name: line.name, error })));
  let guesses = [["largest class", held.glance.majority], ["chance", held.glance.chance]].filter((g) => g[1] !== null && g[1] < 2.5 * d3.max(rows, (d) => d.high));
  if (guesses.length === 2 && Math.abs(guesses[0][1] - guesses[1][1]) < 0.2 * guesses[1][1]) guesses = [guesses[0][1] === guesses[1][1] ? ["largest class, chance", guesses[0][1]] : guesses[0]];
  const right = d3.max([...rows.map((d) => d.high), ...dots.map((d) => d.error), ...guesses.map((g) => g[1]), 0.01]);
  return look(width, {
    height: 66 + 26 * rows.length, marginLeft: room(names), marginRight: guesses.length ? 66 : 20, marginTop: guesses.length ? 22 : 6,
    x: { label: "error, % →", domain: [0, right * 105], grid: true, ticks: Math.max(3, Math.round(width / 110)) },
    y: { label: null, domain: names },
    marks: [
      Plot.ruleX(guesses, { x: (g) => 100 * g[1], strokeDasharray: "4 3", stroke: "currentColor", strokeOpacity: 0.7 }),
      Plot.text(guesses, { x: (g) => 100 * g[1], text: (g) => g[0], frameAnchor: "top", dy: -14, fill: "currentColor", clip: false }),
      Plot.tickX(dots, { x: (d) => 100 * d.error, y: "name", stroke: "var(--c6)", strokeOpacity: 0.45, insetTop: 7, insetBottom: 7 }),
      Plot.ruleY(rows, { y: "name", x1: (d) => 100 * d.low, x2: (d) => 100 * d.high, stroke: (d) => (d.mark || d.weight ? "var(--c0)" : "var(--c6)"), strokeWidth: 3 }),
      Plot.dot(rows, { y: "name", x: (d) => 100 * d.error, fill: (d) => (d.mark || d.weight ? "var(--c0)" : "var(--back)"), stroke: (d) => (d.mark || d.weight ? "var(--c0)" : "var(--c6)"), strokeWidth: 2, r: 5, tip: true, title: (d) => `${d.name}: ${percent(d.error)} (${percent(d.low)} to ${percent(d.high)})` }),
    ],
  });
}

// At most so many powers of ten within a range; its ends, if there are fewer than two.
function powersOfTen(low, high, most) {
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9), step = Math.max(1, Math.ceil((last - first + 1) / most));
  return last > first ? d3.range(first, last + 1, step).map((power) => +`1e${power}`) : [low, high];
}

function drawCurve(curve, width) {
  const rows = curve.values.map((value, i) => ({ value, error: 100 * curve.errors[i] }));
  const numbers = curve.values.every((v) => typeof v === "number"), positive = numbers && curve.values.every((v) => v > 0);
  const wideRange = positive && d3.max(curve.values) / d3.min(curve.values) > 20;
  const type = !numbers ? "point" : wideRange ? "log" : "linear";
  const chosen = rows.filter((d) => d.value === curve.chosen), [low, high] = d3.extent(rows, (d) => d.error), slack = high > low ? 0 : 1;
  return look(width, {
    height: 190, marginLeft: 44, marginRight: 16,
    x: { type, label: `${curve.parameter} →`, ticks: type === "log" ? powersOfTen(...d3.extent(curve.values), Math.max(2, Math.round(width / 75))) : 5, tickFormat: numbers ? (v) => plain(v) : undefined },
    y: { label: "↑ error, %", grid: true, ticks: 4, nice: true, domain: [Math.max(0, low - slack), high + slack] },
    marks: [
      numbers ? Plot.line(rows, { x: "value", y: "error", stroke: "var(--c6)", strokeWidth: 1.5 }) : null,
      Plot.dot(rows, { x: "value", y: "error", r: 2.5, fill: "var(--c6)", tip: true, title: (d) => `${curve.parameter} = ${d.value}: ${d.error.toFixed(1)} %` }),
      Plot.dot(chosen, { x: "value", y: "error", r: 6, symbol: "diamond", fill: "var(--c1)" }),
    ],
  });
}

// Not all samples may be in the file; while none are chosen, charts are of all nevertheless.
const wholeShown = () => held.whole && choice.flags === null;

function wholeReliability() {
  const [low, high, count, stated, right] = held.whole.reliability;
  return low.map((_, i) => ({ low: low[i], high: high[i], count: count[i], stated: stated[i] * count[i], right: right[i] * count[i] }));
}

function reliabilityRows(rows) {
  const bins = d3.range(10).map((i) => ({ low: i / 10, high: (i + 1) / 10, count: 0, stated: 0, right: 0 }));
  for (const row of wholeShown() ? [] : rows) {
    const bin = bins[Math.min(9, Math.max(0, Math.ceil(samples.sure[row] * 10 - 1e-4) - 1))];
    bin.count++; bin.stated += samples.sure[row]; bin.right += isWrong(row) ? 0 : 1;
  }
  return (wholeShown() ? wholeReliability() : bins).filter((bin) => bin.count).map((bin) => {
    const share = bin.right / bin.count, slack = 3.84 / bin.count;
    const middle = (share + slack / 2) / (1 + slack), half = Math.sqrt(share * (1 - share) * slack + (slack * slack) / 4) / (1 + slack);
    return { ...bin, stated: bin.stated / bin.count, right: share, from: Math.max(0, middle - half), to: Math.min(1, middle + half) };
  });
}

function drawReliability(width) {
  if (!samples.sure) return null;
  const bins = reliabilityRows(chosenRows());
  const most = d3.max(bins, (bin) => bin.count) || 1;
  return look(width, {
    height: Math.min(340, width * 0.8), marginLeft: 46, marginRight: 14,
    x: { label: "the model says, % →", domain: [0, 100], ticks: 5 }, y: { label: "↑ it is right, %", domain: [0, 100], grid: true, ticks: 5 },
    marks: [
      Plot.rectY(bins, { x1: (d) => 100 * d.low, x2: (d) => 100 * d.high, y: (d) => (24 * d.count) / most, fill: "var(--c6)", fillOpacity: 0.3, insetLeft: 1, insetRight: 1 }),
      Plot.line([[0, 0], [100, 100]], { stroke: "currentColor", strokeDasharray: "4 3", strokeOpacity: 0.7 }),
      Plot.ruleX(bins, { x: (d) => 100 * d.stated, y1: (d) => 100 * d.from, y2: (d) => 100 * d.to, stroke: "var(--c0)", strokeWidth: 2 }),
      Plot.dot(bins, { x: (d) => 100 * d.stated, y: (d) => 100 * d.right, r: 5, fill: "var(--c0)", tip: true, title: (d) => `${d.count} samples: says ${percent(d.stated)}, right in ${percent(d.right)} (${percent(d.from)} to ${percent(d.to)})` }),
      Plot.text(bins, { x: (d) => 50 * (d.low + d.high), y: 0, text: (d) => (d.count < 1000 ? String(d.count) : d3.format(".2~s")(d.count)), dy: -8, fill: "currentColor", stroke: "var(--back)", strokeWidth: 3, fontSize: 11 }),
    ],
  });
}

function coverageRows(rows) {
  if (wholeShown()) return held.whole.coverage.map(([coverage, error, sure]) => ({ coverage, error, sure }));
  const order = rows.slice().sort((a, b) => samples.sure[b] - samples.sure[a]);
  const found = [];
  let wrong = 0;
  order.forEach((row, i) => {
    wrong += isWrong(row) ? 1 : 0;
    if (i + 1 === order.length || samples.sure[order[i + 1]] !== samples.sure[row])
      found.push({ coverage: (i + 1) / order.length, error: wrong / (i + 1), sure: samples.sure[row] });
  });
  const step = Math.max(1, Math.floor(found.length / 300));
  return found.filter((d, i) => i % step === 0 || i === found.length - 1);
}

function drawCoverage(width) {
  if (!samples.sure) return null;
  const rows = coverageRows(chosenRows());
  if (!rows.length) return null;
  return look(width, {
    height: Math.min(340, width * 0.8), marginLeft: 46, marginRight: 14,
    x: { label: "samples still decided, % →", domain: [0, 100], ticks: 5 }, y: { label: "↑ error among them, %", grid: true, nice: true, ticks: 5, domain: [0, Math.max(1, 100 * d3.max(rows, (d) => d.error))] },
    marks: [
      Plot.line(rows, { x: (d) => 100 * d.coverage, y: (d) => 100 * d.error, stroke: "var(--c0)", strokeWidth: 2 }),
      Plot.dot(rows.slice(-1), { x: (d) => 100 * d.coverage, y: (d) => 100 * d.error, fill: "var(--c0)", r: 4 }),
      Plot.tip(rows, Plot.pointerX({ x: (d) => 100 * d.coverage, y: (d) => 100 * d.error, title: (d) => `deciding ${percent(d.coverage)} (probability from ${percent(d.sure)}): error ${percent(d.error)}` })),
    ],
  });
}

// The confusion matrix: a table whose numbers are buttons, or a picture of many classes.
function confusionCounts() {
  if (wholeShown()) return new Map(held.whole.confusion.map(([truth, decided, count]) => [truth * 65536 + decided, count]));
  const counts = new Map();
  for (const row of chosenRows()) {
    const key = samples.truth[row] * 65536 + samples.decided[row];
    counts.set(key, (counts.get(key) || 0) + 1);
  }
  return counts;
}

function chooseCell(truth, decided) {
  const rows = d3.range(samples.count).filter((row) => samples.truth[row] === truth && samples.decided[row] === decided);
  chooseRows(rows, truth === decided ? `of ${className(truth)}, decided rightly` : `of ${className(truth)}, decided as ${className(decided)}`);
}

function fillConfusion() {
  const table = byId("confusion") || byId("confusions");
  if (!table || !samples.decided) return;
  const counts = confusionCounts();
  const totals = new Map();
  for (const [key, count] of counts) totals.set(Math.floor(key / 65536), (totals.get(Math.floor(key / 65536)) || 0) + count);
  for (const cell of table.querySelectorAll("td[data-true]")) {
    const truth = +cell.dataset.true, decided = +cell.dataset.decided, count = counts.get(truth * 65536 + decided) || 0;
    const share = count / (totals.get(truth) || 1);
    cell.style.setProperty("--share", count ? 0.06 + 0.52 * share : 0); // so that numbers can be read on it
    cell.replaceChildren();
    if (!count) continue;
    const button = element("button", { type: "button", text: String(count), "aria-label": `${count} samples of ${className(truth)} decided as ${className(decided)}` });
    button.addEventListener("click", () => chooseCell(truth, decided));
    cell.append(button);
  }
  for (const cell of table.querySelectorAll("td.wrong")) {
    const code = +cell.dataset.row, total = totals.get(code) || 0;
    cell.textContent = total ? percent(1 - (counts.get(code * 65536 + code) || 0) / total) : "";
  }
  const names = [...table.querySelectorAll("thead th:not(.n):not(:last-child)")].map((th) => th.textContent.length);
  table.classList.toggle("tilted", d3.max(names) > 4 && names.length > 8);
  table.classList.toggle("dense", names.length > 15);
}

function drawConfusion(width) {
  const counts = [...confusionCounts()].map(([key, count]) => ({ truth: Math.floor(key / 65536), decided: key % 65536, count })).filter((d) => d.truth !== UNKNOWN);
  const side = Math.min(width, 640), all = classOrder;
  const drawn = look(side, {
    height: side, marginLeft: 40, marginBottom: 40, x: { domain: all, ticks: [], label: "decided →" }, y: { domain: all, ticks: [], label: "true" },
    color: { type: "sqrt", range: ["var(--far)", "var(--near)"], interpolate: (t) => `color-mix(in oklab, var(--near) ${Math.round(100 * t)}%, var(--far))`, domain: [0, d3.max(counts, (d) => d.count) || 1] },
    marks: [
      Plot.frame({ stroke: "var(--muted)" }),
      Plot.line(all, { x: (d) => d, y: (d) => d, stroke: "var(--line)" }),
      Plot.cell(counts, { x: "decided", y: "truth", fill: "count", inset: 0 }),
      Plot.tip(counts, Plot.pointer({ x: "decided", y: "truth", title: (d) => `${d.count} of ${className(d.truth)} decided as ${className(d.decided)}` })),
    ],
  });
  drawn.addEventListener("click", () => { if (drawn.value) chooseCell(drawn.value.truth, drawn.value.decided); });
  return drawn;
}

function startCharts() {
  chart("sizes-chart", drawSizes);
  chart("spectrum-chart", drawSpectrum);
  chart("methods-chart", drawMethods);
  chart("reliability-chart", drawReliability);
  chart("coverage-chart", drawCoverage);
  chart("confusion-chart", drawConfusion);
  const curves = byId("curves");
  for (const [i, curve] of ((curves && held.methods.curves) || []).entries()) {
    curves.append(element("figure", { class: "chart" }, element("h4", { text: `${curve.method}: ${curve.parameter}` }), element("div", { id: `curve-${i}`, class: "drawn", role: "img", "aria-label": `Error of ${curve.method} along ${curve.parameter}` })));
    chart(`curve-${i}`, (width) => drawCurve(curve, width));
  }
  fillConfusion();
  choice.listeners.push(() => {
    for (const one of charts) if (["sizes-chart", "reliability-chart", "coverage-chart", "confusion-chart"].includes(one.place.id)) one.render();
    fillConfusion();
    showRows();
  });
  new ResizeObserver(() => requestAnimationFrame(() => drawCharts(true))).observe(byId("main"));
  showRows();
}

// Long lists of samples: those that are chosen, and the first of them until all are asked for.
const FIRST = 10;
const wholeTables = new Set();
function showRows() {
  for (const table of ["hardest", "suspicious"].map(byId)) {
    if (!table) continue;
    let count = 0;
    for (const line of table.tBodies[0].rows) {
      const row = samples.row(+line.querySelector("a.sample").dataset.place);
      const fits = row === undefined ? choice.flags === null : isChosen(row);
      if (fits) count++;
      line.hidden = !fits || (count > FIRST && !wholeTables.has(table.id));
    }
    const more = byId(`${table.id}-more`);
    more.hidden = count <= FIRST;
    more.firstElementChild.textContent = wholeTables.has(table.id) ? `Show ${FIRST}` : `Show all ${count}`;
    more.firstElementChild.onclick = () => { if (!wholeTables.delete(table.id)) wholeTables.add(table.id); showRows(); };
  }
}
