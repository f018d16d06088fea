"""Commands that documentation tells people to type."""

import shlex

from similearn.cli.app import app
from similearn.experiments.registry import methods


def check_shell_lines(lines):
    """Calls of similearn name commands and methods that exist; returns how many calls."""
    commands = {command.name or command.callback.__name__ for command in app.registered_commands}
    calls = [shlex.split(line, comments=True) for line in lines if line.startswith("similearn ")]
    for call in calls:
        assert call[1] in commands, call
        for name in ("--method", "--methods"):
            if name in call:
                chosen = call[call.index(name) + 1].split(",")
                assert set(chosen) <= {method.name for method in methods()}, call
    return len(calls)
