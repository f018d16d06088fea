// The search above the page, and what it says of the choice.
function searched(text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return null;
  const fits = classes.map((name) => name.toLowerCase().includes(wanted));
  const rows = [];
  for (let row = 0; row < samples.count; row++) {
    const known = samples.truth && samples.truth[row] !== UNKNOWN;
    if (samples.name(row).toLowerCase().includes(wanted) || (known && fits[samples.truth[row]])) rows.push(row);
  }
  return rows;
}

function startSearch() {
  const field = byId("search");
  if (!field) return;
  document.querySelector(".finder").hidden = false;
  let waiting = 0;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const rows = searched(field.value);
      if (rows === null) choose(null);
      else chooseRows(rows, `with “${field.value.trim()}”`);
    }, 120);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const rows = searched(field.value);
    const exact = rows && rows.find((row) => samples.name(row) === field.value.trim());
    if (rows && rows.length) openSample(exact === undefined ? rows[0] : exact);
  });
  byId("everything").addEventListener("click", () => { field.value = ""; choose(null); field.focus(); });
  choice.listeners.push(tellChoice);
}

function tellChoice() {
  const all = choice.flags === null;
  byId("everything").hidden = all;
  const count = all ? 0 : d3.sum(choice.flags);
  byId("chosen").textContent = all ? "" : `${count} of ${samples.count}${held.whole ? " drawn" : ""} samples ${choice.told}`;
  const errors = byId("errors-chosen");
  if (!errors) return;
  errors.hidden = all;
  if (all) return;
  const wrong = chosenRows().filter(isWrong).length;
  errors.textContent = count
    ? `Of the ${count} chosen samples, ${wrong} are decided wrongly (${percent(wrong / count)}). Charts and lists below are of these alone; the tables behind charts, of all.${held.whole ? " The drawn samples are the hardest of all, and random ones: they err more often." : ""}`
    : "No sample was chosen.";
}
