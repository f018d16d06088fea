"""Distinct names of people that do not exist, the same for the same seed."""

import numpy as np

_STARTS = [*"bcdfghjklmnprstvwz", "br", "ch", "dr", "gr", "kl", "sch", "st", "th", "tr"]
_VOWELS = ["a", "e", "i", "o", "u", "ai", "ei", "ou", "ie"]
_ENDS = ["", "", "", "n", "r", "s", "l", "m", "ck", "nd", "rt"]
CLASSES = 5


def make_names(n: int, seed: int = 0) -> tuple[list[str], np.ndarray]:
    """Return n distinct names of some 13 letters, and which of five peoples each belongs to.

    Each people has letters that it likes: neighbours by edit distance tell peoples apart, but
    not surely.
    """
    rng = np.random.default_rng(seed)
    likes = [rng.dirichlet(np.full(len(_STARTS), 0.4)) for _ in range(CLASSES)]
    found: dict[str, int] = {}
    while len(found) < n:
        people = int(rng.integers(CLASSES))
        counts = rng.integers(1, 4, size=2)
        starts = rng.choice(_STARTS, size=counts.sum(), p=0.6 * likes[people] + 0.4 / len(_STARTS))
        vowels, ends = rng.choice(_VOWELS, size=len(starts)), rng.choice(_ENDS, size=len(starts))
        parts = ["".join(part) for part in zip(starts, vowels, ends, strict=True)]
        words = ("".join(parts[: counts[0]]).title(), "".join(parts[counts[0] :]).title())
        found.setdefault(" ".join(words), people)
    return list(found), np.array(list(found.values()))
