"""Command lines: sound and unsound options and paths, in a folder of sound and unsound files."""

import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from similearn.cli.app import run
from tests.fuzz.drawing import Draw
from tests.fuzz.models import model_bytes, problem
from tests.fuzz.mutations import damaged
from tests.fuzz.outcomes import BrokenPromise
from tests.fuzz.seed_files import FORMATS, seeds

METHODS = ("knn", "affinity-knn", "sda")
MENDABLE = 2


def play(d: Draw) -> str:
    """Give one command."""
    prepare(d)
    arguments = d.named(COMMANDS)
    d.tell(" ".join(arguments)[:300])
    out, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(errors), _input(d.pick(INPUTS)):
        code = run(arguments)
    judge(code, arguments[0] if arguments else "", out.getvalue(), errors.getvalue())
    return "ok" if code == 0 else "sentence"


@contextmanager
def _input(content: bytes) -> Iterator[None]:
    """Give this to whatever reads standard input."""
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(content), encoding="utf-8")
    try:
        yield
    finally:
        sys.stdin = before


INPUTS = (b"", b"anna\n", b"1,2\n", b"\xe9\n", bytes(range(256)), b"\0\n\n", b"a\tb\r\n", b">x\nAC")


def judge(code: Any, command: str, out: str, errors: str) -> None:
    """Refuse tracebacks, own faults, escapes of labels, and what was left behind."""
    told = (errors or out)[-600:]
    if "Traceback" in out + errors:
        raise BrokenPromise("internal", f"traceback of {command}", told)
    if code not in (0, MENDABLE):
        where = errors.split(":")[1][:40] if ":" in errors else ""
        raise BrokenPromise("internal", f"exit code {code} of {command}:{where}", told)
    if code == MENDABLE and not (errors + out).strip():
        raise BrokenPromise("unreadable", f"no message of {command}")
    if "\x1b[31m" in out + errors:
        raise BrokenPromise("unreadable", f"escapes of a file in what {command} prints", told)
    if "Warning:" in errors and ".py:" in errors:
        raise BrokenPromise("warning", f"foreign warning of {command}", told)
    left = [p.name for p in Path().rglob(".*") if p.name not in HIDDEN]
    if left:
        raise BrokenPromise("left behind", f"by {command}", ", ".join(left))


HIDDEN = (".hidden.csv",)


def prepare(d: Draw) -> None:
    """Fill the folder."""
    block, y = problem()
    S = block.values
    np.savez("good.npz", S=S, y=y)
    np.savez("other.npz", D=9 * (1 - S), y=y)
    np.savez("queries.npz", S=S[:4])
    np.save("bare.npy", S)
    for name, values in LABELS.items():
        Path(name).write_bytes(values(len(y)))
    Path("model").write_bytes(model_bytes(d.pick(["knn", "sda"])))
    Path("damaged.model").write_bytes(damaged(d, model_bytes("knn")))
    name = d.pick([name for names in FORMATS.values() for name in names if " " not in name])
    Path(f"damaged{name[name.index('.') :]}").write_bytes(damaged(d, seeds(name)))
    Path("empty.csv").touch()
    Path("folder").mkdir()
    Path("ours").mkdir()
    Path("ours/results.jsonl").write_bytes(d.pick(RESULTS))
    for name in STRANGE_NAMES:
        os.link("good.npz", name)
    os.symlink("good.npz", "link.npz")
    os.symlink("nowhere.npz", "broken.npz")
    _device("null", 3)
    _device("full", 7)


@cache
def _devices() -> bool:
    return os.geteuid() == 0


def _device(name: str, number: int) -> None:
    """A device of our own: what replaces it harms nobody."""
    if not _devices():
        return
    try:
        os.mknod(name, stat.S_IFCHR | 0o666, os.makedev(1, number))
    except OSError:
        Path(name).mkdir()


