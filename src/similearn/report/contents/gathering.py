"""Reports of data, of a comparison, of a model: what each of them can tell."""

import re
import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from similearn.data.diagnosis import diagnose
from similearn.errors import InputError, InputTypeError
from similearn.estimators.shell.explanation import texts_as_names
from similearn.experiments.comparisons.store import Record
from similearn.report.contents.block_pictures import pictures_of
from similearn.report.contents.judging import judged_samples
from similearn.report.contents.method_sheet import (
    mean_log_loss_of,
    methods_of_leaderboard,
    methods_of_records,
    methods_of_search,
    told_parameters,
)
from similearn.report.contents.model_facts import (
    kind_compared,
    learned_from_labels,
    method_name,
    on_blocks,
    square_block,
)
from similearn.report.contents.objects_shown import shown_objects, shown_references
from similearn.report.contents.scoring import (
    error_of,
    goodness_told,
    guessing,
    log_loss_of,
    ranked_findings,
)
from similearn.report.contents.sheets import Contents, Glance, Judged, Methods
from similearn.report.contents.suspects import groups_of, nearest_of, suspects_of
from similearn.report.made.papers import first_line, registered_name
from similearn.report.made.provenance import data_fingerprint, made_by
from similearn.selection import SimilarityClassifier
from similearn.similarities.shell.objects import count

NO_LABELS = "Without labels there are no methods, errors and reasons to show: give labels."
NO_DATA = "Without the data there is no map, no matrix and no sample to show: give the data too."


@dataclass(frozen=True)
class Asked:
    """What a report is asked for, besides the data.

    Parameters
    ----------
    title : above the report
    seed : of folds, of drawn samples and of the default classifier
    command, python : what repeats the report, in the shell and in Python
    effort, time_limit : of the default classifier, where a report has to fit it
    objects : the samples themselves, to be shown where X does not hold them
    notes : sentences on how the data were read
    """

    title: str = "Report"
    seed: int = 0
    command: str | None = None
    python: str = ""
    effort: str = "quick"
    time_limit: float | None = None
    objects: Any = None
    notes: Sequence[str] = ()


def contents_of_data(X: Any, y: Any, asked: Asked, names: Sequence[Any] | None = None) -> Contents:
    """What data are like and, with labels, what the default classifier makes of them."""
    sizes = np.unique([] if y is None else np.asarray(y), return_counts=True)[1]
    if len(sizes) < 2 or sizes.max() < 2:
        return _contents(None, X, y, asked, names)
    start = time.perf_counter()
    model = SimilarityClassifier(
        effort=asked.effort, time_limit=asked.time_limit, random_state=asked.seed
    ).fit(X, y)
    return _contents(model, X, y, asked, names, start)


def contents_of_model(
    model: Any,
    X: Any,
    y: Any,
    asked: Asked,
    names: Sequence[Any] | None = None,
    method: str | None = None,
) -> Contents:
    """How good a fitted model is, and why it decides as it does.

    Parameters
    ----------
    model : fitted classifier or search
    X, y : labelled samples, those that it was fitted to or others; None for the model alone
    asked : title, seed and so on
    names : of the samples; by default the ids of a block, or numbers from 0
    method : the registered name of the method
    """
    check_is_fitted(model)
    if X is not None and y is None:
        raise InputError("A report of a model needs the labels of the samples, y; got None.")
    if X is not None and asked.objects is None:
        asked = replace(asked, objects=X)
    if X is not None:
        model, X = on_blocks(model, X)
    return _contents(model, X, y, asked, names, method=method)


