"""Machine code: never stale, kept where it can be, with a word where it takes long."""

import logging
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import pytest

import similearn
from similearn.numerics import compiling, kept_code

PACKAGE = Path(similearn.__file__).parent

ALL_CALLERS = """
import numpy as np
from similearn.numerics.pairs.far import Farness
from similearn.numerics.pairs.stump_trees import leaves, running_votes
from similearn.numerics.pairs.stumps import best_sign

D, far = np.array([[0.0, 1.0, 3.0], [3.0, 1.0, 0.0], [2.0, 2.0, 2.0]]), Farness(1.0, 1.0, False)
pair, half = np.array([[0, 1]]), np.array([0.5])
votes, stops = np.array([[[1.0], [2.0]]]), np.array([1])
print(leaves(D, far, pair, half).tolist())
print(running_votes(D[:, :2].copy(), far, pair[None], half[None], votes, stops).tolist())
weights, marked = np.array([[0.5], [0.25], [0.25]]), np.array([0, -1, 0])
print(best_sign(D, far, pair, np.arange(3), weights, marked).loss)
"""

LONG = """
from similearn.numerics import compiling
compiling._TOLD_AFTER = 0.0
from similearn.numerics.pairs.far import far_of

print(far_of(1.5, 1.0, 2.0, False), far_of(2, 1, 2, False))
print(far_of.for_callers(kept=True).stats.cache_path)
"""


GONE = """
import shutil
from similearn.numerics.kept_code import folder_of_code

shutil.rmtree(folder_of_code())
folder_of_code().write_text("no folder any more")
from similearn.numerics.pairs.far import far_of

print(far_of(1.5, 1.0, 2.0, False), far_of(2, 1, 2, False))
"""


@pytest.fixture
def package(tmp_path):
    """A copy of the package that may be changed, without machine code."""
    ignored = shutil.ignore_patterns("similearn-*")
    shutil.copytree(PACKAGE, tmp_path / "copy" / "similearn", ignore=ignored)
    return tmp_path / "copy" / "similearn"


def run(script, package, **environment):
    env = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    env |= {"PYTHONPATH": str(package.parent), **environment}
    command = [sys.executable, "-c", script]
    return subprocess.run(command, env=env, check=True, capture_output=True, text=True)


def compiled_files(folder):
    return {f: f.stat().st_mtime_ns for f in folder.rglob("*.nbc")}


def test_a_changed_function_is_seen_by_all_its_callers(package, tmp_path):
    """numba alone would go on with what it compiled of another file."""
    cache = tmp_path / "cache"
    before = run(ALL_CALLERS, package, NUMBA_CACHE_DIR=str(cache)).stdout
    kept = compiled_files(cache)

    file = package / "numerics" / "pairs" / "far.py"
    text = file.read_text()
    assert "sign * scale * entry" in text
    file.write_text(text.replace("sign * scale * entry", "-0.1 * sign * scale * entry"))
    after = run(ALL_CALLERS, package, NUMBA_CACHE_DIR=str(cache)).stdout
    for old, new in zip(before.splitlines(), after.splitlines(), strict=True):
        assert old != new
    both = compiled_files(cache)
    assert both.items() > kept.items()

    file.write_text(text)  # and back again: what was kept is still there
    assert run(ALL_CALLERS, package, NUMBA_CACHE_DIR=str(cache)).stdout == before
    assert compiled_files(cache) == both  # nothing was compiled again


def test_machine_code_is_kept_in_the_package_and_named_by_its_sources(package):
    done = run(LONG, package)
    folder = (
        package / "numerics" / "__pycache__" / f"similearn-{kept_code.stamp(PACKAGE / 'numerics')}"
    )
    assert done.stdout.startswith(f"3.0 4.0\n{folder}")
    assert "compiling for the first time" in done.stderr
    assert done.stderr.count("compiling") == 1  # once, though two signatures were compiled
    assert f"kept for later runs in {folder}" in done.stderr


def test_without_a_folder_to_write_to_nothing_is_kept(package, tmp_path):
    """As in a container whose package and home are read-only; also as root."""
    shutil.rmtree(package / "numerics" / "__pycache__", ignore_errors=True)
    (package / "numerics" / "__pycache__").write_text("not a folder")
    (tmp_path / "home").write_text("not a folder")
    home = {"HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": "", "PYTHONDONTWRITEBYTECODE": "1"}
    done = run(LONG, package, **home)
    assert done.stdout == "3.0 4.0\nNone\n"
    assert "not kept" in done.stderr and "NUMBA_CACHE_DIR" in done.stderr
    done = run(LONG, package, NUMBA_CACHE_DIR=str(tmp_path / "home" / "cache"))
    assert done.stdout == "3.0 4.0\nNone\n"


