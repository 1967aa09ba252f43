"""What ships: the Dockerfile, the locks, the scripts and the Space's settings, checked without building anything."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from app.settings import Settings, variables

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
SHELL_SCRIPTS = (
    ".ci/run",
    *(f"scripts/{name}" for name in ("setup", "serve", "test", "test-browser", "check", "check-image")),
    "scripts/container-entry",
)
SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL")


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile as (instruction, rest), comments gone and continued lines joined."""
    text = "\n".join(
        line for line in (ROOT / "Dockerfile").read_text("utf-8").splitlines() if not re.match(r"\s*(#|$)", line)
    )
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in lines]


def rests(name: str) -> list[str]:
    return [rest for instruction, rest in instructions() if instruction == name]


def locked(name: str) -> dict[str, tuple[str, frozenset[str]]]:
    """Of a lock file: requirement with its marker -> version and hashes."""
    pins: dict[str, tuple[str, frozenset[str]]] = {}
    for block in re.split(r"\n(?=[a-z0-9])", (ROOT / name).read_text("utf-8")):
        if match := re.match(r"([a-z0-9][a-z0-9._-]*)==(\S+)( ; [^\\]*)?", block):
            hashes = frozenset(re.findall(r"--hash=sha256:([0-9a-f]{64})", block))
            pins[match[1] + (match[3] or "").rstrip()] = match[2], hashes
    return pins


# The Dockerfile


def test_every_copied_path_exists_and_is_let_through_by_dockerignore() -> None:
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    copied = [word for rest in rests("COPY") if "--from=" not in rest for word in rest.split()[:-1]]
    assert copied
    assert not [name for name in copied if not (ROOT / name).exists()]
    assert allowed == set(copied)


def test_every_package_is_copied_into_the_image() -> None:
    copied = {word.rstrip("/") for rest in rests("COPY") for word in rest.split()}
    assert {package.split(".")[0] for package in PROJECT["tool"]["setuptools"]["packages"]} <= copied


def test_base_images_are_pinned_to_a_release_and_alike() -> None:
    images = {rest.split()[0] for rest in rests("FROM")}
    assert len(images) == 1
    assert re.fullmatch(r"python:3\.1[1-9]-slim-[a-z]+", images.pop())


def test_the_server_runs_as_uid_1000_and_its_words_are_not_read_by_a_shell() -> None:
    names = [name for name, _ in instructions()]
    assert rests("USER") == ["1000:1000"]
    assert names.index("USER") < names.index("ENTRYPOINT") < names.index("CMD")
    assert "RUN" not in names[names.index("USER") :]
    assert json.loads(rests("ENTRYPOINT")[0]) == ["/app/scripts/container-entry"]
    assert json.loads(rests("CMD")[0]) == ["serve"]


def test_everything_installed_is_checked_by_hash() -> None:
    installs = [part for rest in rests("RUN") for part in rest.split("&&") if "pip install" in part]
    assert len(installs) == 2
    assert "--require-hashes --requirement requirements-runtime.lock" in installs[0]
    assert "--no-deps --no-build-isolation --editable ." in installs[1]


def test_the_image_fetches_nothing_else_and_holds_no_secret() -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8")
    assert not re.search(r"\b(curl|wget|apt-get|git clone)\b|https://|^ADD ", text, re.MULTILINE)
    names = re.findall(r"(\w+)=", " ".join([*rests("ENV"), *rests("ARG")]))
    assert not [name for name in names if SECRET_NAME.search(name)]


def test_the_image_says_how_to_reach_check_and_stop_it() -> None:
    port = Settings().port
    assert rests("EXPOSE") == [str(port)]
    assert rests("STOPSIGNAL") == ["SIGTERM"]
    command = json.loads(rests("HEALTHCHECK")[0].split("CMD ")[1])
    assert command[:2] == ["python", "-c"]
    assert "/api/health" in command[2]
    assert str(port) in command[2]
    compile(command[2], "HEALTHCHECK", "exec")


def test_the_inference_library_is_told_to_send_no_usage_data() -> None:
    assert all("ORT_DISABLE_TELEMETRY=1" in rest.split() for rest in rests("ENV"))
    for name in ("Makefile", "scripts/serve", "scripts/test"):
        assert re.search(r"^export ORT_DISABLE_TELEMETRY ?:?= ?1\b", (ROOT / name).read_text("utf-8"), re.MULTILINE)


def test_the_label_names_the_version_of_the_project() -> None:
    assert f'image.version="{PROJECT["project"]["version"]}"' in rests("LABEL")[0]


def test_the_image_sets_only_settings_that_exist() -> None:
    known = {variable.name for variable in variables()} | {"PATH", "DATA_DIR", "ORT_DISABLE_TELEMETRY"}
    names = re.findall(r"(\w+)=", " ".join(rests("ENV")))
    assert not [name for name in names if name not in known and not name.startswith(("PIP_", "PYTHON"))]


# The entry point