def contents_of_comparison(
    records: Sequence[Record],
    asked: Asked,
    X: Any = None,
    y: Any = None,
    names: Sequence[Any] | None = None,
) -> Contents:
    """Who wins a comparison, and whether it is luck; with the data, also what these are like."""
    if not records:
        raise InputError("The comparison has no results yet. Run `similearn compare` first.")
    methods = methods_of_records(records)
    best = next((line for line in methods.lines if line.error is not None), None)
    close = [line.name for line in methods.lines if line.mark == "close"]
    lowest = [line.name for line in methods.lines if line.mark == "best"]
    told = [] if best is None else [_told_lowest(lowest or [best.name])]
    if close:
        told.append(
            f"Not significantly worse: {', '.join(close)}. Between these, choose by log-loss, time "
            "or ease of explaining."
        )
    seeds = sorted({record.get("seed", 0) for record in records})
    versions = sorted({str(record.get("version", "")) for record in records})
    seconds = sum(r.get("fit_seconds", 0) + r.get("predict_seconds", 0) for r in records)
    splits = len({record["split"] for record in records})
    further = {"Random splits": str(splits), "Compared by": f"similearn {', '.join(versions)}"}
    made = made_by(
        method=None if best is None else best.name,
        seed=seeds[0],
        seconds=seconds,
        command=asked.command,
        python=asked.python,
        further=further,
    )
    n = max((r.get("n_train", 0) + r.get("n_test", 0) for r in records), default=0)
    glance = Glance(
        n=n,
        kind=None,
        recommendation=told,
        model=None if best is None else best.name,
        how=f"Mean over {splits} random splits." if best else None,
        error=None if best is None else best.error,
        log_loss=None if best is None else mean_log_loss_of(records, best.name),
    )
    if X is None:
        return Contents(asked.title, glance, made, methods=methods, left_out=[NO_DATA])
    data = _contents(None, X, y, asked, names)
    whole = replace(
        data.glance,
        recommendation=told,
        model=glance.model,
        how=glance.how,
        error=glance.error,
        log_loss=glance.log_loss,
    )
    return replace(data, glance=whole, made=made, methods=methods)


def _told_lowest(names: Sequence[str]) -> str:
    *others, last = names
    subject = f"{', '.join(others)} and {last} have" if others else f"{last} has"
    return f"{subject} the lowest error."


def _contents(
    model: Any,
    X: Any,
    y: Any,
    asked: Asked,
    names: Sequence[Any] | None,
    start: float | None = None,
    method: str | None = None,
) -> Contents:
    start = time.perf_counter() if start is None else start
    block = square_block(model, X)
    n = 0 if X is None else count(X)
    if names is None:
        names = _own_names(X if asked.objects is None else asked.objects, block, n)
    names = names_of(X if block is None else block, names, n)
    judged = None if model is None or X is None else judged_samples(model, X, y, names, asked.seed)
    classes, codes = (None, None) if y is None else np.unique(np.asarray(y), return_inverse=True)
    if judged is not None:
        classes, codes = judged.classes, judged.truth
    pictured_codes = codes if codes is None or codes.min(initial=0) >= 0 else None
    class_names = [] if classes is None else [visible(str(c)) for c in classes.tolist()]
    order = natural_order(class_names)
    pictures = None if block is None else pictures_of(block, pictured_codes, asked.seed, order)
    methods = _methods(model)
    glance = _glance(model, block, y, n, judged, methods)
    seconds = time.perf_counter() - start
    made = made_by(
        method=method or registered_name(model) or method_name(model),
        summary=first_line(model),
        told=" ".join(finding.advice for _, finding in glance.findings),
        seed=asked.seed,
        seconds=seconds,
        command=asked.command,
        python=asked.python,
        fingerprint=data_fingerprint(X, y),
    )
    gathered = Contents(
        title=asked.title,
        glance=glance,
        made=made,
        names=names,
        class_names=class_names,
        class_order=order,
        codes=codes,
        pictures=pictures,
        methods=methods,
        judged=judged,
        nearest=nearest_of(judged, block),
        suspicious=[] if judged is None else suspects_of(judged, block),
        objects=shown_objects(X if asked.objects is None else asked.objects),
        reference_objects=shown_references(model, judged),
        left_out=_left_out(X, y, block),
        notes=[*asked.notes, *_told_learned(model, block)],
    )
    return replace(gathered, groups=groups_of(gathered, block))


def natural_order(names: Sequence[str]) -> list[int]:
    """Positions of names as people order them: "class 2" before "class 10"."""

    def key(i: int) -> list[tuple[bool, int, str]]:
        parts = re.split(r"([0-9]{1,18})", names[i])
        return [(not p.isdecimal(), int(p) if p.isdecimal() else 0, p) for p in parts if p]

    return sorted(range(len(names)), key=key)


def _own_names(objects: Any, block: Any, n: int) -> list[str] | None:
    """Short texts name themselves, where samples have no ids: "mori" says more than 82."""
    if objects is None or getattr(block, "row_ids", None) is not None or hasattr(objects, "iloc"):
        return None
    texts = texts_as_names(objects)
    told = [] if texts is None else texts.tolist()
    return told if len(set(told)) == n and told == list(objects) else None