@pytest.mark.parametrize("before", [False, True], ids=["while it is made", "while it is saved"])
def test_a_folder_that_goes_meanwhile_ends_no_call(package, tmp_path, before):
    script = GONE
    if before:
        one = "from similearn.numerics.pairs.far import far_of\nfar_of.for_callers(kept=True)\n"
        script = one + GONE
    done = run(script, package, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert done.stdout == "3.0 4.0\n"


def test_machine_code_of_another_signature_is_not_used(package, tmp_path):
    """As it is found where two processes saved two signatures at the same moment."""
    cache = tmp_path / "cache"
    first = run(LONG, package, NUMBA_CACHE_DIR=str(cache)).stdout
    one, other = sorted(compiled_files(cache))
    content = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(content)
    assert run(LONG, package, NUMBA_CACHE_DIR=str(cache)).stdout == first
    one.write_bytes(content[:100])
    assert run(LONG, package, NUMBA_CACHE_DIR=str(cache)).stdout == first
    kept = compiled_files(cache)  # and what was wrong has been replaced
    assert run(LONG, package, NUMBA_CACHE_DIR=str(cache)).stdout == first
    assert compiled_files(cache) == kept


def test_processes_that_begin_together_agree(package, tmp_path):
    """As workers do, with nothing kept yet."""
    cache = str(tmp_path / "cache")
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(run, LONG, package, NUMBA_CACHE_DIR=cache) for _ in range(2)]
        answers = {done.result().stdout for done in runs}
    assert answers == {run(LONG, package, NUMBA_CACHE_DIR=cache).stdout}


def test_the_first_folder_that_can_be_written_is_taken(tmp_path):
    (tmp_path / "file").write_text("")
    bases = [tmp_path / "file", tmp_path / "file" / "below", tmp_path / "good", tmp_path / "later"]
    assert kept_code.cache_folder(bases, "similearn-1") == tmp_path / "good" / "similearn-1"
    assert not (tmp_path / "later").exists()
    assert kept_code.cache_folder(bases[:2], "similearn-1") is None


def test_old_folders_are_removed_but_for_the_newest_unused_or_in_use(tmp_path):
    now = time.time()
    for age in range(8):
        (tmp_path / f"similearn-{age}" / "room").mkdir(parents=True)
        used = now - (age if age < 6 else 10_000 * age)
        os.utime(tmp_path / f"similearn-{age}", (used, used))
    (tmp_path / "others").mkdir()
    os.utime(tmp_path / "others", (0, 0))
    assert kept_code.cache_folder([tmp_path], "similearn-0") is not None  # not new: all stay
    assert len(list(tmp_path.iterdir())) == 9
    assert kept_code.cache_folder([tmp_path], "similearn-new") is not None
    left = {folder.name for folder in tmp_path.iterdir()}
    assert left == {"others", "similearn-new", *(f"similearn-{age}" for age in range(6))}


def test_the_stamp_depends_on_every_source_on_numba_and_on_the_processor(tmp_path, monkeypatch):
    (tmp_path / "room").mkdir()
    (tmp_path / "one.py").write_text("a")
    (tmp_path / "room" / "two.py").write_text("b")
    stamps = [kept_code.stamp(tmp_path)]
    (tmp_path / "room" / "two.py").write_text("c")
    stamps.append(kept_code.stamp(tmp_path))
    (tmp_path / "room" / "two.py").rename(tmp_path / "room" / "three.py")
    stamps.append(kept_code.stamp(tmp_path))
    monkeypatch.setattr(numba, "__version__", "1000")
    stamps.append(kept_code.stamp(tmp_path))
    monkeypatch.setattr(numba.config, "CPU_NAME", "another")
    stamps.append(kept_code.stamp(tmp_path))
    monkeypatch.setattr(numba.config, "CPU_FEATURES", "+another")
    stamps.append(kept_code.stamp(tmp_path))
    assert len(set(stamps)) == 6 and None not in stamps
    assert kept_code.stamp(tmp_path / "nothing") is None


def test_what_compiling_takes_is_counted_and_told_once_while_it_lasts(caplog, monkeypatch):
    monkeypatch.setattr(compiling, "_clock", compiling._Clock())
    with caplog.at_level(logging.WARNING, logger="similearn"):
        with compiling._counted():
            spin()
        assert 0.01 <= compiling.compiling_seconds() < 1.0
        assert not caplog.messages
        monkeypatch.setattr(compiling, "_TOLD_AFTER", 0.0)
        with compiling._counted():
            spin()
        assert not caplog.messages  # what was kept is loaded, nothing is compiled
        compiling._clock.compiles = True
        for _ in range(2):
            with compiling._counted():
                while not caplog.messages:  # they come from another thread
                    spin()
    assert len(caplog.messages) == 1 and "first time" in caplog.messages[0]


def test_importing_compiles_nothing_and_processes_find_functions_by_name():
    script = (
        "import pickle, sys; from similearn.numerics.pairs.far import far_of; "
        "print('numba' in sys.modules, pickle.loads(pickle.dumps(far_of)) is far_of)"
    )
    assert run(script, PACKAGE).stdout == "False True\n"


def spin():
    start = time.thread_time()
    while time.thread_time() - start < 0.01:
        pass
