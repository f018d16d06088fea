"""Figures for papers: every chart of the reports by matplotlib, as scikit-learn's displays."""

from similearn.plots.block_displays import MapDisplay, MatrixDisplay, SpectrumDisplay
from similearn.plots.judged_displays import (
    ClassSizesDisplay,
    ConfusionDisplay,
    CoverageDisplay,
    ReliabilityDisplay,
)
from similearn.plots.method_displays import CurvesDisplay, MethodsDisplay
from similearn.plots.reason_displays import NeighborsDisplay

__all__ = [
    "ClassSizesDisplay",
    "ConfusionDisplay",
    "CoverageDisplay",
    "CurvesDisplay",
    "MapDisplay",
    "MatrixDisplay",
    "MethodsDisplay",
    "NeighborsDisplay",
    "ReliabilityDisplay",
    "SpectrumDisplay",
]
