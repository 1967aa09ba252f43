"""How the program speaks to its operator. No line holds a person's words."""

from __future__ import annotations

import logging
import sys

import structlog

__all__ = ["configure_logs", "quiet_logs"]


def configure_logs(level: str) -> None:
    """JSON lines on standard error. Libraries speak only from WARNING up: at DEBUG some print what they carry."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level)),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s %(message)s")


def quiet_logs() -> None:
    """For the command line: only warnings, on standard error, so that output stays clean."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
