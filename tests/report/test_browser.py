"""Reports in a real Chromium: what is drawn, chosen, opened, printed, and what never runs."""

import os
import re
import shutil
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest

from similearn import NeighborsClassifier, datasets
from similearn.report.contents.gathering import Asked, contents_of_comparison, contents_of_model
from similearn.report.contents.sheets import Curve
from similearn.report.html.packing import Limits
from similearn.report.html.page import rendered
from tests.report.pages import HOSTILE, hostile_block, two_methods

CHROMIUM = os.environ.get("SIMILEARN_CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
STILL = {"reduced_motion": "reduce"}
MISSING = "no Chromium: install Debian's package chromium, or name one in SIMILEARN_CHROMIUM"

pytest.importorskip("jinja2")
sync_api = pytest.importorskip("playwright.sync_api", reason="needs similearn[browser]")
pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason=MISSING)]


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def contents():
    """All pages: three classes, parts that depend on nothing but neighbours, two methods."""
    X, y = datasets.make_similarities(60, n_classes=3, random_state=0, return_X_y=True)
    ids = np.array([f"sample {i}" for i in range(60)])
    X = type(X)(X.values, X.kind, row_ids=ids, column_ids=ids)
    y = np.array(["cat", "dog", "שועל"])[y]
    model = NeighborsClassifier(5, weights="krr").fit(X, y)
    compared = contents_of_comparison(two_methods(), Asked()).methods
    curve = Curve("knn", "n_neighbors", [1, 3, 5], [0.2, 0.1, 0.15], 3)
    told = contents_of_model(model, X, y, Asked("Pets"))
    return replace(told, methods=replace(compared, curves=[curve]))


@pytest.fixture(scope="module")
def report(contents, tmp_path_factory):
    return _written(tmp_path_factory, rendered(contents))


def _written(factory, text) -> Path:
    path = factory.mktemp("report") / "report.html"
    path.write_text(text, encoding="utf-8", errors="replace")
    return path


class Opened:
    """A page, with what it complained of and what it asked for."""

    def __init__(self, browser, path, hash="", **context):
        self.context = browser.new_context(**context)
        self.page = self.context.new_page()
        self.faults = []
        self.page.set_default_timeout(20_000)
        self.page.on("console", lambda m: self.faults.append(m.text))
        self.page.on("pageerror", lambda e: self.faults.append(str(e)))
        self.page.on("dialog", lambda d: self.faults.append(d.message))
        self.page.on("request", self._asked)
        self.page.goto(path.as_uri() + hash)
        self.page.wait_for_selector("html[data-ready=yes]")

    def begin_anew(self):
        """As it was when it opened, but for what is enlarged."""
        self.page.mouse.move(0, 0)
        self.page.evaluate(
            """() => {
                const all = document.getElementById("everything");
                if (!all.hidden) all.click();
                location.hash = "";
                document.getElementById("sample-told").replaceChildren();
                document.activeElement.blur();
                scrollTo({ top: 0, behavior: "instant" });
            }"""
        )

    def _asked(self, request):
        if not request.url.startswith(("file:", "data:")):
            self.faults.append(request.url)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.context.close()
        assert kind is not None or not self.faults, self.faults

    def text(self, selector):
        return self.page.inner_text(selector)

    def mark(self):
        """Where the mark of some sample is on the screen: its account stands beside it."""
        self.page.locator("#map-canvas").scroll_into_view_if_needed()
        self.page.focus("#map-canvas")
        self.page.keyboard.press("ArrowRight")
        box = self.page.locator("#tip").bounding_box()
        name = self.text("#tip").splitlines()[0]
        self.page.evaluate("document.activeElement.blur()")
        return name, box["x"] - 14, box["y"] - 16


@pytest.fixture(scope="module")
def light(browser, report):
    """One page of a wide, light screen, for all tests that leave it usable."""
    with Opened(browser, report, viewport={"width": 1280, "height": 900}, **STILL) as page:
        yield page


@pytest.fixture(scope="module")
def dark(browser, report):
    """One page of a narrow, dark screen, opened by a link to a sample."""
    narrow = {"viewport": {"width": 390, "height": 900}, "color_scheme": "dark"}
    with Opened(browser, report, "#sample=sample%203", **narrow, **STILL) as page:
        yield page


@pytest.fixture
def opened(light):
    light.begin_anew()
    yield light
    assert not light.faults