@pytest.fixture
def entry(tmp_path: Path) -> Path:
    """A copy of the entry point in a folder with a space, and a `galen` that prints what it was given."""
    copy = tmp_path / "an app" / "scripts" / "container-entry"
    copy.parent.mkdir(parents=True)
    shutil.copy(ROOT / "scripts/container-entry", copy)
    _program(tmp_path / "bin/galen", 'echo "$DB_PATH" "$@"')
    return copy


def _program(path: Path, body: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n", "utf-8")
    path.chmod(0o755)


def _start(entry: Path, **environ: str) -> tuple[str, str]:
    path = f"{entry.parents[2]}/bin:{os.environ['PATH']}"
    done = subprocess.run(
        [entry, "serve"], env={"PATH": path, **environ}, capture_output=True, text=True, timeout=20, check=True
    )
    assert done.stderr.count("\n") == 1
    return done.stdout.strip(), done.stderr


def test_a_spaces_data_folder_holds_no_database(entry: Path, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    out, err = _start(entry, DATA_DIR=str(tmp_path / "data"), SPACE_ID="someone/galen")
    assert out == f"{entry.parents[1]}/var/galen.db serve"
    assert "no place for a database" in err


def test_a_writable_data_folder_holds_the_database(entry: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    started, said = _start(entry, DATA_DIR=str(data))
    assert started == f"{data}/galen.db serve"
    assert f"{data}/galen.db" in said
    assert not list(data.iterdir())


def test_without_a_data_folder_the_database_is_beside_the_code(entry: Path, tmp_path: Path) -> None:
    started, said = _start(entry, DATA_DIR=str(tmp_path / "absent"))
    assert started == f"{tmp_path}/an app/var/galen.db serve"
    assert "goes when the container is removed" in said


def test_a_data_folder_that_cannot_be_written_is_not_used(entry: Path, tmp_path: Path) -> None:
    # A folder in the way of the write test stops root too, which permission bits do not.
    (tmp_path / "data/.galen-write-test").mkdir(parents=True)
    started, _ = _start(entry, DATA_DIR=str(tmp_path / "data"))
    assert started == f"{tmp_path}/an app/var/galen.db serve"


def test_a_db_path_of_the_operator_is_left_alone(entry: Path, tmp_path: Path) -> None:
    started, _ = _start(entry, DATA_DIR=str(tmp_path), DB_PATH="/elsewhere/own.db")
    assert started == "/elsewhere/own.db serve"


# The locks


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-runtime.lock"])
def test_a_lock_has_hashes_and_names_no_index_and_no_path(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    pins = locked(name)
    assert len(pins) > 20
    assert all(hashes for _, hashes in pins.values())
    assert not re.search(r"://|^-|file:| /", text.replace("\n    --hash", ""), re.MULTILINE)


def test_the_runtime_lock_is_the_part_of_the_lock_that_serves() -> None:
    full = {name.split(" ; ")[0]: (version, hashes) for name, (version, hashes) in _single(locked("requirements.lock"))}
    runtime = _single(locked("requirements-runtime.lock"))
    assert [name for name, pin in runtime if full[name.split(" ; ")[0]] != pin] == []
    assert not {"pytest", "ruff", "mypy", "selenium"} & {name.split(" ; ")[0] for name, _ in runtime}


def _single(pins: dict[str, tuple[str, frozenset[str]]]) -> list[tuple[str, tuple[str, frozenset[str]]]]:
    """Pins of packages that have one version; where it depends on the Python (numpy), names repeat."""
    names = [name.split(" ; ")[0] for name in pins]
    return [(name, pin) for name, pin in pins.items() if names.count(name.split(" ; ")[0]) == 1]


def test_the_locks_hold_what_pyproject_asks_for() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    for name, wanted in {
        "requirements-runtime.lock": PROJECT["project"]["dependencies"] + extras["build"],
        "requirements.lock": PROJECT["project"]["dependencies"] + extras["build"] + extras["dev"],
    }.items():
        have = {pin.split(" ; ")[0] for pin in locked(name)}
        names = {re.split(r"[\[<>=~; ]", line)[0].lower() for line in wanted} - {"galen"}
        assert names <= have, f"{name} is older than pyproject.toml: run 'make lock'"


def test_pyproject_names_every_package() -> None:
    found = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for top in ("app", "rag", "safety", "evals", "scripts")
        for path in (ROOT / top).rglob("__init__.py")
    }
    found |= {
        ".".join(path.parent.relative_to(ROOT).parts)
        for top in ("app", "rag", "safety", "evals", "scripts")
        for path in (ROOT / top).rglob("*.py")
    }
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == found


# The scripts and the Makefile


@pytest.mark.parametrize("name", SHELL_SCRIPTS)
def test_a_shell_script_can_be_run_and_parses(name: str) -> None:
    assert os.access(ROOT / name, os.X_OK)
    subprocess.run(["bash", "-n", ROOT / name], check=True, timeout=20)


def test_make_alone_lists_every_target() -> None:
    text = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)[1].split()) - {"always"}  # type: ignore[index]
    environ = {"PATH": os.environ["PATH"]}  # nothing of a make that runs this test
    lines = subprocess.check_output(["make"], cwd=ROOT, env=environ, text=True, timeout=20).splitlines()
    assert {line.split()[1] for line in lines} == targets


def _setup(folder: Path, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs a copy of scripts/setup in `folder`, with a PATH that has only what the test put there."""
    (folder / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts/setup", folder / "scripts/setup")
    tools = folder.parent / "tools"
    tools.mkdir()
    for tool in ("dirname", "mkdir", "rm", "touch"):
        (tools / tool).symlink_to(shutil.which(tool))  # type: ignore[arg-type]
    path = f"{folder.parent}/bin:{tools}"
    return subprocess.run(
        ["/bin/sh", folder / "scripts/setup"], env={"PATH": path} | environ, capture_output=True, text=True, timeout=20
    )


OLD = 'case "$2" in "") exit 0;; esac; exit 1'
"""A Python that runs, and is older than asked for."""

NEW = """case "$1 $2" in
  "--version ") echo "Python 3.12 of the test" ;;
  "-m venv") mkdir -p .venv/bin; for last; do :; done; echo "#!/bin/sh" > "$last/bin/python"
    echo 'echo "$@" >> calls; case "$*" in *"pip --version") exit 1;; esac' >> "$last/bin/python"
    /bin/chmod +x "$last/bin/python" ;;
