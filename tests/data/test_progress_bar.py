"""The progress bar: long work only, and only where somebody looks."""

from contextlib import contextmanager, redirect_stderr

import pytest

from similearn.data import progress_bar as module
from similearn.data.progress_bar import progress
from similearn.errors import InputError


class Terminal:
    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text

    def flush(self):
        pass

    def isatty(self):
        return True


def run(show, steps=5):
    """Work that reports every step."""
    with progress(steps, "Comparing", show=show) as advance:
        for _ in range(steps):
            advance(1)


@contextmanager
def on_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    with redirect_stderr(Terminal()) as terminal:
        yield terminal


@pytest.mark.parametrize("show", ["auto", True])
def test_short_work_shows_nothing(monkeypatch, show):
    with on_terminal(monkeypatch) as terminal:
        run(show)
    assert terminal.text == ""


@pytest.mark.parametrize("show", ["auto", True])
def test_long_work_draws_a_bar_on_a_terminal(monkeypatch, show):
    monkeypatch.setattr(module, "SECONDS_BEFORE_SHOWING", 0.0)
    with on_terminal(monkeypatch) as terminal:
        run(show)
    assert "Comparing" in terminal.text


def test_without_rich_auto_is_silent_and_true_writes_lines(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    monkeypatch.setattr(module, "SECONDS_BETWEEN_LINES", 0.0)
    with on_terminal(monkeypatch) as terminal:
        run("auto")
        assert terminal.text == ""
        run(True, steps=2)
    assert terminal.text == "Comparing: 1 of 2 (50%)\nComparing: 2 of 2 (100%)\n"


def test_off_a_terminal_auto_is_silent(capsys, monkeypatch):
    monkeypatch.setattr(module, "SECONDS_BEFORE_SHOWING", 0.0)
    monkeypatch.setattr(module, "SECONDS_BETWEEN_LINES", 0.0)
    run("auto")
    run(False)
    assert capsys.readouterr().err == ""


def test_the_bar_is_closed_when_work_fails(monkeypatch):
    monkeypatch.setattr(module, "SECONDS_BEFORE_SHOWING", 0.0)
    closed = []
    monkeypatch.setattr(module._Bar, "close", lambda self: closed.append(self.bar.stop()))
    with (
        on_terminal(monkeypatch),
        pytest.raises(KeyboardInterrupt),
        progress(2, "Comparing") as advance,
    ):
        advance(1)
        raise KeyboardInterrupt
    assert len(closed) == 1


@pytest.mark.parametrize("show", ["always", 1, None])
def test_unknown_choice(show):
    with pytest.raises(InputError, match="expected 'auto', True or False"):
        run(show)
