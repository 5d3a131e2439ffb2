"""The report: verdicts, achieved figures and measures as text, JSON and one offline HTML file."""

from shoal.report.base import Report

__all__ = ["Report"]
