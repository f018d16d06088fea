"""Random choices of one case, remembered in words."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

Tell = Callable[[str], None]


class Draw:
    """Choices of one case. The same (seed, number, kind) makes the same choices.

    Parameters
    ----------
    seed, number, kind : the case
    tell : called with a few words about each choice and step, before it can crash
    """

    def __init__(self, seed: int, number: int, kind: str, tell: Tell) -> None:
        self.rng = np.random.default_rng([seed, number, *kind.encode()])
        self.tell = tell
        # Most cases hold no fault, so that they get far; the others hold some.
        self.is_sound = self.chance(0.6)

    def fault(self, probability: float) -> bool:
        """Return True with this probability, in a case that may hold faults."""
        return not self.is_sound and self.chance(probability)

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return bool(self.rng.random() < probability)

    def pick(self, options: Sequence[Any]) -> Any:
        """Return one of the options."""
        return options[int(self.rng.integers(len(options)))]

    def named(self, table: Mapping[str, Callable[..., Any]], *arguments: Any) -> Any:
        """Call one function of a table on this draw, and tell its name."""
        name = self.pick(list(table))
        self.tell(name)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # of the attack's own arithmetic
            return table[name](self, *arguments)

    def usually(self, probability: float, plain: Any, table: Mapping[str, Any], *more: Any) -> Any:
        """Return the plain thing with this probability, else what the table makes of it."""
        return plain if self.chance(probability) else self.named(table, plain, *more)


def told(value: Any) -> str:
    """Return a few words about any value."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    if hasattr(value, "get_params"):
        return type(value).__name__
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 60 else f"{text[:57]}..."
