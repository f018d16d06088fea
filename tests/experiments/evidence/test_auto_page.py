"""The page says what the stored results say."""

import pytest

from similearn.experiments.evidence.auto_page import page, write_page
from similearn.experiments.evidence.results_by_set import evidence_of
from similearn.experiments.evidence.sets import SETS
from similearn.experiments.registry import methods
from tests.experiments.evidence.made_up import OTHERS, results

KEYS = [one.key for one in SETS]


def text_of(tmp_path, **changes):
    return page(evidence_of(results(KEYS, **changes)), tmp_path / "auto")


def test_sentences_follow_the_results(tmp_path):
    good = text_of(tmp_path, splits=20)
    assert "**Of 7 claims 7 hold.**" in good
    assert f"This page speaks for 30 of 30 sets, with all {len(OTHERS)} methods on 30" in good
    assert "still missing" not in good
    assert "the 14 others" in good and "the 16 on which the rule was chosen" in good
    assert "**no**" not in good and "Without results" not in good
    bad = text_of(tmp_path, worse_on=["voting", "wpbc"], splits=20)
    assert "**Of 7 claims 6 hold, 1 do not:** error not significantly larger" in bad
    assert "worse on 2 of 30: voting" in bad
    first = bad[: bad.index("## Against")]
    rows = {line.split(" |")[0]: line for line in first.splitlines() if line.startswith("| ")}
    assert "+5.00" in rows["| voting"] and "-1.00" in rows["| wine"]
    assert rows["| wpbc °"].count("**") == 4  # both p


def test_halves_are_told_apart(tmp_path):
    lines = text_of(tmp_path, worse_on=["voting"], splits=20).splitlines()
    first = next(line for line in lines if line.startswith("| error not significantly"))
    assert [cell.strip()[:6] for cell in first.split("|")[2:5]] == ["**no**", "**no**", "yes: w"]


def test_what_is_not_stored_is_said(tmp_path):
    few = evidence_of(results(KEYS[:2], splits=3, others=OTHERS[:5]))
    told = page(few, tmp_path / "auto")
    assert f"could not find any difference on {KEYS[0]}, {KEYS[1]}" in told
    assert f"Methods without results yet: {len(methods()) - 6} on {KEYS[0]}" in told
    assert f"Without results: {KEYS[2]}" in told
    assert f"speaks for 2 of 30 sets, with all {len(methods()) - 1} methods on 0 of them" in told
    assert f"Partitions are still missing of {KEYS[0]} (3 of 20), {KEYS[1]} (3 of 20)." in told
    rivals = [r for r in results(KEYS[:1]) if r["method"].startswith(("auto", "sklearn"))]
    against = evidence_of(rivals)
    assert not against.among and [one.key for one in against.against] == KEYS[:1]
    only = [r for r in results(KEYS[:1]) if not r["method"].startswith("sklearn")]
    assert "No results of scikit-learn's" in page(evidence_of(only), tmp_path / "auto")
    assert "No results are stored yet." in page(evidence_of([]), tmp_path / "auto")


def test_the_page_its_picture_and_the_findings_are_written(tmp_path):
    pytest.importorskip("matplotlib")
    (tmp_path / "auto" / "findings").mkdir(parents=True)
    (tmp_path / "auto" / "findings" / "introduction.md").write_text("By hand.", "utf-8")
    (tmp_path / "auto" / "findings" / "choices.md").write_text("Why so.", "utf-8")
    paths = write_page(tmp_path / "auto.md", results(KEYS[:3]))
    assert [path.stat().st_size > 1000 for path in paths] == [True, True]
    text = paths[0].read_text("utf-8")
    order = ["By hand.", "claims", "## All methods", "## How the default was chosen", "Why so."]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert "## How this page is made" not in text  # nobody wrote it
