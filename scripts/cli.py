"""`galen`: the one command line. `galen COMMAND --help` explains each command.

Batch commands read JSON lines and write JSON lines; given a plain argument they print for people. Messages for
people go to standard error, so that output can be piped.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from app.codes import parse_country, parse_language
from app.settings import Settings, SettingsError
from rag.errors import RagError
from rag.store import DatabaseError, as_store_error
from safety.rules import RuleTableError
from safety.sanitize import sanitize
from scripts import answering, corpus, floor

__all__ = ["main"]

EXIT_OK, EXIT_PARTIAL, EXIT_FAILED = 0, 1, 2


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command. 0 done, 1 done in part or faults found, 2 not done (the message says what to do)."""
    arguments = _parser().parse_args(argv)
    try:
        settings = Settings.from_env()
        _note(arguments, settings)
        with _quiet_pipe():
            return int(arguments.run(arguments, settings))
    except (RagError, SettingsError, RuleTableError) as exc:
        print(f"galen: {exc}", file=sys.stderr)
        return EXIT_FAILED
    except (DatabaseError, UnicodeDecodeError) as exc:  # text that is no UTF-8 can only come out of a damaged file
        print(f"galen: {as_store_error(settings.db_path, exc)}", file=sys.stderr)
        return EXIT_FAILED
    except KeyboardInterrupt:
        print("galen: stopped; what was finished is kept", file=sys.stderr)
        return EXIT_FAILED


def _note(arguments: argparse.Namespace, settings: Settings) -> None:
    """What the settings give cause to say, whatever the command; `serve` says it in its log."""
    for note in () if arguments.logs_notes else settings.notes():
        print(f"galen: {note}", file=sys.stderr)


