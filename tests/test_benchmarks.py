"""The benchmarks leave nothing public out."""

import pytest

from benchmarks import bench_cold


def test_every_public_estimator_has_a_compile_budget():
    assert {cold.name for cold in bench_cold.COLD.values()} == bench_cold.public_estimators()


@pytest.mark.parametrize("label", bench_cold.COLD)
def test_the_first_call_can_be_measured(label):
    first, second = bench_cold.first_and_second_call(label)
    assert first > 0 and second > 0