def test_all_charts_are_drawn_without_complaint_or_network(opened):
    drawn = opened.page.eval_on_selector_all(
        ".drawn", "all => all.map(one => [one.id, one.querySelectorAll('svg').length])"
    )
    assert drawn and all(count for _, count in drawn), drawn
    for canvas in ("map-canvas", "matrix-canvas", "ramp"):
        seen = f"""(() => {{ const c = document.getElementById("{canvas}");
            const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
            return new Set(new Uint32Array(d.buffer)).size; }})()"""
        assert opened.page.evaluate(seen) > 3, canvas


def test_hover_tells_and_a_click_opens(opened):
    name, x, y = opened.mark()
    opened.page.mouse.move(x, y)
    opened.page.wait_for_selector("#tip:not([hidden])")
    told = opened.text("#tip")
    assert told.splitlines()[0] == name and name.startswith("sample ") and "%" in told
    opened.page.mouse.click(x, y)
    opened.page.wait_for_selector("#sample-told h3")
    assert opened.text("#sample-told h3") == name
    assert opened.page.url.endswith("#sample=" + name.replace(" ", "%20"))
    assert "Neighbours" in opened.text("#sample-told")


def test_the_lasso_filters_everything_else(opened):
    page = opened.page
    page.locator("#map-canvas").scroll_into_view_if_needed()
    box = page.locator("#map-canvas").bounding_box()
    corners = [(0.02, 0.02), (0.5, 0.02), (0.5, 0.98), (0.02, 0.98)]
    places = [(box["x"] + a * box["width"], box["y"] + b * box["height"]) for a, b in corners]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=4)
    page.mouse.up()
    page.wait_for_selector("#everything:not([hidden])")
    count = int(re.match(r"(\d+) of 60 samples", opened.text("#chosen")).group(1))
    assert 0 < count < 60
    assert f"Of the {count} chosen" in opened.text("#errors-chosen")
    cells = page.eval_on_selector_all("#confusion td button", "all => all.map(b => +b.textContent)")
    assert sum(cells) == count
    assert f"of {count}" in page.text_content("#rows-told")
    page.click("#everything")
    cells = page.eval_on_selector_all("#confusion td button", "all => all.map(b => +b.textContent)")
    assert sum(cells) == 60


def test_search_filters_and_opens(opened):
    page = opened.page
    page.fill("#search", "dog")
    sync_api.expect(page.locator("#chosen")).to_contain_text("dog")
    rows = page.eval_on_selector_all(
        "#hardest tbody tr:not([hidden]) td:nth-child(2)", "all => all.map(td => td.textContent)"
    )
    assert rows and all("dog" in row for row in rows)
    page.fill("#search", "sample 41")
    page.press("#search", "Enter")
    page.wait_for_selector("#sample-told h3")
    assert opened.text("#sample-told h3") == "sample 41"


def test_a_cell_of_the_confusion_opens_its_samples(opened):
    button = opened.page.locator("#confusion td:not(.right) button").first
    count = int(button.inner_text())
    button.click()
    assert opened.text("#chosen").startswith(f"{count} of 60 samples")


def test_charts_are_of_all_samples_though_not_all_are_drawn(browser, contents, tmp_path_factory):
    path = _written(tmp_path_factory, rendered(contents, Limits(samples=30)))
    cells = (
        "() => d3.sum([...document.querySelectorAll('#confusion td button')], b => +b.textContent)"
    )
    with Opened(browser, path) as opened:
        assert opened.page.evaluate(cells) == 60
        assert opened.text("#legend button .count").isdecimal()
        opened.page.fill("#search", "dog")
        sync_api.expect(opened.page.locator("#chosen")).to_contain_text("of 30 drawn samples")
        assert opened.page.evaluate(cells) < 30


def test_a_link_opens_its_sample(dark):
    assert dark.text("#sample-told h3") == "sample 3"
    dark.page.evaluate("location.hash = '#sample=nobody'")
    sync_api.expect(dark.page.locator("#sample-told")).to_contain_text("is not here")
    dark.page.evaluate("location.hash = '#sample=sample%2012'")
    sync_api.expect(dark.page.locator("#sample-told h3")).to_have_text("sample 12")


def test_a_comparison_without_its_data_has_a_page(browser, tmp_path_factory):
    text = rendered(contents_of_comparison(two_methods(), Asked("Two methods")))
    with Opened(browser, _written(tmp_path_factory, text), "#sample=0") as opened:
        assert opened.page.query_selector("#methods-chart svg") is not None
        assert opened.page.query_selector("#sample, #map, .finder") is None


