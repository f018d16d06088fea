import json

import pytest

from similearn.errors import FileError, SimilearnWarning
from similearn.experiments.comparisons.store import ResultStore


def record(key, error=0.0, **fields):
    """A record as a comparison writes it."""
    return {
        "key": key,
        "problem": "p",
        "method": "knn",
        "split": 0,
        "error": error,
        "log_loss": None,
        "brier": None,
        "fit_seconds": 0.1,
        "predict_seconds": 0.1,
        "parameters": {},
        "converted": False,
        **fields,
    }


def filled(path, n=3):
    store = ResultStore(path)
    with store.open():
        for i in range(n):
            store.append(record(f"k{i}", i / 7))
    return store


def keys(store):
    with store.open() as records:
        return list(records)


def test_round_trip_keeps_numbers_to_the_last_bit(tmp_path):
    store = filled(tmp_path / "deep" / "results.jsonl")
    with store.open() as records:
        assert [records[f"k{i}"]["error"] for i in range(3)] == [i / 7 for i in range(3)]


def test_every_record_is_on_disk_at_once(tmp_path):
    store = ResultStore(tmp_path / "results.jsonl")
    with store.open():
        store.append(record("a"))
        assert json.loads(store.path.read_text()) == record("a")


@pytest.mark.parametrize("lost", [1, 2, 10])
def test_torn_last_line_is_dropped_and_work_goes_on(tmp_path, lost):
    store = filled(tmp_path / "results.jsonl")
    whole = store.path.read_bytes()
    store.path.write_bytes(whole[:-lost])
    with store.open() as records:
        assert list(records) == ["k0", "k1"]
        store.append(record("k2", 2 / 7))
    assert store.path.read_bytes() == whole


def test_last_line_of_zeros_is_dropped(tmp_path):
    store = filled(tmp_path / "results.jsonl")
    with store.path.open("ab") as file:
        file.write(b"\0" * 40)
    assert keys(store) == ["k0", "k1", "k2"]
    assert b"\0" not in store.path.read_bytes()


def test_damage_in_the_middle_names_the_line(tmp_path):
    store = filled(tmp_path / "results.jsonl")
    lines = store.path.read_text().splitlines(keepends=True)
    store.path.write_text(lines[0] + "not json\n" + lines[2])
    with pytest.raises(FileError, match=r"results\.jsonl, line 2 is not a result record"):
        keys(store)


def test_two_writers_at_once_are_refused(tmp_path):
    pytest.importorskip("fcntl")
    store = filled(tmp_path / "results.jsonl")
    with (
        store.open(),
        pytest.raises(FileError, match="another comparison is writing to it"),
        ResultStore(store.path).open(),
    ):
        pass


def test_appending_needs_an_open_store(tmp_path):
    with pytest.raises(RuntimeError, match="open store"):
        ResultStore(tmp_path / "results.jsonl").append({"key": "a"})


@pytest.mark.parametrize("content", ["hello\n", "a,b\n1,2\n", "hello", "[1, 2]\n", '{"a": 1}\n'])
def test_files_of_others_are_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "results.jsonl"
    path.write_text(content)
    with pytest.raises(FileError, match=r"not a (file of results|result record)"):
        keys(ResultStore(path))
    assert path.read_text() == content


def test_a_terminated_last_line_is_never_cut(tmp_path):
    store = filled(tmp_path / "results.jsonl")
    with store.path.open("ab") as file:
        file.write(b"my notes\n")
    whole = store.path.read_bytes()
    with pytest.raises(FileError, match="line 4 is not a result record"):
        keys(store)
    assert store.path.read_bytes() == whole


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"method": 3}, "method is a int"),
        ({"split": True}, "split is a bool"),
        ({"error": "much"}, "error is a str"),
        ({"error": 7}, r"error is not within \[0, 1\]"),
        ({"parameters": []}, "parameters is a list"),
        ({"warnings": [1]}, "warnings are no texts"),
        ({"tried": {"k": [1, 2], "error": [0.1]}}, "tried are no columns"),
        ({"tried": {"k": [1], "error": ["few"]}}, "tried are no columns"),
        ({"failure": None}, "failure is a NoneType"),
    ],
)
def test_damaged_records_are_named_and_passed_over(tmp_path, change, fault):
    store = filled(tmp_path / "results.jsonl")
    with store.path.open("ab") as file:
        file.write((json.dumps(record("bad", **change)) + "\n").encode())
    with pytest.warns(SimilearnWarning, match=rf"1 of 4 records .*line 4: {fault}"):
        assert keys(store) == ["k0", "k1", "k2"]
