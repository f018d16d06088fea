"""Why the default classifier decided as it did, in one text."""

from dataclasses import dataclass, field

import numpy as np

from similearn.estimators.shell.explanation import Explanation

MOST_CLASSES = 3
"""Classes whose probabilities are told."""
LEAST_SHARE = 0.0005
"""Votes of a smaller share, which would be printed as zero, are not told."""


@dataclass(frozen=True, eq=False)
class CombinedExplanation(Explanation):
    """`Explanation` whose scores are log-probabilities, and whose terms are members.

    Parameters
    ----------
    member_weights : mapping of members to their weights; ``terms`` has their probabilities
    source : of several, the one that `values` are of; the heaviest member's
    """

    member_weights: dict[str, float] = field(default_factory=dict)
    source: str | None = None

    def tell(self, i):
        """Return a readable account of query `i`."""
        name = i if self.row_ids is None else self.row_ids[i]
        P = np.exp(self.scores[i])
        order = np.argsort(-P, kind="stable")[:MOST_CLASSES]
        shares = ", ".join(f"{self.classes[g]} {P[g]:.2f}" for g in order)
        lines = [f"query {name}: {self.decisions[i]} (probabilities: {shares})"]
        lines.append("  What the members say of these classes:")
        for member, weight in self.member_weights.items():
            said = ", ".join(f"{self.terms[member][i, g]:.2f}" for g in order)
            lines.append(f"    {member}, weight {weight:.2f}: {said}")
        voted = self.weights[i].any()
        if voted:
            told = "Training samples with the largest shares in the neighbours' votes"
        else:
            told = "The nearest training samples (no member votes by neighbours)"
        lines.append(f"  {told}{f', values of {self.source}' if self.source else ''}:")
        near = [j for j, w in enumerate(self.weights[i]) if w >= LEAST_SHARE or not voted]
        lines += [self._neighbor_line(i, j) for j in near]
        return "\n".join(lines)

    def _neighbor_line(self, i, j):
        position = self.neighbors[i, j]
        name = position if self.reference_ids is None else self.reference_ids[position]
        share = f", share {self.weights[i, j]:.3f}" if self.weights[i].any() else ""
        return f"    {name} ({self.labels[i, j]}): value {self.values[i, j]:.4g}{share}"
