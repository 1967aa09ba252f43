"""One server per database: a second one is refused before it touches anything, and no killed one stands in the way."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

from tests.app.processes import CLI, environment, refused, serving
from tests.app.service import KNOWN, ask, eventually
from tests.app.test_processes import events_of, until

BODY = {"messages": [{"role": "user", "content": KNOWN}]}


def test_a_second_server_is_refused_and_the_first_one_s_turns_run_on(tmp_path: Path) -> None:
    with serving(tmp_path, SCRIPT="gate", MARK="fever") as process, process.client() as client:
        with client.stream("POST", "/api/chat", json=BODY) as answer:
            events = events_of(answer.iter_lines())
            turn = until(events, "delta")[0].data["id"]
            said = refused(tmp_path)
            assert said == (
                f"galen: Another server uses the database {process.database}: stop it, or set DB_PATH to another file. "
                f"There is one server per database, with one worker process.\n"
            )
            assert client.get(f"/api/receipts/{turn}").json() == {"id": turn, "status": "running"}
            (tmp_path / "gate").touch()
            assert [event.name for event in events][-2:] == ["receipt", "done"]
        assert client.get(f"/api/receipts/{turn}").json()["status"] == "answered"


def test_a_database_under_another_name_is_the_same_database(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "link.db").symlink_to(tmp_path / "galen.db")
    (tmp_path / "folder").symlink_to(tmp_path)
    with serving(tmp_path, command=CLI, EMBEDDER="none"):
        for name in ("elsewhere/link.db", "folder/galen.db", "elsewhere/../galen.db"):
            said = refused(tmp_path, command=CLI, EMBEDDER="none", DB_PATH=str(tmp_path / name))
            assert said.startswith(f"galen: Another server uses the database {tmp_path / name}: stop it")


def test_a_server_of_another_database_in_the_same_folder_is_welcome(tmp_path: Path) -> None:
    with serving(tmp_path, command=CLI, EMBEDDER="none"):
        other = serving(tmp_path, command=CLI, EMBEDDER="none", DB_PATH=str(tmp_path / "other.db"))
        with other as process, process.client() as client:
            assert ask(client)[-1].data["status"] == "answered"


def test_a_killed_server_frees_its_database_at_once(tmp_path: Path) -> None:
    for end in (signal.SIGKILL, signal.SIGTERM):
        with serving(tmp_path, command=CLI, EMBEDDER="none") as process:
            process.send(end)
            process.child.wait(30)
    with serving(tmp_path, command=CLI, EMBEDDER="none") as process, process.client() as client:
        eventually(lambda: client.get("/api/health").json()["ready"])


def test_other_commands_work_beside_a_server(tmp_path: Path) -> None:
    with serving(tmp_path, command=CLI, EMBEDDER="none") as process:
        done = subprocess.run(
            [sys.executable, "-m", "scripts.cli", "ask", "--json", KNOWN],
            env=environment(tmp_path, EMBEDDER="none"),
            capture_output=True,
            timeout=60,
            check=True,
        )
        assert json.loads(done.stdout)["status"] == "answered"
        assert process.accepts()
