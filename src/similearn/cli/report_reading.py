"""How the samples of a report are read, and the Python code that does the same."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from similearn.cli.options import block_options, column_names, label_source
from similearn.cli.samples import read_given
from similearn.errors import InputError

_USUAL = "error"  # of --missing and --repeated


@dataclass(frozen=True)
class Reading:
    """The options that say how files are read, as the shell gave them."""

    labels: str | None
    kind: Any
    part: str | None
    missing: Any
    column: str | None
    objects: str | None
    format: str | None
    score: str | None
    directed: bool | None
    repeated: Any
    similarity: list[str] | None
    features: list[Path] | None = None

    def words(self) -> dict[str, Any]:
        """Options and their values, but for those that are as usual."""
        told: dict[str, Any] = {}
        for one in fields(self):
            value = getattr(self, one.name)
            if value is not None and value != _USUAL and one.name != "directed":
                told[f"--{one.name}"] = value
        return told

    def read(self, files: Sequence[Path]) -> Any:
        """Samples of files: objects, a block or several."""
        return read_given(
            files, self.similarity, self.labels, self.column, self.objects, self.features,
            kind=self.kind, part=self.part, missing=self.missing, format=self.format,
            score=self.score, directed=self.directed, repeated=self.repeated,
        )  # fmt: skip

    def with_score_of(self, model: Any, files: Sequence[Path]) -> "Reading":
        """The same, with the score of lists of pairs that a model knows."""
        from similearn.experiments.things.scores_of_pairs import with_score_of

        given = {"format": self.format, "score": self.score}
        return replace(self, score=with_score_of(model, files[0], given)["score"])

    def read_for(self, model: Any, files: Sequence[Path]) -> Any:
        """Samples to judge a model on: its own, or new ones, which are read as by `predict`."""
        from similearn.experiments.things.judged_read import read_judged

        idle = {"similarity": self.similarity, "objects": self.objects}
        if model.what is None:
            idle["column"] = self.column
        for option, given in idle.items():
            if given:
                raise InputError(
                    f"--{option} says how objects are read and compared, which the model knows; "
                    "leave it out."
                )
        return read_judged(
            model, files, labels=label_source(self.labels), column=column_names(self.column),
            features=self.features or (), **self._block_options(),
        )  # fmt: skip

    def _block_options(self) -> dict[str, Any]:
        return block_options(
            self.kind, self.part, self.missing, format=self.format, score=self.score,
            directed=self.directed, repeated=self.repeated,
        )  # fmt: skip

    def keywords(self, *names: str) -> str:
        """Options as the readers of Python take them, each after a comma."""
        known = self._block_options()
        known |= {"labels": label_source(self.labels), "column": column_names(self.column)}
        known["what"] = self.objects
        told = {name: known[name] for name in names if known[name] not in (None, _USUAL)}
        return "".join(f", {name}={_spelled(value)}" for name, value in told.items())


_OF_BLOCKS = ("labels", "kind", "part", "missing", "format", "score", "directed", "repeated")
_OF_OBJECTS = ("labels", "column", "what", "format")


def report_code(
    reading: Reading,
    output: Path,
    options: dict[str, Any],
    samples: Any = None,
    files: Sequence[Path] | None = None,
    what: str | None = None,
) -> str:
    """Python code that writes the same report.

    Parameters
    ----------
    reading, options : how files are read, and the options of `write_report`
    samples, files : what was read, and from where; None without data
    what : the code of a model or a folder; None if the samples themselves are reported
    """
    loads = what is not None and what.startswith("load(")
    names = {"write_report"} | ({"load"} if loads else set())
    lines: list[str] = []
    own, given = "X", ""
    if loads and samples is not None and files:
        lines, own, given = _judged_code(reading, files, what)
        what = "model"
    elif samples is not None and files:
        lines, own, given = _samples_code(reading, samples, files, what is not None, names)
    if what is None and samples is not None and samples.learns:
        names.add("SimilarityClassifier")
        chosen = f"effort={options['effort']!r}, random_state={options['random_state']}"
        similarity = next(iter(samples.compare))
        lines.append(f"model = SimilarityClassifier(similarity={similarity!r}, {chosen})")
        lines.append("model.fit(data.objects, data.labels)")
        what = "model"
    given = given if what is None or samples is None else f", X={own}{given}"
    more = "".join(
        f", {name}={options[name]!r}"
        for name in ("title", "effort", "time_limit", "random_state")
        if options.get(name) is not None
    )
    lines.append(f"write_report({what or own}, {str(output)!r}{given}{more})")
    imports = [f"from similearn import {', '.join(sorted(names))}", ""]
    path = ["from pathlib import Path"] if any("Path(" in line for line in lines) else []
    return "\n".join([*path, *imports, *lines]) + "\n"


def _judged_code(
    reading: Reading, files: Sequence[Path], model: str | None
) -> tuple[list[str], str, str]:
    """Lines that read samples for a model, what they are called, and what else is told of them."""
    paths, tables = (
        f"[{', '.join(map(_spelled, some))}]" for some in (files, reading.features or ())
    )
    told = reading.keywords("column", *_OF_BLOCKS)
    told += f", features={tables}" * bool(reading.features)
    lines = ["from similearn.experiments.things.judged_read import read_judged", ""]
    lines += [f"model = {model}", f"data = read_judged(model, {paths}{told})"]
    return lines, "data.data", ", y=data.labels, names=data.ids"


def _samples_code(
    reading: Reading, samples: Any, files: Sequence[Path], judged: bool, names: set[str]
) -> tuple[list[str], str, str]:
    """Lines that read the samples, what they are called, and what else is told of them."""
    if samples.what is not None:
        return _objects_code(reading, samples, files[0], names)
    told = reading.keywords(*_OF_BLOCKS)
    if samples.tables:
        lines = ["from similearn.experiments.things.samples_read import read_samples", ""]
        paths = [_spelled(file) for file in files]
        tables = [_spelled(file) for file in reading.features or ()]
        call = f"read_samples([{', '.join(paths)}], features=[{', '.join(tables)}]{told})"
        return [*lines, f"data = {call}"], "data.data", ", y=data.labels, names=data.ids"
    names.add("read_pairwise")
    if len(files) == 1:
        return [f"data = read_pairwise({str(files[0])!r}{told})"], "data.block", ", y=data.labels"
    names.add("Sources")
    lines = [f"files = {[str(file) for file in files]!r}"]
    lines.append(f"data = [read_pairwise(file{told}) for file in files]")
    lines.append(f"blocks = Sources(dict(zip({list(samples.data)!r}, [d.block for d in data])))")
    return lines, "blocks", ", y=data[0].labels"


def _objects_code(
    reading: Reading, samples: Any, file: Path, names: set[str]
) -> tuple[list[str], str, str]:
    names.add("read_objects")
    lines = [f"data = read_objects({str(file)!r}{reading.keywords(*_OF_OBJECTS)})"]
    told = ", y=data.labels, names=data.ids"
    if not samples.compare or samples.learns:
        return lines, "data.objects", told
    similarities = list(samples.compare)
    made = f"PairwiseSimilarity({similarities[0]!r})"
    if len(similarities) > 1:
        made = f"SimilaritySources({ {name: name for name in similarities}!r})"
    names.add(made.partition("(")[0])
    lines.append(f"X = {made}.fit_transform(data.objects)")
    return lines, "X", f"{told}, objects=data.objects"


def _spelled(value: Any) -> str:
    if isinstance(value, Path):
        return f"Path({str(value)!r})"
    if isinstance(value, tuple):
        return f"({', '.join(map(_spelled, value))})"
    return repr(value)
