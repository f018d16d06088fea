"""Reports: one offline page on data, a comparison or a model; and what notebooks show."""

from similearn.report.making import write_report

__all__ = ["write_report"]
