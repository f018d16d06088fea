// Everything begins here.
startSearch();
startMap();
startMatrix();
startCharts();
for (const link of document.querySelectorAll("a.sample")) {
  const row = samples.row(+link.dataset.place);
  if (row !== undefined) link.setAttribute("href", addressOf(row));
}
for (const label of document.querySelectorAll("bdi.class[data-class]")) label.before(glyph(+label.dataset.class), " ");
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const code = button.parentElement.querySelector("code");
    const selected = () => getSelection().selectAllChildren(code);
    if (!navigator.clipboard) return selected();
    navigator.clipboard.writeText(code.textContent).then(() => { button.textContent = "Copied"; }, selected);
  });
}
// Paper is white, and has no room for what only hands can use.
const repaint = () => { drawCharts(); drawMap(); if (matrix.picture) { paintMatrix(); drawMatrix(); } };
addEventListener("beforeprint", () => { document.documentElement.classList.add("paper"); repaint(); });
addEventListener("afterprint", () => { document.documentElement.classList.remove("paper"); repaint(); });
addEventListener("hashchange", readAddress);
readAddress();
document.documentElement.dataset.ready = "yes";
