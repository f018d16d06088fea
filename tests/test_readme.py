"""What the README says is true."""

import re
from pathlib import Path

from similearn.experiments.registry import methods
from tests.shell_lines import check_shell_lines

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def fenced(language):
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_python_example_runs(capsys):
    (example,) = fenced("python")
    exec(compile(example, "README.md", "exec"), {})
    out = capsys.readouterr().out
    assert all(word in out for word in ("Asymmetry", "neighbours", "log-loss"))


def test_the_table_names_every_method():
    named = re.findall(r"^\| `([\w-]+)` \|", README, flags=re.MULTILINE)
    assert named == [method.name for method in methods()]


def test_the_shell_examples_name_commands_and_methods_that_exist():
    assert check_shell_lines([line for block in fenced("sh") for line in block.splitlines()]) >= 5


def test_the_two_set_up_commands():
    assert 'pip install ".[cli]" && similearn demo' in README
    assert 'pip install -e ".[test]" && pytest' in README


def test_links_and_pictures_exist():
    for target in re.findall(r"\]\(([\w./-]+)\)", README):
        assert (ROOT / target).exists(), target
