"""The page on probabilities says what the stored results say."""

from dataclasses import replace

import numpy as np
import pytest

from similearn import datasets
from similearn.errors import InputError
from similearn.experiments.comparisons.problems import BlockProblem
from similearn.experiments.honesty.before_after import pairs_of, told_after
from similearn.experiments.honesty.coverage import coverage_claims, coverage_table, covered_of
from similearn.experiments.honesty.probability_page import claims, page, told_claims, write_page
from similearn.experiments.honesty.trials import uncalibrated, units_of, with_probabilities
from similearn.experiments.registry import get_method
from tests.experiments.evidence.made_up import record

BINS = {"count": [10] * 10, "said": list(range(10)), "true": list(range(10))}


def told(part, problem, method, split=0, error=0.1, log_loss=0.3, **more):
    made = record(problem, method, split, error, log_loss)
    made |= {"key": f"{part} {made['key']}", "part": part, "brier": 0.2, "balanced_error": error}
    return made | {"frequencies_log_loss": 0.7, "reliability": BINS} | more


def results(after=0.3, error=0.1, parameters=None, hits=9, ours=5.0, balanced=0.1):
    made = [told("before", "voting", m, log_loss=0.6) for m in ("knn", "sda")]
    chosen = {"parameters": parameters or {}}
    made += [told("after", "voting", m, log_loss=after, error=error, **chosen) for m in
             ("knn", "sda")]  # fmt: skip
    made.append(told("after", "voting", "auto"))
    for split in range(30):
        held = hits + (split % 3 - 1)
        row = {"coverage": 0.9}
        for kind in ("whole", "smoothed", "split"):
            row |= {kind: [held, held], f"{kind}_size": 30 if kind == "split" else 24}
        rows = [{**row, "coverage": c} for c in (0.8, 0.9, 0.95)]
        made.append(told("sets", "iris", "sets", split, sets=rows, tested=[10, 10]))
    found = {"similearn": [ours, 8.0], "k-NN disagreement": [4.0, 7.0]}
    made.append(told("wrong-labels", "voting, 5 % wrong", "auto", found=found, n_wrong=8))
    made.append(told("imbalance", "voting, 4 % rare", "knn", error=0.2))
    made.append(told("imbalance", "voting, 4 % rare", "knn, balanced", error=balanced))
    made.append(told("holes", "voting", "knn", error=0.05))
    made.append(told("holes", "voting, 30 % holes, fill", "knn", error=0.08))
    return made


def holding(**changes):
    return [claim.holds for claim in claims(results(**changes))]


def test_claims_follow_the_results():
    good = holding()
    assert good == [True, True, True, True, False, False, False, True, True, True]  # 90 % at all
    assert holding(after=0.8)[:3] == [False, False, False]
    assert holding(after=0.61)[1] and not holding(after=0.63)[1]
    assert not holding(error=0.2)[3]  # with the same parameters
    assert holding(error=0.2, parameters={"n_neighbors": 3})[3]
    assert not holding(ours=4.0)[8] and not holding(balanced=0.3)[9]
    assert "yes     errors change only" in told_claims(results())


def test_coverage_is_judged_by_its_error_over_partitions():
    by_coverage = {one.coverage: one for one in covered_of(results())}
    share, error = by_coverage[0.9].share("smoothed")
    assert share == pytest.approx(0.9) and error == pytest.approx(
        np.std([2 * (s % 3 - 1) for s in range(30)], ddof=1) / np.sqrt(30) / 20
    )
    near = {c: one.is_near("smoothed") for c, one in by_coverage.items()}
    assert near == {0.8: False, 0.9: True, 0.95: False}
    assert by_coverage[0.9].classes == [0, 1] and by_coverage[0.9].sizes["split"] == 1.5


def test_nothing_is_claimed_of_test_samples_from_elsewhere():
    found = covered_of(results())
    elsewhere = [replace(one, problem="protein-fold-pam50") for one in found]
    assert coverage_claims([*found, *elsewhere]) == coverage_claims(found)
    assert coverage_claims(elsewhere) == [] and "protein-fold" in coverage_table(elsewhere)


def test_the_page_and_its_picture(tmp_path):
    pytest.importorskip("matplotlib")
    (tmp_path / "probabilities" / "findings").mkdir(parents=True)
    (tmp_path / "probabilities" / "findings" / "introduction.md").write_text("By hand.", "utf-8")
    paths = write_page(tmp_path / "probabilities.md", results())
    assert [path.name for path in paths] == ["probabilities.md", "by-set.md", "reliability.png"]
    text, every, size = paths[0].read_text("utf-8"), paths[1].read_text("utf-8"), paths[2].stat()
    assert (
        size.st_size > 1000 and "probabilities/by-set.md" in text and "../probabilities.md" in every
    )
    assert "By hand." in text and "**Of 10 claims 7 hold, 3 do not:**" in text
    assert "| knn | 1 | 0.600 → 0.300 | 0.200 → 0.200 | -0.300 (voting) |" in text
    assert "| auto | 1 | 0.300 → 0.300 | 0.200 → 0.200 | – |" in text
    assert "| knn | 0.600 → 0.300 |" in every and "| auto | 0.300 → 0.300 |" in every
    assert "| voting, 4 % rare | 1 | 20.0 → 10.0 |" in text
    assert "| voting, none | 1 | 5.0 |" in text and "| voting, 30 % | 1 | 8.0 |" in text
    assert "**0.62** (1.00) | 0.50 (0.88)" in text
    assert "No results are stored yet." in page([], tmp_path / "probabilities")


def test_units_are_named_by_parts_and_methods():
    with pytest.raises(InputError, match="no part or method 'nonsense'"):
        units_of([], 1, ["nonsense"], 0)
    names = {method.name for method in with_probabilities()}
    assert {"knn", "auto", "svm-clip"} <= names and "local-means" not in names


def test_methods_as_they_are_come_from_the_page_of_the_default():
    bunch = datasets.make_similarities(30, n_classes=2, random_state=0)
    problem = BlockProblem("made", bunch.data, bunch.target)
    assert [(u.method.name, u.part) for u in units_of([problem], 1, ["knn", "auto"], 0)] == [
        ("knn", "before")
    ]
    stored = [record("made", name, 0, 0.1, 0.3) for name in ("knn", "auto", "sklearn-knn")]
    after = told_after(stored)
    assert [(r["method"], r["part"]) for r in after] == [("knn", "after"), ("auto", "after")]
    before = told("before", "made", "knn", log_loss=0.6)
    pairs = pairs_of([*after, before])  # class shares are those of whichever record has them
    assert {(p.method, p.frequencies) for p in pairs} == {("knn", 0.7), ("auto", 0.7)}


def test_before_means_without_a_calibration_of_what_has_probabilities():
    assert uncalibrated(get_method("knn").build, "similarity").calibration == "none"
    machine = uncalibrated(get_method("svm-clip").build, "similarity")
    assert machine.calibration == "temperature"
    rows = uncalibrated(get_method("rbf-sim-knn").build, "similarity")
    assert {v for n, v in rows.get_params().items() if n.endswith("calibration")} == {"none"}