LABELS = {
    "bare.labels.csv": lambda n: b"".join(b"class %d\n" % (i % 2) for i in range(n)),
    "escapes.txt": lambda n: b"".join(b"\x1b[31m%d\n" % (i % 2) for i in range(n)),
    "formulas.txt": lambda n: b"".join(b"=1+%d\n" % (i % 2) for i in range(n)),
    "fractions.txt": lambda n: b"".join(b"%d.5\n" % (i % 2) for i in range(n)),
    "latin1.txt": lambda n: "é\nü\n".encode("latin1") * (n // 2),
    "one.txt": lambda n: b"a\n" * n,
    "each.txt": lambda n: b"".join(b"%d\n" % i for i in range(n)),
    "few.txt": lambda n: b"a\nb\n",
    "long.txt": lambda n: b"".join(b"%d" % (i % 2) * 100_000 + b"\n" for i in range(n)),
}
RESULTS = (
    b"",
    b"hello\n",
    b'{"key": 1}\n',
    b'{"key": "x"}\n{"key": "y", "method": "knn"}\n',
    b"[1]\n",
    b"null\n",
    b"\xff\xfe\n",
    b'{"key": "x", "err',
    b'{"key": []}\n',
)
# Of files that are sound but for their names: bytes that are no UTF-8, and 255 of them.
STRANGE_NAMES = (os.fsdecode(b"\xff\xfe.npz"), "x" * 251 + ".npz", "a\nb.npz", "[b]x[red].npz")
FILES = ("good.npz", "good.npz", "good.npz", "other.npz", "bare.npy", "link.npz", "queries.npz")
STRANGE_FILES = (
    *STRANGE_NAMES,
    *("folder", "nowhere.npz", "empty.csv", "broken.npz", "model", "", ".", "/", "one.txt"),
    *(
        "x" * 300 + ".npz",
        "good.npz/x.npz",
        "\x1b[31m.npz",
        "-",
        "~",
        "null",
        "a\nb.csv",
        "..",
        "*",
    ),
)
OUTPUTS = ("out", "out.csv", "new/folder/out", "ours")
STRANGE_OUTPUTS = (
    *("folder", "good.npz", "good.npz/out", "full", "null", "x" * 300, "", ".", "/proc/out"),
    *("link.npz", "broken.npz", "/nowhere/\0", "-", "\x1b[31m", "a\nb"),
)
STRANGE_WORDS = ("", "x", "-1", "0", "1.5", "nan", "9" * 30, "\x1b[31m", "--", "a" * 5000, "é")


def _file(d: Draw) -> str:
    if d.fault(0.3):
        return d.pick([*STRANGE_FILES, *(p.name for p in Path().glob("damaged*"))])
    return d.pick(FILES)


def _options(d: Draw, **fair: tuple[str, ...]) -> list[str]:
    """Some options, with fair or strange values."""
    words = []
    for name, values in fair.items():
        if d.chance(0.4):
            value = d.pick(STRANGE_WORDS) if d.fault(0.3) else d.pick(values)
            words += [f"--{name}", value] if d.chance(0.8) else [f"--{name}={value}"]
    if d.fault(0.1):
        words.append(d.pick(["--nonsense", "-x", "extra", "--force", "--help", "-o", "--version"]))
    return words


def _output(d: Draw, needed: bool) -> list[str]:
    if not needed and d.chance(0.3):
        return []
    return ["-o", d.pick(STRANGE_OUTPUTS) if d.fault(0.5) else d.pick(OUTPUTS)]


LABEL_FILES = tuple(LABELS)
DATA = {
    "labels": LABEL_FILES,
    "kind": ("similarity", "dissimilarity"),
    "missing": ("error", "zero"),
    "part": ("S", "train"),
}


def _inspect(d: Draw) -> list[str]:
    return ["inspect", _file(d), *_options(d, **DATA), *_output(d, False)]


def _compare(d: Draw) -> list[str]:
    methods = d.pick(METHODS) if not d.fault(0.2) else d.pick([",", "knn,,", "all", "knn,knn", ""])
    jobs = d.pick(["1", "1", "1", "2", "-1"]) if not d.fault(0.3) else d.pick(["0", "-99", "x"])
    more = _options(d, **DATA, seed=("0", "7"))
    splits = d.pick(["1", "2"]) if not d.fault(0.2) else d.pick(["0", "-1", "x", "1.5"])
    own = ["--methods", methods, "--jobs", jobs, "--splits", splits]
    return ["compare", _file(d), *own, *more, *_output(d, False)]


def _fit(d: Draw) -> list[str]:
    method = d.pick(METHODS) if not d.fault(0.2) else d.pick(STRANGE_WORDS)
    force = ["--force"] if d.chance(0.4) else []
    more = _options(d, **DATA, seed=("0", "7"))
    return ["fit", _file(d), "--method", method, *more, *_output(d, True), *force]


def _predict(d: Draw) -> list[str]:
    model = "model" if not d.fault(0.4) else d.pick(["damaged.model", *STRANGE_FILES])
    force = ["--force"] if d.chance(0.4) else []
    more = _options(d, kind=DATA["kind"], part=DATA["part"])
    file = _file(d) if d.chance(0.5) else d.pick(["queries.npz", "queries.npz", "-"])
    return ["predict", model, file, *more, *_output(d, True), *force]


def _reproduce(d: Draw) -> list[str]:
    table = d.pick(["--list", "--list", "x", ""])  # a table itself takes minutes
    more = _options(d, data=("folder", "nowhere", "good.npz"), shard=("1/2", "3/2", "x"))
    return ["reproduce", table, *more, *_output(d, False)]


def _words(d: Draw) -> list[str]:
    known = ["inspect", "fit", "methods", "--version", "--help", "good.npz", "-o", *STRANGE_WORDS]
    return [d.pick(known) for _ in range(d.pick([0, 1, 2, 4]))]


COMMANDS = {
    "inspect": _inspect,
    "compare": _compare,
    "fit": _fit,
    "predict": _predict,
    "predict again": _predict,
    "reproduce": _reproduce,
    "words": _words,
}
