import json

import pytest

from similearn.errors import FileError
from similearn.experiments.comparisons.store import ResultStore


def filled(path, n=3):
    store = ResultStore(path)
    with store.open():
        for i in range(n):
            store.append({"key": f"k{i}", "error": i / 7})
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
        store.append({"key": "a"})
        assert json.loads(store.path.read_text()) == {"key": "a"}


@pytest.mark.parametrize("lost", [1, 2, 10])
def test_torn_last_line_is_dropped_and_work_goes_on(tmp_path, lost):
    store = filled(tmp_path / "results.jsonl")
    whole = store.path.read_bytes()
    store.path.write_bytes(whole[:-lost])
    with store.open() as records:
        assert list(records) == ["k0", "k1"]
        store.append({"key": "k2", "error": 2 / 7})
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