esac"""
"""A Python that makes a .venv whose own Python writes down how it is called."""


def test_setup_refuses_an_old_python_in_a_sentence(tmp_path: Path) -> None:
    _program(tmp_path / "bin/python-old", OLD)
    done = _setup(tmp_path / "a folder", {"PYTHON": "python-old"})
    assert done.returncode == 1
    assert done.stderr == "setup: PYTHON=python-old is too old: Galen needs Python 3.11 or newer.\n"
    assert not (tmp_path / "a folder/.stamps/setup").exists()


def test_setup_says_when_there_is_no_python(tmp_path: Path) -> None:
    _program(tmp_path / "bin/python3", OLD)
    done = _setup(tmp_path / "a folder", {})
    assert done.returncode == 1
    assert "no Python 3.11 or newer was found" in done.stderr


def test_setup_takes_the_first_python_that_works_and_installs_by_hash(tmp_path: Path) -> None:
    _program(tmp_path / "bin/python3.13", "exit 127")
    _program(tmp_path / "bin/python3.12", NEW)
    done = _setup(tmp_path / "a folder", {})
    assert done.returncode == 0, done.stderr
    assert "Python 3.12 of the test" in done.stdout
    installs = [line for line in (tmp_path / "a folder/calls").read_text("utf-8").splitlines() if " install " in line]
    assert len(installs) == 2
    assert installs[0].endswith("install --require-hashes --requirement requirements.lock")
    assert installs[1].endswith("install --no-deps --no-build-isolation --editable .")
    assert (tmp_path / "a folder/.stamps/setup").exists()


# Written in two parts, so that the search does not find them here.
LEAKS = {
    "no host of a package index": "files.python" + "hosted.org",
    "no path of one machine": "see /ro" + "ot/notes.txt",
    "no secret": "h" + "f_abcdefghijklmnopqrstuvwxyz",
}


@pytest.mark.parametrize("name", LEAKS)
def test_check_finds_what_must_not_be_published(name: str, tmp_path: Path) -> None:
    _project_for_check(tmp_path)
    (tmp_path / "notes.md").write_text(f"Something\n{LEAKS[name]}\n", "utf-8")
    done = subprocess.run([tmp_path / "scripts/check"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr == f"check: failed: {name}\n"
    assert "notes.md:2:" in done.stdout


def test_check_passes_where_nothing_is_wrong(tmp_path: Path) -> None:
    _project_for_check(tmp_path)
    text = "https://www.example.org/home/health, /app/var, " + "0a" * 32
    (tmp_path / "notes.md").write_text(text, "utf-8")
    done = subprocess.run([tmp_path / "scripts/check"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def _project_for_check(folder: Path) -> None:
    (folder / "scripts").mkdir()
    (folder / ".stamps").mkdir()
    (folder / ".stamps/setup").touch()
    shutil.copy(ROOT / "scripts/check", folder / "scripts/check")
    _program(folder / ".ci/run", "exit 0")
    for tool in ("python", "lint-imports", "shellcheck", "hadolint"):
        _program(folder / ".venv/bin" / tool, "exit 0")


# The Space


def test_the_space_is_described_as_the_hub_reads_it() -> None:
    space = yaml.safe_load((ROOT / "space.yaml").read_text("utf-8"))
    colours = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
    assert space["sdk"] == "docker"
    assert space["app_port"] == Settings().port
    assert space["license"] == PROJECT["project"]["license"].lower()
    assert {space["colorFrom"], space["colorTo"]} <= colours
    assert len(space["short_description"]) <= 60


def test_the_space_names_only_settings_that_exist() -> None:
    text = (ROOT / "space.yaml").read_text("utf-8")
    named = set(re.findall(r"^#   ([A-Z][A-Z_]+) ", text, re.MULTILINE))
    assert named
    assert named <= {variable.name for variable in variables()}
