"""Similarities as one word of the shell: ``name`` or ``name:parameter=value,...``."""

from similearn.similarities.shell.registering import get_similarity, registry
from similearn.similarities.shell.similarity import Similarity


def parse_similarity(text: str) -> Similarity:
    """Return the similarity that a text names, with its parameters.

    Parameters
    ----------
    text : a registered name, with "-" or "_" between words, and after a colon parameters with
        commas between them; their values are read as Python's numbers, True, False and None,
        otherwise as words

    Returns
    -------
    Similarity, not fitted

    Examples
    --------
    >>> from similearn.similarities import parse_similarity
    >>> parse_similarity("tversky-ratio:alpha=0.5,beta=0.5")
    TverskyRatio(alpha=0.5, beta=0.5)
    >>> parse_similarity("smith-waterman:substitution=pam50")
    SmithWaterman(substitution='pam50')
    """
    return get_similarity(text)


def spelled(similarity: Similarity | str) -> str:
    """The word of the shell for a similarity: what `parse_similarity` reads.

    Parameters
    ----------
    similarity : Similarity, or its name

    Returns
    -------
    str, with the parameters that are not the usual ones

    Examples
    --------
    >>> from similearn.similarities import TverskyRatio, spelled
    >>> spelled(TverskyRatio(alpha=0.5))
    'tversky-ratio:alpha=0.5'
    """
    if isinstance(similarity, str):
        return similarity.replace("_", "-")
    usual = registry[similarity.name].get_params(deep=False) if similarity.name in registry else {}
    given = similarity.get_params(deep=False) if usual else {}
    changed = [
        f"{name}={value}" for name, value in given.items() if repr(value) != repr(usual.get(name))
    ]
    name = (similarity.name or type(similarity).__name__).replace("_", "-")
    return f"{name}:{','.join(changed)}" if changed else name
