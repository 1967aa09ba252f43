"""Keeps compiled tables beside the bytecode, as Python keeps its own: reading them back takes a tenth of the time.

The file is named after a hash of everything it was made from (tables, texts, code, Python), so it is never out of
date. Only this package's classes and plain containers are read from it: a file that holds anything else, or is
damaged, is made anew.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import io
import os
import pickle
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import util
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["remembered"]

T = TypeVar("T")

_PACKAGE = Path(__file__).parent
_CONTAINERS = {
    ("builtins", "int"), ("builtins", "set"), ("builtins", "frozenset"), ("collections", "defaultdict"),
    ("builtins", "list"), ("_operator", "lt"), ("_operator", "le"), ("_operator", "gt"), ("_operator", "ge"),
    ("_operator", "eq"), ("copyreg", "_reconstructor"), ("builtins", "object"),
}  # fmt: skip


def remembered(kind: type[T], name: str, make: Callable[[], T]) -> T:
    """What `make` makes, read back where it was made before. Never fails where `make` does not."""
    path = _folder() / f"{name}-{_fingerprint()}.tables"
    with _without_collection():
        try:
            found = _Reader(io.BytesIO(path.read_bytes())).load()
        except (OSError, EOFError, ValueError, KeyError, AttributeError, TypeError, IndexError, pickle.PickleError):
            found = None
        if isinstance(found, kind):
            return found
        made = make()
    with contextlib.suppress(OSError):
        _write(path, pickle.dumps(made, pickle.HIGHEST_PROTOCOL))
    return made


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _CONTAINERS:
            return super().find_class(module, name)
        # A dotted name would reach through a module of ours to what it imports.
        if module.startswith("safety.") and "." not in name:
            found = super().find_class(module, name)
            if isinstance(found, type) and found.__module__.startswith("safety."):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} has no place in compiled tables")


def _folder() -> Path:
    return Path(util.cache_from_source(str(_PACKAGE / "compiled.py"))).parent


def _fingerprint() -> str:
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(p for p in _PACKAGE.rglob("*") if p.suffix in (".py", ".toml")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(_PACKAGE)} {len(content)} ".encode() + content)
    return digest.hexdigest()[:24]


def _write(path: Path, content: bytes) -> None:
    """All or nothing, whoever else is writing; what older tables left is removed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".tables-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise
    for older in path.parent.glob("*.tables"):
        if older != path:
            older.unlink(missing_ok=True)


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    """Tables are nothing but new objects that stay: collecting garbage among them doubles the time (2026-11-30)."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
