"""The report: verdicts, achieved privacy and measures as text, JSON and one offline HTML file."""

from shoal.report.base import Report
from shoal.report.steps import Step, steps_of

__all__ = ["Report", "Step", "steps_of"]
