"""How the samples of a report are read, and the Python code that does the same."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from similearn.cli.options import block_options, column_names, label_source
from similearn.cli.samples import read_given

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
        """Samples as a model takes them: objects as it knows them, else blocks by its names."""
        from similearn.data import Sources
        from similearn.experiments.things.queries_read import read_queries
        from similearn.experiments.things.samples_read import Samples

        if model.what is not None:
            labels, column = label_source(self.labels), column_names(self.column)
            found = read_queries(model, files, labels=labels, column=column, format=self.format)
            return Samples(found.X, found.labels, found.ids, files[0].stem, what=model.what)
        samples = self.read(files)
        if self.missing == "fill" and model.sources is None and not samples.data.same_samples:
            found = read_queries(
                model, files, labels=label_source(self.labels), features=self.features or (),
                **self._block_options(),
            )  # fmt: skip
            return replace(samples, data=found.X, ids=found.ids, notes=found.notes)
        if model.sources is None or not isinstance(samples.data, Sources):
            return samples
        blocks = dict(zip(model.sources, samples.data.values(), strict=False))
        return replace(samples, data=Sources(blocks))

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
    names = {"write_report"} | ({"load"} if what and what.startswith("load(") else set())
    lines: list[str] = []
    own, given = "X", ""
    if samples is not None and files:
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
