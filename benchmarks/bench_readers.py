"""Readers: sequences, a table of numbers, and an edge list of 30 million lines."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.harness import Result, benchmark, best_of
from similearn import read_objects, read_pairwise

N_SEQUENCES = 20_000
N_CELLS = 5000
N_SAMPLES, N_PARTNERS = 20_000, 1500

_READ_PAIRS = """
import json, resource, sys, time
from similearn import read_pairwise
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
start = time.process_time()
block = read_pairwise(sys.argv[1], kind="dissimilarity").block
told = {"seconds": time.process_time() - start, "stored": int(block.values.nnz)}
told["bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps(told))
"""


@benchmark
def readers_fasta():
    """The bar, one second for 20,000 proteins, is told as the time that it allows."""
    rng = np.random.default_rng(0)
    letters = np.array(list("ARNDCQEGHILKMFPSTWYV"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "proteins.fasta"
        with open(path, "w") as out:
            for i in range(N_SEQUENCES):
                text = "".join(rng.choice(letters, size=rng.integers(100, 600)))
                lines = "\n".join(text[k : k + 60] for k in range(0, len(text), 60))
                out.write(f">sp|{i:05d}|X a protein\n{lines}\n")
        runs = best_of({"ours": lambda: read_objects(path)}, 3)
        assert len(read_objects(path)) == N_SEQUENCES
    name = f"FASTA, {N_SEQUENCES:,} proteins"
    return [Result(name, runs["ours"], 1.0, 1, rival_name="one second")]


@benchmark
def readers_csv():
    """A square CSV with ids; pandas may be twice as fast."""
    import pandas as pd

    rng = np.random.default_rng(0)
    ids = [f"s{i}" for i in range(N_CELLS)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "block.csv"
        frame = pd.DataFrame(rng.random((N_CELLS, N_CELLS)).round(6), ids, ids)
        frame.to_csv(path)
        found = read_pairwise(path, kind="similarity").block
        assert np.array_equal(found.values, frame.to_numpy())
        runs = best_of(
            {
                "ours": lambda: read_pairwise(path, kind="similarity"),
                "rival": lambda: pd.read_csv(path, index_col=0),
            },
            2,
        )
    name = f"CSV, {N_CELLS} × {N_CELLS}"
    return [Result(name, runs["ours"], runs["rival"], 2, higher=False, rival_name="pandas")]


@benchmark
def readers_pairs():
    """30 million pairs, each listed once, in a process of its own: processor time and memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.tsv"
        tails = [f"\ts{j:05d}\t0.{j * 7919 % 999983:06d}\n" for j in range(N_SAMPLES)]
        tails += tails[:N_PARTNERS]
        with open(path, "w") as out:
            for i in range(N_SAMPLES):
                out.write(f"s{i:05d}".join(["", *tails[i + 1 : i + 1 + N_PARTNERS]]))
        run = subprocess.run(
            [sys.executable, "-c", _READ_PAIRS, str(path)], capture_output=True, check=True
        )
    told = json.loads(run.stdout)
    assert told["stored"] == 2 * N_SAMPLES * N_PARTNERS + N_SAMPLES
    name = f"edge list, {N_SAMPLES * N_PARTNERS:,} lines"
    return [
        Result(f"{name}, time", told["seconds"], 60.0, 1, rival_name="a minute"),
        Result(f"{name}, memory", told["bytes"], 2e9, 1, unit="bytes", rival_name="2 GB"),
    ]
