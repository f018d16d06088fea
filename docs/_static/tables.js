// Tables of the reproduction: a click on a heading sorts; other readings are folded away.
"use strict";

const READING = /\[\d+\]\s*$|not in the paper/;
const NUMBERED = /\[(\d+)\]\s*#?\s*$/; // a heading ends in the sign of its link

function number(cell) {
  // Cells hold "paper = ours", "mean (deviation)" or text; what is ours comes last.
  const found = cell.textContent.replace(/\(.*?\)/g, "").match(/-?\d+(\.\d+)?(e-?\d+)?/g);
  return found ? Number(found[found.length - 1]) : null;
}

function sortable(table) {
  const body = table.tBodies[0];
  table.classList.add("sortable");
  for (const cell of table.querySelectorAll("tbody td")) {
    if (cell.textContent.length > 40) cell.classList.add("sentence");
  }
  table.querySelectorAll("thead th").forEach((head, column) => {
    head.tabIndex = 0;
    head.title = "Sort by this column";
    const sort = () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      table.querySelectorAll("thead th").forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].map((row) => [number(row.cells[column]), row]);
      const text = rows.filter(([value]) => value === null).length > rows.length / 2;
      rows.sort(([a, left], [b, right]) => {
        if (text || column === 0) {
          const order = left.cells[column].textContent.localeCompare(right.cells[column].textContent);
          return down ? -order : order;
        }
        if (a === null || b === null) return (a === null) - (b === null);
        return down ? b - a : a - b;
      });
      body.append(...rows.map(([, row]) => row));
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        sort();
      }
    });
  });
}

function isNotes(list) {
  return list.tagName === "UL" && /^\[1\]/.test(list.textContent.trim());
}

// Headings that name a reading by its number say which it is; then the notes stay in sight too.
function tellReadings() {
  const notes = {};
  document.querySelectorAll(".bd-article ul").forEach((list) => {
    if (!isNotes(list)) return;
    for (const item of list.children) {
      const found = item.textContent.trim().match(/^\[(\d+)\]\s*(.*)/s);
      if (found) notes[found[1]] = found[2];
    }
  });
  const headings = [...document.querySelectorAll(".bd-article h2")].filter((h) => NUMBERED.test(h.textContent));
  for (const heading of headings) {
    const said = notes[heading.textContent.match(NUMBERED)[1]];
    if (!said) continue;
    const line = document.createElement("p");
    line.className = "reading-note";
    line.textContent = `Another reading: ${said}`;
    heading.after(line);
  }
  return headings.length > 0;
}

function fold(table, headed) {
  const heads = [...table.querySelectorAll("thead th")];
  const columns = heads.map((head) => READING.test(head.textContent));
  let folded = 0;
  for (const row of table.rows) {
    [...row.cells].forEach((cell, column) => {
      if (columns[column]) cell.classList.add("reading");
    });
  }
  folded += columns.filter(Boolean).length;
  for (const row of table.tBodies[0].rows) {
    if (READING.test(row.cells[0].textContent)) {
      row.classList.add("reading");
      folded += 1;
    }
  }
  const frame = table.closest(".pst-scrollable-table-container") || table;
  const next = frame.nextElementSibling;
  const below = next && isNotes(next) ? next : null;
  if (!folded) return;
  // What is said of all columns stays in sight; what is said of a reading goes with it.
  const notes = headed || !below ? [] : [...below.children].filter((item) => /^\s*\[\d+\]/.test(item.textContent));
  for (const note of notes) note.classList.add("reading");
  const button = document.createElement("button");
  button.className = "btn btn-sm btn-outline-secondary readings";
  const set = (open) => {
    table.classList.toggle("folded", !open);
    for (const note of notes) note.classList.toggle("folded", !open);
    button.setAttribute("aria-expanded", String(open));
    button.textContent = open ? "Hide other readings and newer methods" : `Show ${folded} more: other readings, newer methods`;
  };
  button.addEventListener("click", () => set(table.classList.contains("folded")));
  set(false);
  frame.before(button);
}

document.addEventListener("DOMContentLoaded", () => {
  if (!/reproduction|auto|probabilities/.test(location.pathname)) return;
  const headed = tellReadings();
  document.querySelectorAll(".bd-article table").forEach((table) => {
    if (!table.tHead || !table.tBodies.length) return;
    sortable(table);
    fold(table, headed);
  });
});
