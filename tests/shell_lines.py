"""Commands that documentation tells people to type."""

import shlex
from pathlib import Path

from similearn.cli.app import app
from similearn.experiments.registry import methods


def calls_of(lines):
    """Calls of similearn, each with what is piped into it: a printf, or a file."""
    for line in lines:
        before, _, command = line.rpartition("|") if "|" in line else ("", "", line)
        words = shlex.split(command, comments=True)
        if words[:1] == ["similearn"]:
            end = words.index(">>") if ">>" in words else len(words)
            yield words[1:end], shlex.split(before)


def piped(before):
    """What a printf prints, or what a file holds that another command reads."""
    if before[:1] == ["printf"]:
        return before[1].encode().decode("unicode_escape")
    return Path(before[-1]).read_text(encoding="utf-8") if before else ""


def quick(words):
    """The same command with less effort."""
    if words[0] == "compare":
        few = [] if "--methods" in words else ["--methods", "knn"]
        return [*words, "--splits", "2", *few]
    return [*words, "--effort", "quick"] if words[0] == "fit" and "--method" not in words else words


def check_shell_lines(lines):
    """Calls of similearn name commands and methods that exist; returns how many calls."""
    commands = {command.name or command.callback.__name__ for command in app.registered_commands}
    calls = [words for words, _ in calls_of(lines)]
    for call in calls:
        assert call[0] in commands, call
        for name in ("--method", "--methods"):
            if name in call:
                chosen = call[call.index(name) + 1].split(",")
                assert set(chosen) <= {method.name for method in methods()}, call
    return len(calls)
