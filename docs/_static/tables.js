// Tables of the reproduction: a click on a heading sorts; other readings are folded away.
"use strict";

const READING = /\[\d+\]\s*$|not in the paper/;

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

function fold(table) {
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
  const notes = next && next.tagName === "UL" && /^\[1\]/.test(next.textContent.trim()) ? next : null;
  if (!folded) return;
  if (notes) notes.classList.add("reading");
  const button = document.createElement("button");
  button.className = "btn btn-sm btn-outline-secondary readings";
  const set = (open) => {
    table.classList.toggle("folded", !open);
    if (notes) notes.classList.toggle("folded", !open);
    button.setAttribute("aria-expanded", String(open));
    button.textContent = open ? "Hide other readings and newer methods" : `Show ${folded} other readings and newer methods`;
  };
  button.addEventListener("click", () => set(table.classList.contains("folded")));
  set(false);
  frame.before(button);
}

document.addEventListener("DOMContentLoaded", () => {
  if (!/reproduction|auto|probabilities/.test(location.pathname)) return;
  document.querySelectorAll(".bd-article table").forEach((table) => {
    if (!table.tHead || !table.tBodies.length) return;
    sortable(table);
    fold(table);
  });
});
