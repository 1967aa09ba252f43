"""Starts the service as a process, and reads what it leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.app.service import DOCUMENTS, eventually, free_port
from tests.corpora import write_documents

__all__ = ["CLI", "Process", "environment", "refused", "serving"]

ROOT = Path(__file__).resolve().parents[2]
CHILD = ("-m", "tests.app.child")
CLI = ("-m", "scripts.cli", "serve", "--host", "127.0.0.1", "--port")


@dataclass
class Process:
    url: str
    folder: Path
    child: subprocess.Popen[bytes]

    @property
    def database(self) -> Path:
        return self.folder / "galen.db"

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=20, trust_env=False)

    def output(self) -> bytes:
        """All that was printed, to both streams."""
        return (self.folder / "output").read_bytes()

    def send(self, number: signal.Signals) -> None:
        self.child.send_signal(number)

    def accepts(self) -> bool:
        try:
            with self.client() as client:
                client.get("/api/health")
        except httpx.TransportError:
            return False
        return True


@contextmanager
def serving(
    folder: Path,
    *,
    command: Sequence[str] = CHILD,
    documents: Mapping[str, str] = DOCUMENTS,
    **variables: str,
) -> Iterator[Process]:
    """The service as its own process over `folder`; killed at the end if it still runs. Starting twice is possible."""
    write_documents(folder / "bundled" / "health", documents)
    port = free_port()
    with (folder / "output").open("ab") as output:
        child = subprocess.Popen(
            [sys.executable, *command, str(port)],
            env=environment(folder, **variables),
            stdout=output,
            stderr=output,
            cwd=folder,
        )
    process = Process(url=f"http://127.0.0.1:{port}", folder=folder, child=child)
    try:
        eventually(lambda: child.poll() is not None or process.accepts())
        assert child.poll() is None, process.output().decode()
        yield process
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()


def refused(folder: Path, *, command: Sequence[str] = CHILD, **variables: str) -> str:
    """What a service prints that does not start."""
    done = subprocess.run(
        [sys.executable, *command, str(free_port())],
        env=environment(folder, **variables),
        capture_output=True,
        cwd=folder,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2, done.stderr.decode()
    assert done.stdout == b""
    return done.stderr.decode()


def environment(folder: Path, **variables: str) -> dict[str, str]:
    """A small environment over `folder`; nothing of the developer's own settings."""
    return {
        **{name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG", "TMPDIR")},
        "PYTHONPATH": str(ROOT),
        "DB_PATH": str(folder / "galen.db"),
        "CORPUS_DIR": str(folder / "bundled"),
        "CACHE_DIR": str(folder / "cache"),
        "FAULT": str(folder / "fault"),
        "GATE": str(folder / "gate"),
        **variables,
    }
