"""Parameters of similarities as text: ``parameter=value`` with commas between them."""

import ast
from typing import Any

from similearn.errors import InputError
from similearn.similarities.shell.similarity import Similarity


def read_parameters(text: str, given: str, similarity: Similarity) -> dict[str, Any]:
    """Return the parameters that a text gives to a similarity.

    Parameters
    ----------
    text : all of it, for messages
    given : what stands after the name and the colon
    similarity : whose parameters they are
    """
    known = similarity.get_params(deep=False)
    found: dict[str, Any] = {}
    for part in filter(None, (one.strip() for one in given.split(","))):
        name, equals, value = (word.strip() for word in part.partition("="))
        name = name.replace("-", "_")
        if not equals or name not in known:
            takes = ", ".join(known) or "none"
            told = similarity.name.replace("_", "-")
            raise InputError(
                f"{text!r}: {part!r} is no parameter of {told}; it takes {takes}. Write "
                "NAME:parameter=value,parameter=value."
            )
        found[name] = _value(value)
    return found


def _value(text: str) -> Any:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    return value if value is None or isinstance(value, bool | int | float | str) else text
