"""Similarity functions: pairs per second, and against the libraries that they call."""

import time

import numpy as np
from joblib import Parallel, delayed

from benchmarks.harness import Result, benchmark, best_of
from similearn.similarities import (
    Levenshtein,
    SmithWaterman,
    TangentDistance,
    evaluate_block,
    evaluate_square,
)

N_IMAGES, PAIRS_PER_SECOND = 1000, 20_000
N_WORDS = 3000
N_PROTEINS = 400


def words(seed=0):
    rng = np.random.default_rng(seed)
    letters = list("abcdefghijklmnopqrstuvwxyz")
    return ["".join(rng.choice(letters, size=rng.integers(5, 15))) for _ in range(N_WORDS)]


def proteins(seed=0):
    rng = np.random.default_rng(seed)
    letters = list("ARNDCQEGHILKMFPSTWYV")
    return ["".join(rng.choice(letters, size=rng.integers(100, 300))) for _ in range(N_PROTEINS)]


@benchmark
def tangent_distances():
    """The bar, 20,000 pairs per second, is told as the time that it would allow."""
    images = np.random.default_rng(0).random((N_IMAGES, 16, 16))
    results = []
    for sides, bar in ((1, 1), (2, None)):
        model = TangentDistance(sides)
        run = best_of({"ours": lambda model=model: evaluate_block(model, images, images)}, 3)
        name = f"tangent distances, {sides}-sided, 16 × 16, {N_IMAGES}² pairs"
        allowed = N_IMAGES**2 / PAIRS_PER_SECOND
        notes = {"pairs_per_second": N_IMAGES**2 / run["ours"]}
        results.append(
            Result(
                name, run["ours"], allowed, bar, rival_name="20,000 pairs per second", notes=notes
            )
        )
    return results


@benchmark
def edit_distances():
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein as Rival

    names = words()
    expected = process.cdist(names[:50], names, scorer=Rival.distance)
    assert np.array_equal(evaluate_block(Levenshtein(), names[:50], names), expected)
    results = []
    for n_jobs in (1, 2):
        runs = best_of(
            {
                "ours": lambda n_jobs=n_jobs: evaluate_square(Levenshtein(), names, n_jobs=n_jobs),
                "rival": lambda n_jobs=n_jobs: process.cdist(
                    names, names, scorer=Rival.distance, workers=n_jobs
                ),
            },
            5,
        )
        name = f"Levenshtein, all pairs of {N_WORDS}, {n_jobs} core(s)"
        results.append(
            Result(name, runs["ours"], runs["rival"], 1.3, higher=False, rival_name="cdist")
        )
    return results


@benchmark
def smith_waterman_cores():
    """Two processes against one; what they give a plain loop tells whether the machine is free."""
    sequences = proteins()
    model = SmithWaterman()
    workers = Parallel(n_jobs=2)
    runs = best_of(
        {
            "two": lambda: evaluate_square(model, sequences, n_jobs=2),
            "one": lambda: evaluate_square(model, sequences),
            "loops": lambda: workers(delayed(_count_up)() for _ in range(2)),
            "loop": _count_up,
        },
        5,
    )
    name = f"Smith-Waterman, all pairs of {N_PROTEINS}, two cores"
    notes = {
        "speedup_of_a_plain_loop": 2 * runs["loop"] / runs["loops"],
        "pairs_per_second": N_PROTEINS * (N_PROTEINS + 1) / 2 / runs["two"],
    }
    return [Result(name, runs["two"], runs["one"], 1.5, rival_name="one core", notes=notes)]


def _count_up():
    total = 0
    for i in range(10_000_000):
        total += i
    return total


@benchmark
def smith_waterman_rival():
    """All pairs in both directions, one core, against a plain loop over parasail."""
    import parasail

    sequences = proteins()[:100]

    def plain():
        return [
            [parasail.sw_striped_16(a, b, 11, 1, parasail.blosum62).score for b in sequences]
            for a in sequences
        ]

    assert np.array_equal(evaluate_block(SmithWaterman(), sequences, sequences), plain())
    runs = best_of(
        {"ours": lambda: evaluate_block(SmithWaterman(), sequences, sequences), "rival": plain}, 3
    )
    name = "Smith-Waterman, 100² pairs, one core, against a loop"
    return [Result(name, runs["ours"], runs["rival"], None, rival_name="loop over parasail")]


@benchmark
def tangent_against_least_squares():
    """A literal twin, one least-squares problem for each pair, on fewer images."""
    from similearn.numerics.objects.tangent import TRANSFORMATIONS, smoothed, tangents

    images = np.random.default_rng(0).random((60, 16, 16))
    flat = smoothed(images, 0.9).reshape(60, -1)
    planes = tangents(images, 0.9, TRANSFORMATIONS).swapaxes(1, 2)

    def literal(i, j):
        difference = flat[i] - flat[j]
        solved = np.linalg.lstsq(planes[j], difference, rcond=None)[0]
        return np.linalg.norm(difference - planes[j] @ solved)

    start = time.perf_counter()
    expected = [[literal(i, j) for j in range(60)] for i in range(60)]
    seconds = time.perf_counter() - start
    model = TangentDistance(1)
    assert np.allclose(evaluate_block(model, images, images), expected, atol=1e-8)
    runs = best_of({"ours": lambda: evaluate_block(model, images, images)}, 3)
    name = "tangent distances, 1-sided, 60² pairs, against least squares"
    return [Result(name, runs["ours"], seconds, None, rival_name="numpy.linalg.lstsq")]