def names_of(X: Any, names: Sequence[Any] | None, n: int) -> list[str]:
    """Names of the samples: those given, ids of a block, an index, or numbers from 0."""
    if names is None:
        names = getattr(X, "row_ids", None)
    if names is None and hasattr(X, "iloc"):
        names = list(X.index)
    if names is None:
        return [str(i) for i in range(n)]
    unsized = not hasattr(names, "__len__") or getattr(names, "shape", None) == ()
    if isinstance(names, str) or unsized:
        kind = type(names).__name__
        raise InputTypeError(f"names is of type {kind}; expected a list of {n} names.")
    if len(names) != n:
        raise InputError(f"There are {len(names)} names for {n} samples; expected one each.")
    return [visible(str(name), f"(blank) {i}") for i, name in enumerate(names)]


def visible(name: str, instead: str = "(blank)") -> str:
    """A name, or what is written instead of one in which there is nothing to see."""
    seen = any(not c.isspace() and unicodedata.category(c) != "Cf" for c in name)
    return name if seen else instead


def _methods(model: Any) -> Methods | None:
    if hasattr(model, "leaderboard_"):
        return methods_of_leaderboard(model.leaderboard_.rows)
    if hasattr(model, "cv_results_") and hasattr(model, "best_index_"):
        return methods_of_search(model, str(method_name(model)))
    return None


def _glance(
    model: Any, block: Any, y: Any, n: int, judged: Judged | None, methods: Methods | None
) -> Glance:
    sizes, findings = None, []
    if y is not None:
        classes, counts = np.unique(np.asarray(y), return_counts=True)
        sizes = dict(zip(map(str, classes.tolist()), counts.tolist(), strict=True))
    if block is not None:
        more = goodness_told(block, np.asarray(y)) if y is not None else []
        findings = ranked_findings(diagnose(block, y), more)
    guess = (None, None, None) if sizes is None else guessing(list(sizes.values()))
    return Glance(
        n=n,
        kind=kind_compared(model) if block is None else block.kind,
        class_sizes=sizes,
        findings=findings,
        recommendation=_recommended(model, methods, judged, guess[0]),
        model=_told_model(model),
        how=None if judged is None else judged.how,
        error=None if judged is None else error_of(judged),
        log_loss=None if judged is None else log_loss_of(judged),
        majority_error=guess[0],
        chance_error=guess[1],
        prior_log_loss=guess[2],
    )


def _told_model(model: Any) -> str | None:
    if model is None:
        return None
    best = getattr(model, "best_params_", None)
    told = str(method_name(model)).replace("auto", "SimilarityClassifier")
    return f"{told} ({told_parameters(best)})" if best else told


def _recommended(
    model: Any, methods: Methods | None, judged: Judged | None, majority: float | None
) -> list[str]:
    if judged is None:
        some = "labels of several classes, and two samples of at least one of them,"
        wanted = "labels" if methods is None and majority is None else some
        return [f"Give {wanted} to learn which method suits these data."] if model is None else []
    error, told = error_of(judged), []
    if majority is not None and error.high < majority:
        told.append("The model tells clearly more than the class sizes do: use it.")
    elif majority is not None and error.low > majority:
        told.append("The model errs more than always naming the largest class: do not use it.")
    else:
        told.append("The model is not clearly better than always naming the largest class.")
    used = [] if methods is None else [line for line in methods.lines if line.weight]
    if used:
        heavy = sorted(used, key=lambda line: -(line.weight or 0.0))[:3]
        parts = ", ".join(f"{line.name} ({line.weight:.2f})" for line in heavy)
        told.append(f"It combines {len(used)} methods, above all {parts}.")
        told += _shares_of_sources(model)
    return told


def _shares_of_sources(model: Any) -> list[str]:
    """How much of a combination rests on each source, if there are several."""
    shares: dict[str, float] = {}
    for row in model.leaderboard_.rows:
        shares[row["source"]] = shares.get(row["source"], 0.0) + row["weight"]
    if len(shares) < 2:
        return []
    order = sorted(shares, key=lambda name: -shares[name])
    return [f"By source: {', '.join(f'{name} {100 * shares[name]:.0f} %' for name in order)}."]


def _told_learned(model: Any, block: Any) -> list[str]:
    """A sentence on pictures of similarities that know the labels; none of others."""
    if block is None or not learned_from_labels(model):
        return []
    return [
        "How samples are compared was learned from these very labels: on the map and in the matrix "
        "classes look further apart than they would be for new samples. The errors are honest: "
        "comparing was learned anew without the samples held out."
    ]


def _left_out(X: Any, y: Any, block: Any) -> list[str]:
    if X is None:
        return [NO_DATA]
    told = [] if y is not None else [NO_LABELS]
    if block is None:
        told.append(
            "There is no map and no matrix here: they need every sample compared with every other, "
            "and these were compared with the model's own samples alone."
        )
    return told
