"""Headers above samples that come by standard input."""

import csv
import io

import numpy as np

from similearn.cli.app import run


def test_the_header_of_a_table_tells_the_order_of_its_lines(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    header, head = "id,width,length,group\n", "length;sample;width\n"
    rows = [f"s{i},{rng.random() + 9 * (i % 2):.3f},5.0,{'ab'[i % 2]}" for i in range(30)]
    (tmp_path / "t.csv").write_text(header + "\n".join(rows) + "\n")
    fit = "fit t.csv --labels group --objects numbers --similarity euclidean --method knn -o m"
    assert run(fit.split()) == 0

    def told(text, code=0):
        capsys.readouterr()
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        assert run(["predict", "m", "-"]) == code
        found = capsys.readouterr()
        return (
            [(row["id"], row["label"]) for row in csv.DictReader(io.StringIO(found.out))]
            if not code
            else found.err
        )

    assert told(head + "5.0;n0;9.3\n5.0;n1;0.3\n") == [("n0", "b"), ("n1", "a")]
    assert told("width length\nn0 9.3 5.0\n") == [("n0", "b")]  # R names no column of names
    assert told("n0,9.3,5.0\n0.3,5.0\n") == [("n0", "b"), ("2", "a")]
    assert "line 2: got 2 cells, expected 3 as in the header" in told(head + "5.0;9.3\n", 2)
    assert "line 2: expected 2 finite numbers" in told("n0,9.3,5\nid,width,length\n", 2)
