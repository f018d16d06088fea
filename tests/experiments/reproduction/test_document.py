"""The committed document is what the committed results give."""

from pathlib import Path

import pytest

from similearn.experiments.reproduction.pages import whole_document as module
from similearn.experiments.reproduction.pages.picture import ours_against_papers
from similearn.experiments.reproduction.pages.table_report import report
from similearn.experiments.reproduction.pages.whole_document import (
    details,
    document,
    write_document,
)
from similearn.experiments.reproduction.plan import plans
from similearn.experiments.reproduction.published.printed import published, published_names
from tests.experiments.reproduction.test_report import records
from tests.experiments.reproduction.tiny import tiny_plan

DOCS = Path(__file__).parents[3] / "docs"
RESULTS = DOCS / "reproduction" / "results"
ASKED_FOR = {
    "jmlr-3",
    "jmlr-4",
    "fusing-1",
    "fusing-2",
    "regsda-1",
    "dboost-2",
    "dboost-fig1",
    "dboost-fig2",
    "dboost-fig3",
    "cdnn-1",
    "cdnn-2",
}


@pytest.fixture(scope="module")
def reports():
    return module.stored_reports(RESULTS)


def test_the_committed_document_is_what_stored_results_give(reports):
    committed = (DOCS / "reproduction.md").read_text(encoding="utf-8")
    assert document(reports, DOCS / "reproduction") == committed


@pytest.mark.parametrize("name", sorted(ASKED_FOR))
def test_the_committed_pages_are_what_stored_results_give(reports, name):
    found = next(r for r in reports if r.table.name == name)
    page = DOCS / "reproduction" / f"{name}.md"
    assert page.exists() == bool(found.cells)
    if found.cells:
        assert details(found) == page.read_text(encoding="utf-8")


def test_every_published_table_has_a_plan_that_fits_it():
    assert {plan.name for plan in plans()} == set(published_names()) == ASKED_FOR
    for plan in plans():
        table = published(plan.name)
        for column, row in table.cells:
            assert column in table.columns and row in table.rows
        assert {c.printed for c in plan.columns} - {""} == set(table.columns)
        assert {r.printed for r in plan.rows} - {""} == set(table.rows)
        names = [row.method.name for row in plan.rows]
        assert len(set(names)) == len(names)
        keys = [column.key for column in plan.columns]
        assert len(set(keys)) == len(keys)


def test_a_document_with_findings(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "plans", lambda: [tiny_plan()])
    monkeypatch.setattr(module, "stored_records", lambda *place: records([0.2, 0.3, 0.25]))
    findings = tmp_path / "reproduction" / "findings"
    findings.mkdir(parents=True)
    (findings / "tiny.md").write_text("What was learned.\n")
    paths = write_document(tmp_path / "reproduction.md", tmp_path)
    text = (tmp_path / "reproduction.md").read_text()
    assert "1 of 1 cells agree" in text and "What was learned." in text
    assert "of time: Absent" in text
    assert all(path.exists() for path in paths)


def test_nothing_to_draw_is_still_a_picture(tmp_path):
    empty = report(tiny_plan(), [])
    assert ours_against_papers([empty], tmp_path / "empty.png").exists()
    assert "Not run" in document([empty], tmp_path)