@contextlib.contextmanager
def _quiet_pipe() -> Iterator[None]:
    """`galen … | head` ends without a traceback."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="galen",
        description="Answers health questions from a versioned corpus, with the evidence for every sentence.",
        epilog="Settings are environment variables; the README lists them.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _serve(commands)
    _ingest(commands)
    _corpus(commands)
    _search(commands)
    _ask(commands)
    _assess(commands)
    _rules(commands)
    return parser


def _add(commands: Any, name: str, run: Callable[..., int], text: str, **more: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text, **more)
    parser.set_defaults(run=run, logs_notes=False)
    return parser


def _serve(commands: Any) -> None:
    def run(arguments: argparse.Namespace, settings: Settings) -> int:
        from app.main import serve  # the web service is heavy to import, other commands need none of it

        return serve(settings, host=arguments.host, port=arguments.port)

    parser = _add(commands, "serve", run, "Serve the web page and the API.")
    parser.set_defaults(logs_notes=True)
    parser.add_argument("--host", help="address to listen on (default: HOST)")
    parser.add_argument("--port", type=_port, help="port to listen on (default: PORT, 7860)")


def _ingest(commands: Any) -> None:
    parser = _add(
        commands,
        "ingest",
        corpus.ingest_command,
        "Take a file or folder of documents into a collection and publish what changed.",
        epilog="Reads JSON lines or JSON arrays of passages or question/answer records, Markdown and text with YAML "
        "front matter, all also as .gz. A second run does only what is new. Exit status 1: some records were bad; "
        "they are named, the rest went in.",
    )
    parser.add_argument("path", type=Path, help="file or folder")
    parser.add_argument("--collection", required=True, help="collection to publish into, such as health")
    parser.add_argument("--source", help="name of this source (default: the file's or folder's name)")
    parser.add_argument("--licence", help="licence of records that name none")
    parser.add_argument("--organization", help="organisation of records that name none")
    parser.add_argument("--version-date", help="date of records that have none, YYYY-MM-DD")
    parser.add_argument("--lang", default="en", help="language of records that name none (default: en)")
    parser.add_argument("--corpus-version", help="name of the new version (default: date and running number)")
    parser.add_argument("--keyword-only", action="store_true", help="publish without vectors; a later run adds them")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write each document's outcome as a JSON line")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def _corpus(commands: Any) -> None:
    parser = commands.add_parser("corpus", help="Publish, list, activate, check and re-embed corpus versions.")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    listing = _add(actions, "list", corpus.list_command, "Show collections, sources and versions.")
    listing.add_argument("--collection", help="only this one")
    listing.add_argument("--json", action="store_true", help="print as JSON")
    _add(actions, "publish", corpus.publish_command, "Bring in the bundled collections that are not published yet.")
    activate = _add(actions, "activate", corpus.activate_command, "Make a kept version the one that answers.")
    activate.add_argument("version", help="such as 2026-11-30.1")
    activate.add_argument("--collection", required=True)
    check = _add(actions, "check", corpus.check_command, "Prove that rows, keyword index and vectors agree.")
    check.add_argument("--json", action="store_true", help="print as JSON")
    reembed = _add(
        actions,
        "reembed",
        corpus.reembed_command,
        "Make another model's vectors beside those that answer, and switch to them once they are complete.",
        epilog="Vectors are kept batch by batch: a run that was stopped or killed is taken up by the next. Meanwhile "
        "the old vectors answer, also in a server that was already started with the new EMBEDDER.",
    )
    reembed.add_argument("--collection", help="only this one (default: all that are published)")
    reembed.add_argument("--model", metavar="M", help="such as local:e5-small (default: EMBEDDER)")
    reembed.add_argument("--json", action="store_true", help="print the reports as JSON")
    vectors = _add(actions, "vectors", corpus.vectors_command, "Compute the vectors kept beside a bundled collection.")
    vectors.add_argument("collection", help="a folder of CORPUS_DIR, such as health")


def _search(commands: Any) -> None:
    parser = _add(
        commands,
        "search",
        answering.search_command,
        "Find passages. Without a question, reads JSON lines {id or _id, text, lang?}.",
    )
    parser.add_argument("question", nargs="?", type=_some_text, help="a question; leave it out for JSON lines")
    parser.add_argument("--collection", default="health", help="collection to search (default: health)")
    parser.add_argument("--k", type=_positive, default=10, help="passages per question (default: 10)")
    parser.add_argument("--file", type=Path, help="JSON lines (default: standard input)")
    parser.add_argument(
        "--legs",
        choices=("fused", "keyword", "vector"),
        default="fused",
        help="which legs rank: both fused (default), keyword or vector alone",
    )


def _ask(commands: Any) -> None:
    parser = _add(
        commands,
        "ask",
        answering.ask_command,
        "Answer from the corpus. Without a question, reads JSON lines {id, text, lang?, country?}.",
    )
    parser.add_argument("question", nargs="?", type=_some_text, help="a question; leave it out for JSON lines")
    parser.add_argument("--collection", default="health", help="collection to answer from (default: health)")
    _of_a_person(parser, lang="language of the question (default: recognised)")


def _of_a_person(parser: argparse.ArgumentParser, *, lang: str) -> None:
    """What `ask` and `assess` may be told of who writes, and where lines come from."""
    parser.add_argument("--lang", type=_checked(parse_language), help=lang)
    parser.add_argument(
        "--country", type=_checked(parse_country), help="two-letter country code, for emergency numbers"
    )
    parser.add_argument("--file", type=Path, help="JSON lines (default: standard input)")
    parser.add_argument("--json", action="store_true", help="print a single result as JSON too")


def _assess(commands: Any) -> None:
    parser = _add(
        commands,
        "assess",
        floor.assess_command,
        "Say how urgent a message is, by the safety rules alone. Without a text, reads JSON lines "
        "{id, text or messages, lang?, country?, patient?}.",
    )
    parser.add_argument("text", nargs="?", type=_some_text, help="a message; leave it out for JSON lines")
    _of_a_person(parser, lang="language of the fixed texts (default: its own)")


def _rules(commands: Any) -> None:
    parser = commands.add_parser("rules", help="Check the safety rules, or explain what they do with a text.")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    check = _add(actions, "check", floor.check_command, "Load every table and try every rule's own examples.")
    check.add_argument("languages", nargs="*", metavar="LANG", help="only these, such as en es")
    explain = _add(actions, "explain", floor.explain_command, "Show what fired, what was excepted, and why.")
    explain.add_argument("text", type=_some_text, help="a message")
    explain.add_argument("--lang", type=_checked(parse_language), help="language of the fixed texts (default: its own)")
    explain.add_argument("--json", action="store_true", help="print as JSON")


def _some_text(value: str) -> str:
    if not sanitize(value):  # invisible characters alone ask nothing
        raise argparse.ArgumentTypeError("it is empty: write what you want to ask")
    return value


def _positive(value: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", value) or not 1 <= int(value) <= 1000:
        raise argparse.ArgumentTypeError("a whole number from 1 to 1000")
    return int(value)


def _checked(parse: Callable[[str], str | None]) -> Callable[[str], str | None]:
    def checked(value: str) -> str | None:
        try:
            return parse(value)
        except ValueError as exc:
            raise argparse.ArgumentTypeError(f"not {exc}") from None

    return checked


def _port(value: str) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", value) or not 1 <= int(value) <= 65535:
        raise argparse.ArgumentTypeError("a whole number from 1 to 65535")
    return int(value)


if __name__ == "__main__":
    sys.exit(main())
