"""Stored experiments as one HTML page that opens from disk, offline, with figures to hover and zoom. Needs no JAX."""

from docendo.report.building import build_report

__all__ = ["build_report"]
