import numpy as np
import pytest

from similearn.experiments.evidence.claims import Claim, claims_against, claims_among, verdict
from similearn.experiments.evidence.standing import (
    AUTO,
    Standing,
    mean_ranks,
    measured,
    standing_of,
)
from similearn.experiments.registry import methods
from tests.experiments.evidence.made_up import OTHERS, RIVAL_NAMES, record, results

KEYS = [f"set{i}" for i in range(10)]
ASKED = dict.fromkeys(KEYS, 10)


def measured_everywhere(names=OTHERS, **changes):
    records = results(KEYS, **changes)
    return [measured(key, records, [AUTO, *names]) for key in KEYS]


def test_only_partitions_that_all_methods_have_are_compared():
    records = [record("a", AUTO, s, s / 10, 1.0) for s in range(4)]
    records += [record("a", "knn", s, 0.5, None) for s in (1, 3, 5)]
    records += [record("b", "knn", 0, 0.5, None)]
    failed = {"key": "x", "problem": "a", "method": "sda", "split": 0, "failure": "No."}
    found = measured("a", [*records, failed], [AUTO, "knn", "sda", "psvm"])
    assert found.splits == ((0, 1), (0, 3))
    assert found.error[AUTO].tolist() == [0.1, 0.3]
    assert set(found.log_loss) == {AUTO}
    assert found.failed == {"sda": "No."} and found.absent == ("psvm",)
    best = standing_of(found, "error")
    assert (best.best, best.mean, best.best_mean) == ("knn", pytest.approx(0.2), 0.5)
    assert best.lower and best.p_value == 1.0


def test_equal_means_are_not_worse():
    records = [record("a", AUTO, s, e, e) for s, e in enumerate((0.1, 0.2, 0.3))]
    records += [record("a", "knn", s, e, e) for s, e in enumerate((0.3, 0.1, 0.2))]
    found = standing_of(measured("a", records, [AUTO, "knn"]), "error")
    assert found.p_value == 1.0 and not found.lower and not found.significantly_worse


def test_ranks_are_means_over_sets_and_the_silent_are_last():
    records = [record("a", AUTO, 0, 0.1, 0.5), record("a", "knn", 0, 0.1, None)]
    records += [record("a", "sda", 0, 0.3, 0.1)]
    records += [record("b", AUTO, 0, 0.3, 0.5), record("b", "knn", 0, 0.1, None)]
    found = [measured(key, records, [AUTO, "knn", "sda"]) for key in "ab"]
    assert mean_ranks(found, "error", [AUTO, "knn", "sda"]) == {
        "knn": 1.25, AUTO: 1.75, "sda": 3.0
    }  # fmt: skip
    by_loss = mean_ranks(found, "log_loss", [AUTO, "knn", "sda"])
    assert by_loss == {AUTO: 1.5, "sda": 1.75, "knn": 2.75}


def test_claims_hold_where_the_default_is_best():
    claims = claims_among(measured_everywhere(), OTHERS, ASKED)
    assert all(claim.answer == "yes" for claim in claims)
    assert claims[0].found.startswith("worse on none of 10")
    assert claims[1].found.startswith(
        f"1.0 of {len(methods())}, the best; the next is knn with 2.0"
    )
    assert claims[3].found == "on 10 of 10, lowest of all on 10"


def test_one_set_where_it_is_worse_changes_what_is_said():
    found = measured_everywhere(worse_on=["set3"])
    error, by_error, _, log_loss = claims_among(found, OTHERS, ASKED)
    assert not error.holds
    assert error.found == "worse on 1 of 10: set3 (p = 0.0098)"  # 10 tests, 2^-10 each
    assert by_error.holds
    assert log_loss.holds and "on 9 of 10" in log_loss.found and "set3" in log_loss.found
    many = claims_among(measured_everywhere(worse_on=KEYS[:6]), OTHERS, ASKED)
    assert [claim.holds for claim in many] == [False, False, False, False]
    assert "in place" in many[1].found and "the best is knn" in many[1].found
    assert "on 4 of 10" in many[3].found


def test_too_few_partitions_find_nothing_after_adjusting():
    found = measured_everywhere(worse_on=KEYS, splits=5)
    claim = claims_among(found, OTHERS, dict.fromkeys(KEYS, 5))[0]
    assert claim.found.startswith("worse on none") and "too few partitions to tell" in claim.found
    assert claim.answer == "so far"
    assert np.all([standing_of(one, "error").significantly_worse for one in found])


def test_fewer_partitions_than_asked_for_show_nothing():
    claims = claims_among(measured_everywhere(splits=19), OTHERS, dict.fromkeys(KEYS, 20))
    assert [claim.answer for claim in claims] == ["so far"] * 4
    assert all("fewer partitions than asked for on 10" in claim.found for claim in claims)


def test_a_lower_log_loss_of_one_partition_shows_nothing():
    """One set of ten may be unknown, two may not, however low its only log-loss is."""
    once = [measured(key, results(KEYS, splits=1), [AUTO, *OTHERS]) for key in KEYS]
    many = measured_everywhere()
    asked = dict.fromkeys(KEYS, 1)
    assert claims_among([*many[:9], *once[9:]], OTHERS, asked)[3].answer == "yes"
    claim = claims_among([*many[:8], *once[8:]], OTHERS, asked)[3]
    assert claim.answer == "so far" and "too few partitions to tell on 2" in claim.found


def test_partitions_of_another_seed_are_others():
    records = [record("a", AUTO, s, 0.1, 0.5) for s in range(3)]
    records += [record("a", "knn", s, 0.2, 0.5) for s in range(2)]
    records += [record("a", "knn", 2, 0.9, 0.5) | {"seed": 1}]
    assert measured("a", records, [AUTO, "knn"]).splits == ((0, 0), (0, 1))


def test_rivals_are_beaten_on_three_sets_of_four_in_less_time():
    asked = dict.fromkeys(KEYS, 20) | {KEYS[0]: 5}  # the folds of a table
    claims = claims_against(measured_everywhere(RIVAL_NAMES, splits=20), asked)
    assert [claim.answer for claim in claims] == ["yes"] * 3
    hasty = claims_against(measured_everywhere(RIVAL_NAMES, splits=19), asked)
    assert [claim.answer for claim in hasty] == ["so far"] * 3
    assert "fewer partitions than asked for on 9" in hasty[0].found
    bad = {"worse_on": KEYS[:3], "slow": True, "splits": 20}
    fewer = claims_against(measured_everywhere(RIVAL_NAMES, **bad), asked)
    assert [claim.answer for claim in fewer] == ["no"] * 3
    assert [claim.found for claim in fewer] == ["on 7 of 10", "on 7 of 10", "on 0 of 10"]


def test_the_verdict_counts_what_is_shown_apart():
    shown, not_yet = Claim("a", "", True), Claim("b", "", True, shown=False)
    assert verdict([shown]) == "**Of 1 claims 1 hold.**"
    few = "hold so far, on too few results to count as shown"
    assert verdict([shown, not_yet]) == f"**Of 2 claims 1 hold, 1 {few}.**"
    refuted = Claim("c", "", False, shown=False)  # where one result is enough
    assert verdict([shown, not_yet, refuted]) == f"**Of 3 claims 1 hold, 1 {few}, 1 do not:** c."


def test_means_that_differ_by_rounding_are_equal():
    assert Standing("set", 0.1 + 0.2, "knn", 0.3, 1.0).equal
    assert not Standing("set", 0.31, "knn", 0.3, 1.0).equal
