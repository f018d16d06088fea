"""Reports: seconds beyond the computation, bytes, seconds to open, and the longest frame."""

import os
import shutil
import tempfile
import time
from pathlib import Path

from benchmarks.harness import Result, benchmark
from similearn import NeighborsClassifier, datasets, write_report
from similearn.report.contents import gathering

CHROMIUM = os.environ.get("SIMILEARN_CHROMIUM") or shutil.which("chromium")
MOST_SECONDS = {1000: 5.0, 5000: 30.0, 20_000: 30.0}
MOST_OPENING = {1000: 1.0, 5000: 3.0, 20_000: 3.0}
LONGEST_FRAME = 0.1

# Every frame while the page scrolls, and while the pointer runs over the map, the matrix and a
# chart: the longest pause.
_FRAMES = """() => new Promise(done => {
  const names = ["#map-canvas", "#matrix-canvas", "#coverage-chart svg"];
  const places = names.map(name => document.querySelector(name));
  let last = performance.now(), longest = 0, count = 0;
  const step = (now) => {
    longest = Math.max(longest, now - last); last = now;
    if (++count < 390) requestAnimationFrame(step); else done(longest / 1000);
    if (count < 90) return scrollBy(0, 60);
    const place = places[Math.floor((count - 90) / 100)];
    if ((count - 90) % 100 === 0) place.scrollIntoView({behavior: "instant", block: "center"});
    const box = place.getBoundingClientRect();
    const x = box.left + (count * 37) % box.width, y = box.top + (count * 53) % box.height;
    const at = {clientX: x, clientY: y, bubbles: true, pointerType: "mouse"};
    for (const kind of ["pointerenter", "pointermove"])
      place.dispatchEvent(new PointerEvent(kind, at));
  };
  requestAnimationFrame(step);
})"""


@benchmark
def report_1000():
    """A report on 1,000 samples."""
    return _measured(1000)


@benchmark
def report_5000():
    """A report on 5,000 samples, and its frames."""
    return _measured(5000)


@benchmark
def report_20000():
    """A report on 20,000 samples: some 8 GB of memory."""
    return _measured(20_000)


def _measured(n: int) -> list[Result]:
    X, y = datasets.make_similarities(n, 6, noise=0.02, random_state=0, return_X_y=True)
    model = NeighborsClassifier(16, weights="kri").fit(X, y)
    model.predict_proba(X[:2])  # compiles
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        beyond = _seconds_beyond(model, X, y, path)
        size = path.stat().st_size
        told = f"report, n = {n:,}"
        results = [
            Result(f"{told}, beyond the fits", beyond, MOST_SECONDS[n], 1, rival_name="bar"),
            Result(f"{told}, size", size, 2e6, 1, unit="B", rival_name="2 MB"),
        ]
        return results + (_in_browser(path, told, n) if CHROMIUM else [])


def _seconds_beyond(model, X, y, path) -> float:
    """Time of a report without that of judging the model, which fits it anew to folds."""
    judge, spent = gathering.judged_samples, []

    def timed(*arguments):
        start = time.perf_counter()
        try:
            return judge(*arguments)
        finally:
            spent.append(time.perf_counter() - start)

    gathering.judged_samples = timed
    try:
        start = time.perf_counter()
        write_report(model, path, X=X, y=y)
        return time.perf_counter() - start - sum(spent)
    finally:
        gathering.judged_samples = judge


def _in_browser(path: Path, told: str, n: int) -> list[Result]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened, frames = [], []
        for _ in range(3):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            start = time.perf_counter()
            page.goto(path.as_uri())
            page.wait_for_selector("html[data-ready=yes]")
            opened.append(time.perf_counter() - start)
            frames.append(page.evaluate(_FRAMES))
            page.close()
        browser.close()
    return [
        Result(f"{told}, opening", min(opened), MOST_OPENING[n], 1, rival_name="bar"),
        Result(f"{told}, longest frame", min(frames), LONGEST_FRAME, 1, rival_name="100 ms"),
    ]
