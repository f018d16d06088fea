import csv
import json

import numpy as np
import pytest

from similearn.experiments.comparisons.tables import (
    as_csv,
    as_json,
    as_markdown,
    as_text,
    summarize,
)


def record(method, split, error, log_loss=0.5, **changes):
    return {
        "key": f"{method}{split}",
        "problem": "birds",
        "method": method,
        "split": split,
        "error": error,
        "log_loss": log_loss,
        "fit_seconds": 1.0,
        "predict_seconds": 0.5,
        "parameters": {"n_neighbors": split % 2},
        "converted": False,
        "warnings": [],
    } | changes


@pytest.fixture
def records():
    rng = np.random.default_rng(0)
    good = rng.integers(10, 20, size=21) / 100
    like = good + 0.01 * (-1) ** np.arange(21)
    return [
        *(record("bad", i, e + 0.1) for i, e in enumerate(good)),
        *(record("good", i, e) for i, e in enumerate(good)),
        *(record("like", i, e, None, converted=True) for i, e in enumerate(like)),
        {"key": "x", "problem": "birds", "method": "broken", "split": 0, "failure": "No | way."},
    ]


def test_rows_are_ordered_by_error_and_marked(records):
    table = summarize(records)
    assert [row.method for row in table.rows] == ["good", "like", "bad", "broken"]
    assert [row.mark for row in table.rows] == ["best", "close", "", ""]
    good = table.rows[0]
    errors = [r["error"] for r in records if r["method"] == "good"]
    assert good.error_mean == pytest.approx(np.mean(errors))
    assert good.error_sd == pytest.approx(np.std(errors, ddof=1))
    assert good.seconds == 1.5
    assert good.parameters == {"n_neighbors": 0}
    assert good.splits == 21


def test_text_shows_dashes_daggers_and_notes(records):
    text = as_text(summarize(records))
    lines = text.splitlines()
    assert lines[0] == "birds"
    (like,) = [line for line in lines if line.startswith("like")]
    assert "like †" in like and "≈" in like and " – " in like
    assert "broken failed: No | way." in lines
    assert "21 random 80/20 splits" in text and "signed-rank test, 0.05" in text


def test_markdown_is_bold_where_marked_and_keeps_its_columns(records):
    lines = as_markdown(summarize(records)).splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert {line.count("|") - line.count("\\|") for line in rows} == {9}
    assert "**" in rows[2] and "**" in rows[3] and "**" not in rows[4]


def test_csv_and_json_hold_the_numbers_in_full(records):
    table = summarize(records)
    rows = list(csv.DictReader(as_csv(table).splitlines()))
    assert float(rows[0]["error_mean"]) == table.rows[0].error_mean
    assert json.loads(rows[0]["parameters"]) == {"n_neighbors": 0}
    told = json.loads(as_json(table))
    assert told["rows"][0]["error_sd"] == table.rows[0].error_sd
    assert told["rows"][3]["failure"] == "No | way."


def test_few_splits_are_said_to_be_too_few():
    table = summarize([record("a", 0, 0.1), record("b", 0, 0.9)])
    assert table.rows[0].error_sd is None
    assert any("fewer than 5 splits" in note for note in table.notes)
    assert [row.mark for row in table.rows] == ["best", "close"]


def test_pairs_only_splits_that_all_have():
    # Split 0, where b is far better, is missing from a: it must not count in the test.
    a = [record("a", i, 0.1 + i / 1000) for i in range(1, 11)]
    b = [record("b", 0, 0.0), *(record("b", i, 0.2 + i / 500) for i in range(1, 11))]
    rows = {row.method: row for row in summarize(a + b).rows}
    assert rows["a"].mark == "best" and rows["b"].mark == ""


def test_frequent_warning_is_told_once():
    records = [record("a", i, 0.1, warnings=["slow", f"split {i}"]) for i in range(5)]
    (note,) = [n for n in summarize(records).notes if "warned" in n]
    assert note == "a warned: slow (5 other warnings are in the results)"


def test_nothing_at_all():
    assert summarize([]).rows == ()


def test_equal_errors_are_ordered_by_log_loss():
    losses = {"vague": 1.09, "none": None, "sure": 0.001, "worse": 0.0}
    records = [
        record(name, i, 0.1 + (name == "worse"), loss)
        for name, loss in losses.items()
        for i in range(3)
    ]
    assert [row.method for row in summarize(records).rows] == ["sure", "vague", "none", "worse"]


@pytest.mark.parametrize(
    ("told", "title", "shown"),
    [
        ("mean cost", "Cost", "5"),
        ("log-loss", "Log-loss", "5.000"),
        ("balanced error", "Balanced %", "500.00"),
    ],
)
def test_what_orders_rows_is_shown_first_and_tested(told, title, shown):
    by = {"mean cost": "cost"}.get(told, told.replace(" ", "-"))
    name = by.replace("-", "_")
    ten = range(10)
    records = [
        *(record("costly", i, 0.1) | {name: 5.0 + 0.01 * (i % 2 - 0.5)} for i in ten),
        *(record("cheap", i, 0.3) | {name: 1.0 + 0.01 * i} for i in ten),
        *(record("like", i, 0.4) | {name: 1.001 + 0.01 * i - 0.01 * (i % 3 == 0)} for i in ten),
        {"key": "x", "problem": "birds", "method": "broken", "split": 0, "failure": "No way."},
    ]
    table = summarize(records, by)
    assert [row.method for row in table.rows] == ["like", "cheap", "costly", "broken"]
    assert [row.mark for row in table.rows] == ["best", "close", "", ""]
    header, *lines = as_text(table).splitlines()[2:7]
    assert header.startswith("Method") and header[6:].strip().startswith(title)
    assert lines[2].split()[:2] == ["costly", shown]
    assert lines[3].split()[:2] == ["broken", "failed"]
    assert any(note.startswith(f"* lowest {told};") for note in table.notes)
    assert not any(note.startswith("Mean cost of") for note in table.notes)
    markdown = as_markdown(table).splitlines()
    assert markdown[2].startswith(f"| Method | {title} |  | Error % | (sd) |")
    assert markdown[3].startswith("|---|--:|:-:|--:|--:|")
    assert markdown[4].startswith("| like | **")


def test_methods_without_the_score_that_orders_rows_come_last_unmarked():
    records = [record(m, i, 0.1, loss) for i in range(9) for m, loss in (("a", 0.5), ("b", None))]
    rows = summarize(records, "log-loss").rows
    assert [(row.method, row.mark) for row in rows] == [("a", "best"), ("b", "")]
