// One sample: what the model says of it, and who its neighbours are.
function openSample(row) {
  const hash = addressOf(row);
  if (location.hash === hash) showSample(row, true);
  else location.hash = hash;
}

function readAddress() {
  const found = /^#sample=(.*?)(?:&place=(\d+))?$/.exec(location.hash);
  if (!found || !byId("sample")) return; // a comparison without its data has no samples
  let name = found[1];
  try { name = decodeURIComponent(name); } catch { /* a broken link is looked up as it is */ }
  const row = found[2] ? samples.row(+found[2]) : firstRows.get(name);
  if (row !== undefined && samples.name(row) === name) showSample(row, true);
  else {
    const told = samples.count < samples.n ? `${samples.n - samples.count} of ${samples.n} samples were left out of this file` : "there is none of that name";
    byId("sample-told").replaceChildren(element("p", { class: "note" }, "The sample ", bdi(name), ` is not here: ${told}.`));
    goToSample();
  }
}

function goToSample() {
  byId("sample").scrollIntoView();
  byId("sample-title").focus({ preventScroll: true });
}

function showSample(row, go) {
  const place = samples.place(row), detail = held.details[place] || {};
  byId("sample-told").replaceChildren(...[sampleHead(row), objectShown(detail), probabilitiesShown(row), neighborsShown(detail), termsShown(detail),
    held.details[place] ? null : element("p", { class: "note", text: "To keep this file small, reasons are told of the most important samples and some others, not of this one." })].filter(Boolean));
  if (go) goToSample();
}

function labelShown(code) {
  return element("span", { class: isLong(className(code)) ? "long" : "short" }, glyph(code < 0 ? UNKNOWN : code), " ", bdi(className(code)));
}

function sampleHead(row) {
  const head = element("div", { class: "sample-head" }, element("h3", {}, bdi(samples.name(row))));
  if (samples.truth) head.append(element("span", {}, "labelled ", labelShown(samples.truth[row])));
  if (samples.decided) head.append(element("span", {}, isWrong(row) ? "decided wrongly as " : "decided rightly as ", labelShown(samples.decided[row])));
  const back = element("button", { type: "button", text: "Show on the map" });
  if (held.pictures) {
    back.addEventListener("click", () => { byId("map").scrollIntoView(); map.canvas.focus({ preventScroll: true }); requestAnimationFrame(() => { hover(row); byId("tip").hidden = true; }); });
    head.append(back);
  }
  return head;
}

const isPicture = (object) => object.image && object.image.startsWith("data:image/png;base64,");

function objectShown(detail) {
  if (!detail.object) return null;
  const box = element("div", { class: "object", dir: "auto", tabindex: "0", role: "region", "aria-label": "The sample itself" });
  if (isPicture(detail.object)) box.append(element("img", { src: detail.object.image, alt: "The sample itself" }));
  else box.textContent = detail.object.text || "";
  return box;
}

// A neighbour's object, small: the beginning of a text, or its picture.
function glimpse(place, name) {
  const object = place >= 0 ? (held.details[place] || {}).object : held.references[name];
  if (!object) return null;
  if (isPicture(object)) return element("img", { class: "glimpse", src: object.image, alt: "" });
  const text = object.text || "";
  return bdi(text.length > 40 ? text.slice(0, 39) + "…" : text, { class: "glimpse" });
}

function bar(share, most, kind) {
  const made = element("span", { class: kind ? `bar ${kind}` : "bar" });
  made.style.width = `${Math.max(1.5, (100 * Math.abs(share)) / (most || 1))}%`;
  return made;
}

// A bar of the colour of a class; what speaks against it is hatched.
function classBar(share, most, code) {
  const made = bar(share, most, share < 0 ? "negative" : "");
  made.style.setProperty("--own", `var(--c${hue(code < 0 ? UNKNOWN : code)})`);
  return made;
}

function heading(cells) {
  return element("thead", {}, element("tr", {}, ...cells.map(([text, kind, colspan]) => (text === "" ? element("td", {}) : element("th", { scope: "col", class: kind, colspan, text })))));
}

function tableOf(told, cells, rows, kind) {
  return element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": told }, element("table", { class: kind }, heading(cells), element("tbody", {}, ...rows)));
}

function probabilitiesShown(row) {
  if (!samples.top) return null;
  const { k, classes: codes, shares } = samples.top;
  const rows = d3.range(k).map((j) => {
    const code = codes[row * k + j], share = shares[row * k + j];
    return element("tr", {}, element("th", { scope: "row" }, labelShown(code)), element("td", { class: "track" }, classBar(share, 1, code)), element("td", { class: "n", text: percent(share) }));
  });
  const made = element("div", {}, element("h4", { text: "Probabilities" }), tableOf("Probabilities", [["Class"], [""], ["Probability", "n"]], rows, "bars"));
  if (k < classes.length) made.append(element("p", { class: "note", text: `The ${k} most probable of ${classes.length} classes.` }));
  return made;
}

