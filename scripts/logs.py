"""Logging of the command line: only warnings, on standard error, so that output stays clean."""

from __future__ import annotations

import logging
import sys

import structlog

__all__ = ["quiet_logs"]


def quiet_logs() -> None:
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