def test_everything_can_be_done_by_keyboard(opened):
    page = opened.page
    page.focus("#map-canvas")
    page.keyboard.press("ArrowRight")
    first = page.text_content("#map-said")
    page.keyboard.press("ArrowLeft")
    assert first and page.text_content("#map-said") != first
    page.keyboard.press("Space")
    assert opened.text("#chosen").startswith("1 of 60")
    page.keyboard.press("Enter")
    page.wait_for_selector("#sample-told h3")
    page.focus("#matrix-canvas")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert "value about" in page.text_content("#matrix-said")
    page.keyboard.press("+")
    page.keyboard.press("Enter")
    assert "of a cell" in opened.text("#chosen")
    page.keyboard.press("Escape")
    assert opened.text("#chosen") == ""


def test_the_matrix_zooms(opened):
    page = opened.page
    seen = "document.getElementById('matrix-canvas').toDataURL()"
    before = page.evaluate(seen)
    page.click("#matrix-in")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate(seen) != before


def test_a_dark_screen_prints_on_white_paper(dark):
    page, back = dark.page, "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(back) != "rgb(255, 255, 255)"
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF") and len(pdf) > 20_000
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(back) == "rgb(255, 255, 255)"
    for gone in (
        ".finder",
        "#map-above",
        "#map .screen",
    ):  # a canvas is white on paper, and would hide the map
        shown = f"getComputedStyle(document.querySelector('{gone}')).display"
        assert page.evaluate(shown) == "none"
    page.emulate_media(media="screen", color_scheme="dark")


def test_27_classes_of_long_names_need_no_scrolling(browser, tmp_path_factory):
    X, y = datasets.make_similarities(81, n_classes=27, random_state=0, return_X_y=True)
    y = np.array([f"{i} is a class of a long name" for i in range(27)])[y]
    model = NeighborsClassifier(3).fit(X, y)
    text = rendered(contents_of_model(model, X, y, Asked()))
    whole = """id => { const one = document.querySelector(id);
        return one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight + 1; }"""
    path = _written(tmp_path_factory, text)
    with Opened(browser, path, viewport={"width": 1280, "height": 900}) as opened:
        assert opened.page.evaluate(whole, "[aria-label='Confusion matrix']")
        assert opened.page.evaluate(whole, "#legend")


def test_axe_finds_no_serious_violation(dark):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs [browser]")
    page = dark.page
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    # The policy forbids scripts that are not the page's own; the inspector comes another way.
    page.evaluate(f"{axe.Axe().axe_script}\n0")
    for width, scheme in ((390, "dark"), (1280, "light")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        found = page.evaluate("axe.run({ resultTypes: ['violations'], preload: false })")
        bad = [v for v in found["violations"] if v["impact"] in ("serious", "critical")]
        assert found["passes"]
        assert not [(v["id"], [n["target"] for n in v["nodes"]][:3]) for v in bad], scheme


def test_hostile_labels_run_nothing(browser, tmp_path_factory):
    X, y = hostile_block()
    model = NeighborsClassifier(3).fit(X, y)
    names = [*HOSTILE[:198], HOSTILE[0], "\u200b"]
    text = rendered(contents_of_model(model, X, y, Asked(HOSTILE[0]), names))
    with Opened(browser, _written(tmp_path_factory, text)) as opened:
        page = opened.page
        page.evaluate(
            """async (names) => {
                for (const name of names) {
                    const shown = new Promise((done) => addEventListener("hashchange", done));
                    location.hash = "#sample=" + encodeURIComponent(name);
                    await shown;
                }
            }""",
            [name.encode("utf-8", "replace").decode() for name in HOSTILE[:140:7]],  # each kind
        )
        for more, label in (("", y[0]), ("&place=198", y[198])):  # two of the same name
            page.evaluate(f"location.hash = '#sample={quote(HOSTILE[0])}{more}'")
            sync_api.expect(page.locator(".sample-head")).to_contain_text(label)
        _, x, y = opened.mark()
        page.mouse.move(x, y)
        page.fill("#search", "<img")
        page.press("#search", "Enter")
        page.click("#legend button")
        assert page.evaluate("window.ran") is None
        assert page.evaluate("document.querySelectorAll('main img, main iframe').length") == 0


def test_the_policy_stops_scripts_that_are_not_the_pages_own(dark):
    dark.page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
        "document.body.append(s); }"
    )
    assert dark.page.evaluate("window.ran") is None
    refused = dark.page.evaluate("fetch('http://127.0.0.1:9/').then(() => 0, () => 1)")
    assert refused == 1 and any("Content Security Policy" in fault for fault in dark.faults)
    dark.faults.clear()  # these were wanted