function neighborsShown(detail) {
  if (!detail.near || !detail.near.length) return null;
  const weighted = detail.near.some((n) => n[4] !== null && n[4] !== 0), most = d3.max(detail.near, (n) => Math.abs(n[4] || 0)) || 1;
  const shown = aligned(detail.near.map((n) => n[4])), seen = aligned(detail.near.map((n) => n[3]));
  const groups = detail.groups || [], sizes = d3.rollup(groups, (v) => v.length, (d) => d);
  const letters = new Map([...sizes].filter(([, size]) => size > 1).map(([group], i) => [group, String.fromCharCode(65 + i)]));
  const sums = d3.rollup(d3.range(groups.length), (of) => d3.sum(of, (i) => detail.near[i][4]), (i) => groups[i]);
  // Those that say the same stand together, in the place of the first of them.
  const first = (i) => (letters.has(groups[i]) ? groups.indexOf(groups[i]) : i);
  const order = d3.range(detail.near.length).sort((a, b) => first(a) - first(b) || a - b);
  const rows = order.map((i, at) => {
    const [place, name, code, value, weight] = detail.near[i];
    const row = place >= 0 ? samples.row(place) : undefined;
    const who = row !== undefined ? sampleLink(row) : bdi(name || `sample ${place}`);
    const letter = letters.get(groups[i]);
    const begins = at === 0 || groups[order[at - 1]] !== groups[i];
    const cells = [element("th", { scope: "row", class: letter ? `together t${letter.charCodeAt(0) % 3}` : undefined }, who, glimpse(place, name)), samples.truth && element("td", {}, labelShown(code)), element("td", { class: "n", text: seen(value) })];
    if (weighted) cells.push(element("td", { class: "track" }, classBar(weight || 0, most, code)), element("td", { class: "n", text: shown(weight) }));
    if (letters.size) cells.push(element("td", { class: "muted together-told", text: letter ? (begins && weighted ? `${letter}: together ${shown(sums.get(groups[i]))}` : letter) : "" }));
    const whole = d3.sum(detail.parts || [], ([, values]) => values[i]) || 1;
    for (const [, values] of detail.parts || []) cells.push(element("td", { class: "n", text: `${plain(values[i])} (${Math.round((100 * values[i]) / whole)}\u00a0%)` }));
    return element("tr", {}, ...cells);
  });
  const heads = [["Neighbour"], ...(samples.truth ? [["Class"]] : []), [held.kind ? held.kind[0].toUpperCase() + held.kind.slice(1) : "Value", "n"]];
  if (weighted) heads.push(["Weight", "", 2]);
  if (letters.size) heads.push(["Alike"]);
  for (const [name] of detail.parts || []) heads.push([name, "n"]);
  const told = letters.size ? "Neighbours of one group are nearer to one another than to this sample: they say the same thing. A method of diverse weights lets them share one weight, given beside the first of them." : weighted ? "Each neighbour speaks for its class with its weight." : samples.decided ? "The nearest samples; the model does not weigh them." : "The nearest samples.";
  return element("div", {}, element("h4", { text: "Neighbours" }), element("p", { class: "note", text: weighted ? `${told} At most ${held.most} are shown, those of the largest weight.` : told }), tableOf("Neighbours", heads, rows, letters.size ? "bars grouped" : "bars"));
}

function termsShown(detail) {
  if (!detail.terms || !detail.terms.length) return null;
  return held.members ? membersShown(detail) : addedShown(detail);
}

// Members of a combination: what each says, and how much it counts.
function membersShown(detail) {
  const order = detail.terms.slice().sort((a, b) => held.members[b[0]] - held.members[a[0]]);
  const rows = order.map(([name, values]) => element("tr", {}, element("th", { scope: "row" }, bdi(name)), element("td", { class: "n", text: held.members[name].toFixed(2) }),
    element("td", { class: "track" }, classBar(values[0], 1, detail.top[0])), ...values.map((v) => element("td", { class: "n", text: percent(v) }))));
  return element("div", {}, element("h4", { text: "What the parts of the model say" }), element("p", { class: "note", text: "The probability of each class by each part, and the weight of the part in the decision. The probability above is their weighted mean, made surer or less sure by as much as held-out samples asked for." }),
    tableOf("Parts", [["Part"], ["Weight", "n"], [""], ...detail.top.map((g) => [className(g), "n"])], rows, "bars parts"));
}

// Terms that are added up: what each adds for the first class against the second.
function addedShown(detail) {
  const gains = detail.terms.map(([, values]) => (values.length > 1 ? values[0] - values[1] : values[0])), whole = d3.sum(gains, Math.abs) || 1;
  const first = className(detail.top[0]), second = detail.top.length > 1 ? className(detail.top[1]) : null;
  const rows = detail.terms.map(([name, values], i) => element("tr", {}, element("th", { scope: "row" }, bdi(name)), element("td", { class: "track" }, classBar(Math.abs(gains[i]), whole, gains[i] >= 0 ? detail.top[0] : detail.top[1])),
    element("td", { class: "n", text: percent(Math.abs(gains[i]) / whole) }), element("td", {}, "for ", bdi(gains[i] >= 0 || !second ? first : second)), ...values.map((v) => element("td", { class: "n", text: plain(v) }))));
  return element("div", {}, element("h4", { text: "What the parts of the model add" }), element("p", { class: "note" }, "Scores of each part, and its share in the decision between ", bdi(first), second ? " and " : "", second ? bdi(second) : "", detail.terms.some(([name]) => name === "prior") ? ". Each part knows the class sizes: the prior takes them out again, so that they count once." : "."),
    tableOf("Parts", [["Part"], [""], ["Share", "n"], ["Speaks"], ...detail.top.map((g) => [className(g), "n"])], rows, "bars parts"));
}
