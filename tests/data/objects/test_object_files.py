"""Objects from files: sequences, strings, sets, series, rows; and what is wrong with files."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from similearn import read_objects
from similearn.data.objects.objects_or_block import holds_objects
from similearn.data.objects.single_objects import LineReader
from similearn.errors import FileError, InputError

PROTEINS = {"p1": "MKVLLAWHE", "p2": "MKKWYPSTV", "p3": "GGAVLIP"}
FASTA = ">p1 first one OS=x\nMKVLL\nAWHE\n\n>p2\nMKKWYPSTV\n>p3\nGGAVLIP"


@pytest.fixture
def write(tmp_path):
    def writer(name, text):
        (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
        return tmp_path / name

    return writer


# --- sequences


@pytest.mark.parametrize("name", ["a.fasta", "a.faa", "a.txt", "a", "a.csv"])
def test_fasta_is_recognized_by_content(write, name):
    found = read_objects(write(name, FASTA))
    assert found.objects == list(PROTEINS.values())
    assert_array_equal(found.ids, list(PROTEINS))
    assert found.what == "sequences (protein)" and found.labels is None
    assert not found.labelled.any()
    objects, y = found
    assert objects is found.objects and y is None


def test_fasta_packed_windows_and_utf16(write):
    text = FASTA.replace("\n", "\r\n")
    for content in (gzip.compress(text.encode()), text.encode("utf-16"), text.encode("utf-8-sig")):
        assert read_objects(write("a.fasta", content)).objects == list(PROTEINS.values())


def test_biopython_writes_fasta_and_fastq(tmp_path):
    SeqIO = pytest.importorskip("Bio.SeqIO")
    from Bio.Seq import Seq
    from Bio.SeqRecord import SeqRecord

    rng = np.random.default_rng(0)
    sequences = ["".join(rng.choice(list("ACGT"), size=n)) for n in (5, 60, 61, 300)]
    records = [
        SeqRecord(Seq(s), f"r{i}", letter_annotations={"phred_quality": [30] * len(s)})
        for i, s in enumerate(sequences)
    ]
    for form in ("fasta", "fastq", "fasta-2line"):
        SeqIO.write(records, tmp_path / f"a.{form}", form)
        found = read_objects(tmp_path / f"a.{form}")
        assert found.objects == sequences
        assert_array_equal(found.ids, ["r0", "r1", "r2", "r3"])
        assert found.what == "sequences (dna)"


@pytest.mark.parametrize(
    ("sequence", "what"),
    [("ACGTNNacgt", "dna"), ("ACGUACGU", "rna"), ("MKVW*", "protein"), ("ACGTRYKM" * 3, "protein")],
)
def test_alphabets(write, sequence, what):
    assert read_objects(write("a.fa", f">a\n{sequence}\n")).what == f"sequences ({what})"


@pytest.mark.parametrize(
    ("text", "match", "error"),
    [
        (">a\nMKV\n>b\n>c\nMM\n", "line 3: the sequence 'b' is empty", FileError),
        (">a\nMKV\n>a x\nMM\n", "line 3: the id 'a' was on line 1 already", InputError),
        (">a\nMKV\n>\nMM\n", "line 3: there is no id", FileError),
        (
            ">a\nMKV\n>b\nM1M\n",
            r"line 3 \('b'\): the sequence holds '1'.*what='strings'",
            FileError,
        ),
        (
            f">a\nMKVW\n>b\nMWLE\n>c\n{'ACGT' * 10}\n",
            "line 5 .*looks like DNA, but most",
            FileError,
        ),
        (f">a\n{'ACGT' * 10}\n>b\n{'ACGA' * 10}\n>c\nMWE\n", "line 5 .*like protein", FileError),
        ("@a\nACGT\n+\nIII\n", "line 3: the record that begins on line 1 is truncated", FileError),
        ("@a\nACGT\n+\nIIII\nb\n", "line 5: expected '@' and an id, got 'b'", FileError),
    ],
)
def test_what_is_wrong_with_sequences(write, text, match, error):
    with pytest.raises(error, match=match):
        read_objects(write("a.fasta", text))


def test_sequences_as_strings(write):
    assert read_objects(write("a.fa", ">a\nM1V\n"), what="strings").what == "strings"


def test_labels_of_sequences_are_joined_by_id(write):
    path = write("a.fasta", FASTA)
    labels = write("families.tsv", "protein\tfamily\np3\tglobin\np1\tkinase\np9\tkinase\n")
    found = read_objects(path, labels=labels)
    assert found.labels.tolist() == ["kinase", None, "globin"]
    assert_array_equal(found.labelled, [True, False, True])
    assert "'p9'" in found.notes[0] and "1 of 3 samples have no label." in found.notes[1]


# --- lists and tables


def test_one_object_per_line(write):
    found = read_objects(write("names.txt", "Anna Maria\nBob, Jr.\n\n  Carl\n"))
    assert found.objects == ["Anna Maria", "Bob, Jr.", "Carl"] and found.what == "strings"
    assert found.ids is None
    found = read_objects(write("names.txt", "A\nB\nC\n"), labels=[1, 2, 1])
    assert_array_equal(found.labels, [1, 2, 1])
    found = read_objects(write("p.txt", "MKVLLAWHEMKVLLAWHE\nMKKWYPSTVMKKWYPSTV\n"))
    assert found.what == "sequences (protein)"


@pytest.mark.parametrize(
    "text",
    [
        "name\tlanguage\nAnna\tit\nBob\ten\nZoe\ten\nYan\tit\n",
        "language\tname\nit\tAnna\nen\tBob\nen\tZoe\nit\tYan\n",
    ],
)
def test_labels_by_the_name_of_a_column(write, text):
    found = read_objects(write("a.tsv", text), labels="language")
    assert found.objects == ["Anna", "Bob", "Zoe", "Yan"]
    assert_array_equal(found.labels, ["it", "en", "en", "it"])


@pytest.mark.parametrize("header", ["id\tlabel\tname", "ID\tclass\tName", "sample\tlabel\tname"])
def test_names_beside_ids_are_what_is_compared(write, header):
    found = read_objects(write("a.tsv", f"{header}\n1\tit\tAnna\n2\ten\tBob\n3\ten\tZoe\n"))
    assert found.objects == ["Anna", "Bob", "Zoe"] and found.what == "strings"
    assert_array_equal(found.ids, ["1", "2", "3"])
    assert_array_equal(found.labels, ["it", "en", "en"])


def test_it_is_said_which_column_was_taken_for_what(write):
    path = write("a.csv", "name,label,note\nAnna,it,x\nBob,en,y\nZoe,en,x\n")
    roles = "objects from `note`; labels from `label`; ids from `name`. Another: column='NAME'."
    assert read_objects(path).notes == (f"{path}: {roles}",)
    found = read_objects(path, column="name")
    assert found.notes == (f"{path}: objects from `name`; labels from `label`; not used: `note`.",)
    assert found.headings == ("name", "note")
    path = write("b.csv", "Anna,it\nBob,en\nZoe,en\nYan,it\n")
    told = "without a header: objects from column 1; labels from column 2."
    assert read_objects(path).notes == (f"{path}, {told}",)


def test_the_index_of_a_frame_is_no_object(tmp_path):
    pytest.importorskip("pyarrow")
    table = pd.DataFrame({"name": ["Anna", "Bob", "Zoe"], "label": ["it", "en", "en"]})
    table.iloc[[2, 0, 1]].to_parquet(tmp_path / "a.parquet")
    table.to_csv(tmp_path / "a.csv")
    pd.read_csv(tmp_path / "a.csv").to_csv(tmp_path / "b.csv")
    for file in ("a.parquet", "a.csv", "b.csv"):
        found = read_objects(tmp_path / file)
        assert sorted(found.objects) == ["Anna", "Bob", "Zoe"] and found.what == "strings"
        assert sorted(found.ids) == ["0", "1", "2"]
    table.assign(id=["a", "b", "c"]).to_csv(tmp_path / "c.csv")
    assert_array_equal(read_objects(tmp_path / "c.csv").ids, ["a", "b", "c"])


def test_a_line_of_usual_headings_is_a_header(write):
    rows = "Anna,it\nBob,en\nZoe,en\nYan,it\n"
    found = read_objects(write("a.csv", f"species,family\n{rows}"))
    assert len(found) == 4 and found.columns == ("species", "family")


def test_labels_are_words_or_numbers(write):
    text = '{"text": "Anna", "meta": {"lang": "it"}}\n'
    with pytest.raises(FileError, match=r"line 1: the label \(column 'meta'\) is a dict"):
        read_objects(write("a.jsonl", text), labels="meta")


@pytest.mark.parametrize(
    ("rows", "labels"),
    [
        (["it,Anna", "en,Bob", "en,Zoe", "it,Yan"], None),
        (["1,Anna,it", "2,Bob,en", "3,Zoe,en", "4,Yan,it"], None),
        (["1,it,Anna", "2,en,Bob", "3,en,Zoe", "4,it,Yan"], None),
        (["Anna,it", "Bob,en", "Zoe,en", "Yan,it"], "2"),
    ],
)
def test_places_of_objects_and_labels_without_header(write, rows, labels):
    found = read_objects(write("a.csv", "\n".join(rows)), labels=labels)
    assert found.objects == ["Anna", "Bob", "Zoe", "Yan"]
    assert_array_equal(found.labels, ["it", "en", "en", "it"])


def test_numbers_before_labels_without_header(write):
    found = read_objects(write("a.csv", "5.1,3.5,setosa\n4.9,3.1,setosa\n6,2,x\n6.1,2,x\n"))
    assert_array_equal(found.objects, [[5.1, 3.5], [4.9, 3.1], [6, 2], [6.1, 2]])
    assert_array_equal(found.labels, ["setosa", "setosa", "x", "x"])


def test_tables_without_header(write):
    found = read_objects(write("a.tsv", "Anna\tit\nBob\ten\nZoe\ten\nYan\tit\n"))
    assert found.objects == ["Anna", "Bob", "Zoe", "Yan"]
    assert_array_equal(found.labels, ["it", "en", "en", "it"])
    found = read_objects(write("a.csv", "n1,Anna\nn2,Bob\n"))
    assert found.objects == ["Anna", "Bob"] and found.ids.tolist() == ["n1", "n2"]
    found = read_objects(write("a.csv", "n1,it,Anna\nn2,it,Bob\nn3,en,Eve\nn4,en,Al\n"))
    assert found.objects == ["Anna", "Bob", "Eve", "Al"] and found.labels[2] == "en"
    found = read_objects(write("a.csv", "n1,1,2.5\nn2,3,4\n"))
    assert_array_equal(found.objects, [[1, 2.5], [3, 4]])
    assert found.what == "numbers" and found.ids.tolist() == ["n1", "n2"]


def test_tables_of_features(write):
    found = read_objects(write("a.csv", "id,h,w,label\na,1,2,x\nb,3,4,NA\n"))
    assert_array_equal(found.objects, [[1, 2], [3, 4]])
    assert found.what == "numbers" and found.columns == ("h", "w")
    assert found.labels.tolist() == ["x", None]
    found = read_objects(write("a.csv", "id,colour,w,class\na,red,2,x\nb,blue,4,y\n"))
    assert found.what == "categories"
    assert found.objects.tolist() == [["red", "2"], ["blue", "4"]]
    found = read_objects(write("a.csv", "id,h,w,d\na,1,2,7\nb,3,4,8\n"), column=["w", "d"])
    assert_array_equal(found.objects, [[2, 7], [4, 8]])


def test_smiles_sets_and_series(write):
    found = read_objects(write("a.csv", "smiles,label\nCCO,1\nc1ccccc1,2\n"))
    assert found.what == "smiles" and found.objects == ["CCO", "c1ccccc1"]
    found = read_objects(write("a.txt", "a b c\nb d\n"), what="sets")
    assert found.objects == [frozenset("abc"), frozenset("bd")]
    found = read_objects(write("a.txt", "1,2,3\n4,5\n"), what="series")
    assert [one.tolist() for one in found.objects] == [[1, 2, 3], [4, 5]]
    with pytest.raises(FileError, match="object 2: expected finite numbers"):
        read_objects(write("a.txt", "1,2,3\n4,x\n"), what="series")
    with pytest.raises(FileError, match="rows have 2 to 3 numbers"):
        read_objects(write("a.txt", "1 2 3\n4 5\n"), what="numbers")


@pytest.mark.parametrize("form", ["jsonl", "parquet", "csv"])
def test_tables_as_pandas_writes_them(tmp_path, form):
    table = pd.DataFrame(
        {"id": ["a", "b", "c"], "label": ["x", None, "y"], "text": ["one", "two words", "thr,ee"]}
    )
    path = tmp_path / f"a.{form}"
    if form == "jsonl":
        table.to_json(path, orient="records", lines=True)
    elif form == "csv":
        table.to_csv(path, index=False)
    else:
        pytest.importorskip("pyarrow")
        table.to_parquet(path)
    found = read_objects(path)
    assert found.objects == ["one", "two words", "thr,ee"] and found.what == "strings"
    assert found.ids.tolist() == ["a", "b", "c"] and found.labels.tolist() == ["x", None, "y"]


def test_lists_in_json(write):
    def lines(*rows):
        return "".join(json.dumps(row) + "\n" for row in rows)

    assert read_objects(write("a.jsonl", lines("ab", "c"))).objects == ["ab", "c"]
    found = read_objects(write("a.jsonl", lines(["a", "b"], ["c"])))
    assert found.what == "sets" and found.objects == [{"a", "b"}, {"c"}]
    found = read_objects(write("a.jsonl", lines([1, 2], [3])))
    assert found.what == "series" and found.objects[0].tolist() == [1, 2]
    found = read_objects(write("a.jsonl", lines({"series": [1, 2]}, {"series": [3, 4]})))
    assert found.what == "series"
    found = read_objects(write("a.jsonl", lines({"x": [1, 2]}, {"x": [3, 4]})))
    assert found.what == "numbers" and found.objects.shape == (2, 2)


@pytest.mark.parametrize(
    ("name", "text", "match"),
    [
        ("a.csv", "id,text\na,x\nb\n", "line 3: got 1 cells, expected 2 as on line 1"),
        ("a.csv", "id,text\na,x\na,y\n", "line 3: the id 'a' was on line 2 already"),
        ("a.csv", "id,text\na,x\nb,\n", "line 3: the object is empty"),
        ("a.csv", "id,text,text\na,x,y\n", "line 1: two columns are called 'text'"),
        ("a.csv", "id,text\n", "header .* but no rows"),
        ("a.csv", "id,h,w\na,1,2\nb,3,\n", "line 3, column 'w': '' is not a finite number"),
        ("a.jsonl", '{"text": "a"}\n{"text": \n', "line 2: this is no JSON"),
        ("a.jsonl", '{"text": "a"}\n{"text": "b", "x": 1}\n', "line 2: the field 'x' is not on"),
        ("a.jsonl", '{"text": "a"}\n{"text": 3}\n', "mixes types"),
        ("a.txt", " \n", "is empty"),
        ("a.parquet", b"PAR1 and nothing else", "a.parquet"),
    ],
)
def test_what_is_wrong_with_tables(write, name, text, match):
    if name == "a.parquet":
        pytest.importorskip("pyarrow")
    with pytest.raises((FileError, InputError), match=match) as caught:
        read_objects(write(name, text))
    assert name in str(caught.value)


def test_options_are_checked(write):
    path = write("a.csv", "id,text\na,x\nb,y\n")
    with pytest.raises(InputError, match="what='things' is unknown"):
        read_objects(path, what="things")
    with pytest.raises(InputError, match="format='docx' is unknown"):
        read_objects(path, format="docx")
    with pytest.raises(FileError, match=r"no column 'txt'; it has id, text"):
        read_objects(path, column="txt")
    with pytest.raises(FileError, match=r"labels='family' is neither a column .*nor a file"):
        read_objects(path, labels="family")
    with pytest.raises(InputError, match="cannot be read as 'sets'"):
        read_objects(write("b.csv", "id,h,w\na,1,2\nb,3,4\n"), what="sets")
    with pytest.raises(FileError, match="does not exist"):
        read_objects(path.with_name("nothing.fasta"))


def test_a_name_that_promises_fasta(write):
    path = write("a.fasta", "hello world\nthis is text\n")
    with pytest.raises(FileError, match=r"a\.fasta, line 1: the name says FASTA .* got 'hello"):
        read_objects(path)
    assert len(read_objects(path, format="list").objects) == 2


# --- objects or a matrix


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        ("id,group,name\n001,it,Anna\n002,en,Bob\n", True),  # ids may be numbers
        ("name,label\nAnna,1\nBob,2\n", True),  # and labels
        ("title,type,year\nAnna,it,1990\nBob,en,1991\n", True),
        ("id,label,a,b\na,x,0,1\nb,y,1,0\n", False),
        (";a;b\na;0,0;0,5\nb;0,5;0,0\n", False),  # ";" begins no FASTA here
        ("001 002\n001 1.0 0.5\n002 0.5 1.0\n", False),  # as R writes it
    ],
)
def test_what_is_a_table_of_objects(write, text, objects):
    assert holds_objects(write("a.txt" if " " in text else "a.csv", text)) == objects


# --- sequences in small letters, and with gaps


def test_small_letters_of_sequences_are_no_other_letters(write):
    found = read_objects(
        write("a.fa", ">a\nACGTacgtACGT\n>b\nACGTACGTACGT\n>c\nACGTACGTACGT-ACGT\n")
    )
    assert found.objects[0] == found.objects[1] == "ACGTACGTACGT"
    assert found.notes == (
        "1 sequences have small letters; they were read as capitals.",
        "1 sequences have gaps (- or .), which count as letters.",
    )
    lines = ["acgtACGT", ">x", "acgt", "ACGT"]
    told = list(LineReader("sequences (dna)", None, 0).objects(lines))
    assert told == [(None, "ACGTACGT"), ("x", "ACGTACGT")]


@pytest.mark.parametrize("indent", [None, 2])
def test_one_array_of_json_objects(write, indent):
    rows = [{"name": f"n{i}" * 20, "label": "ab"[i % 2]} for i in range(1000)]
    found = read_objects(write("a.json", json.dumps(rows, indent=indent)))
    assert found.objects == [row["name"] for row in rows]
    assert_array_equal(found.labels, [row["label"] for row in rows])
    with pytest.raises(FileError, match="no JSON"):
        read_objects(write("b.json", '[{"name": "a"},\n{"name": "b"}'))


@pytest.mark.parametrize("first", ["# my names", "name", "id label name"])
def test_a_list_that_begins_like_a_table_is_told(write, first):
    path = write("a.txt", f"{first}\nAnna\nBob\n")
    assert read_objects(path).notes == (
        f"{path}: one object on each line, the first is {first!r}.",
    )
    assert read_objects(write("b.txt", "Anna\nBob\n")).notes == ()
