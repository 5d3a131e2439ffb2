"""The report: verdicts, achieved privacy and measures as text, JSON, PDF and one offline HTML file."""

from shoal.figures import PrivateFigures, PublicFigures
from shoal.report.base import Report
from shoal.report.sections import Facts
from shoal.report.steps import Step, steps_of

__all__ = ["Facts", "PrivateFigures", "PublicFigures", "Report", "Step", "steps_of"]
