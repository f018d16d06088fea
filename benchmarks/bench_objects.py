"""One new object against many references: from the object to its label."""

import time

import numpy as np
from sklearn.pipeline import make_pipeline

from benchmarks.harness import Result, benchmark
from benchmarks.names import make_names
from similearn import NeighborsClassifier, PairwiseSimilarity
from similearn.similarities import JaccardSets

N_REFERENCES, N_NEW, ALLOWED = 5000, 50, 5e-3


@benchmark
def one_object():
    """`predict` of one object after loading; the bar is told as the time that it would allow."""
    names, labels = make_names(N_REFERENCES + N_NEW)
    rng = np.random.default_rng(0)
    sets = [set(map(str, rng.integers(0, 300, 20))) for _ in names]
    bits = [set(map(int, rng.integers(0, 2048, 50))) for _ in names]
    rows = np.array(list("abcde"), dtype=object)[rng.integers(0, 5, (len(names), 16))]
    told = [
        ("levenshtein", "strings", names),
        ("ngrams", "strings", names),
        ("jaccard_sets", "sets of 20", sets),
        (JaccardSets(n_hashes=128), "sets of 20, MinHash", sets),
        ("tanimoto", "fingerprints of 2048 bits", bits),
        ("value_difference", "16 categories", rows),
        ("euclidean", "16 numbers", rng.normal(size=(len(names), 16))),
    ]
    return [_one_by_one(function, what, objects, labels) for function, what, objects in told]


def _one_by_one(function, what, objects, labels):
    model = make_pipeline(PairwiseSimilarity(function), NeighborsClassifier())
    model.fit(objects[:N_REFERENCES], labels[:N_REFERENCES])
    model.predict(objects[:1])  # compiles
    seconds = []
    for i in range(N_REFERENCES, N_REFERENCES + N_NEW):
        start = time.perf_counter()
        model.predict(objects[i : i + 1])
        seconds.append(time.perf_counter() - start)
    name = f"one of {what}, {getattr(function, 'name', function)}, {N_REFERENCES} references"
    return Result(
        name, float(np.median(seconds)), ALLOWED, 1, rival_name="5 ms allowed",
        notes={"slowest": max(seconds)},
    )  # fmt: skip
