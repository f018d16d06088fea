// All pages: a command that is wrapped looks like one command; pictures too wide for a phone scroll.
"use strict";

const LEGIBLE = 640; // letters of a wider picture cannot be read when it is shrunk to a phone

function commands(block) {
  // The line feed stays in its line, so that what is copied is what is written.
  const lines = block.innerHTML.replace(/\n$/, "").split("\n");
  block.innerHTML = lines.map((line) => `<span class="command">${line}\n</span>`).join("");
}

function widen(picture) {
  if (picture.naturalWidth <= LEGIBLE || picture.closest("figure:has(img.wide), figure:has(img.on-wide-screens), .sphx-glr-thumbcontainer")) return;
  const frame = document.createElement("div");
  frame.className = "wide-picture";
  frame.tabIndex = 0; // what scrolls can be scrolled by keys
  picture.before(frame);
  frame.append(picture);
}

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".bd-article .highlight-sh pre").forEach(commands);
  document.querySelectorAll(".bd-article figure:has(img.wide)").forEach((frame) => { frame.tabIndex = 0; });
  document.querySelectorAll(".bd-article img").forEach((picture) => {
    if (picture.complete) widen(picture);
    else picture.addEventListener("load", () => widen(picture), { once: true });
  });
});
