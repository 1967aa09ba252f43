"""A language model without a model: a real HTTP server that speaks the streaming chat-completions wire.

Groq, the Hugging Face router, OllaBridge, vLLM, Ollama and llama.cpp all speak it. What it says is scripted: plays are
queued with `play`, or chosen by the model's name ("scripted-stall"); else it answers normally, with sentences of the
numbered passages in the prompt, each with its marker. Nothing here is chosen at random.

    python -m tests.fakes.llm_server --port 11435      # for `make demo-llm`
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import select
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from rag.text import split_sentences

__all__ = ["PLAYS", "Asked", "LLMServer", "Play", "llm_server", "passages_of", "quote"]

MODELS = ("scripted-normal", "openai/gpt-oss-120b")


@dataclass(frozen=True, kw_only=True)
class Play:
    """What the server does with one request.

    `name` is one of `PLAYS`; `text` replaces what it says. `seconds` is how long a slow first token takes; without it
    the server waits for `LLMServer.release`. `retry_after` stands in the header of a 429, `limit` is how many
    characters a request may have before it is too large, `step` the bytes after which each write to the socket ends.
    """

    name: str = "normal"
    text: str | None = None
    seconds: float | None = None
    retry_after: str | None = None
    limit: int = 0
    step: int | None = None


@dataclass(frozen=True)
class Asked:
    """A request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def system(self) -> str:
        return "\n".join(m["content"] for m in self.body["messages"] if m["role"] == "system")

    @property
    def user(self) -> str:
        return "\n".join(m["content"] for m in self.body["messages"] if m["role"] == "user")


class _Gone(Exception):
    """The client closed its connection."""


# -- what is said -----------------------------------------------------------------------------------------------------

_PASSAGE = re.compile(r'<passage n="(\d+)"[^>]*>\n(.*?)\n</passage>', re.DOTALL)
_QUESTION = re.compile(r"<question[^>]*>\n(.*?)\n</question>", re.DOTALL)
_ORDER = re.compile(r"[^.\n]*\b(?:ignore|disregard|forget|reveal|answer only|reply only)\b[^.\n]*", re.IGNORECASE)
_WORD = re.compile(r"\w{4,}")


def passages_of(prompt: str) -> dict[int, str]:
    """The numbered passages of a prompt."""
    return {int(n): text for n, text in _PASSAGE.findall(prompt)}


def quote(prompt: str, most: int = 4) -> list[tuple[int, str]]:
    """Sentences of the passages that share most words with the question, as (marker, sentence), in passage order."""
    found = _QUESTION.search(prompt)
    asked = set(_WORD.findall((found[1] if found else "").casefold()))
    scored = [
        (len(asked & set(_WORD.findall(sentence.casefold()))), -n, -place, sentence)
        for n, text in sorted(passages_of(prompt).items())
        for place, sentence in enumerate(split_sentences(text))
    ]
    best = sorted((row for row in scored if row[0]), reverse=True)[:most]
    return [(-n, sentence) for _, n, _, sentence in sorted(best, key=lambda row: (-row[1], -row[2]))]


def _normal(asked: Asked) -> str:
    quoted = quote(asked.user)
    return "ANSWER\n" + " ".join(f"{sentence} [{n}]" for n, sentence in quoted) if quoted else "NO_ANSWER"


def _wrong_citations(asked: Asked) -> str:
    said = " ".join(f"{sentence} [{n + 40}]" for n, sentence in quote(asked.user, 2))
    return f"ANSWER\n{said} (Miller et al., 2011) See https://fake.example/x [99] [0]"


def _numbers(asked: Asked) -> str:
    return "ANSWER\n" + " ".join(
        f"{sentence.rstrip('.')} in 4711 mg doses. [{n}]" for n, sentence in quote(asked.user, 2)
    )


def _drugs(asked: Asked) -> str:
    return "ANSWER\n" + " ".join(
        f"{sentence.rstrip('.')} with zopiclone. [{n}]" for n, sentence in quote(asked.user, 2)
    )


def _obeys(asked: Asked) -> str:
    """Does whatever any line of the prompt's sections orders, and tells its own instructions."""
    orders = _ORDER.findall(asked.user)
    return "ANSWER\n" + " ".join([*orders, asked.system, "[1]"]) if orders else _normal(asked)


def _drift(_: Asked) -> str:
    return "I'm sorry, but the provided passages do not contain information that answers this question."


def _babble(asked: Asked) -> str:
    first = quote(asked.user, 1)
    return "ANSWER\n" + " ".join([f"{s} [{n}]" for n, s in first]) + " and so on and on" * 2_000


_TEXTS: dict[str, Callable[[Asked], str]] = {
    "normal": _normal,
    "wrong_citations": _wrong_citations,
    "numbers": _numbers,
    "drugs": _drugs,
    "obeys": _obeys,
    "declines": lambda _: "NO_ANSWER",
    "drift": _drift,
    "drift_cited": lambda _: "ANSWER\nThe provided passages do not contain information on this [1].",
    "invalid_json": lambda _: '{"verdict": "answer", "text": "Rest helps',
    "babble": _babble,
    "empty": lambda _: "",
    "reasoning_only": lambda _: "",
    "reasoning": _normal,
    "think_tags": lambda asked: f"<think>Secret thoughts [1].\nANSWER\nNo.</think>\n{_normal(asked)}",
    "slow_first_token": _normal,
    "stall": _normal,
    "cut": _normal,
    "no_finish": _normal,
    "error_in_stream": _normal,
    "length": lambda asked: _normal(asked) + " This sentence is not",
}

_ERRORS: dict[str, tuple[int, str, str]] = {
    "unauthorized": (401, "invalid_api_key", "Invalid API Key"),
    "payment": (402, "insufficient_quota", "You have exceeded your monthly included credits"),
    "not_found": (404, "model_not_found", "The model does not exist or you do not have access to it."),
    "decommissioned": (400, "model_decommissioned", "The model has been decommissioned and is no longer supported."),
    "rejected": (400, "invalid_request_error", "Unknown parameter."),
    "rate_limit": (429, "rate_limit_exceeded", "Rate limit reached on tokens per minute (TPM): Limit 8000, Used 7900, "
                   "Requested 2000."),
    "unavailable": (503, "service_unavailable", "The service is overloaded."),
    "too_large": (413, "rate_limit_exceeded", "Request too large on tokens per minute (TPM): Limit 7000, Requested "
                  "12903, please reduce your message size."),
    "too_large_429": (429, "rate_limit_exceeded", "Rate limit on tokens per minute (TPM): Limit 7000, Used 0, "
                      "Requested 12903."),
    "context_length": (400, "context_length_exceeded", "This model's maximum context length is 4096 tokens."),
}  # fmt: skip

PLAYS = (*_TEXTS, *_ERRORS, "not_json", "hangs_up")
"""Every name that a play may have."""


# -- the server -------------------------------------------------------------------------------------------------------


class LLMServer:
    """`asked` holds every chat request, `ended` counts those that are over, `gone` the clients that left before."""

    def __init__(self, port: int = 0) -> None:
        self.asked: list[Asked] = []
        self.ended = self.gone = 0
        self.release = threading.Event()
        self.closing = threading.Event()
        self._script: list[Play] = []
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                data = [{"id": model, "object": "model"} for model in (*MODELS, *(f"scripted-{p}" for p in PLAYS))]
                _send_json(self, 200, {"object": "list", "data": data})

            def do_POST(self) -> None:
                try:
                    server._serve(self)
                finally:
                    server.ended += 1

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True

    @property
    def url(self) -> str:
        """Where an OpenAI-compatible client finds it; Groq's SDK adds its own path to `host`."""
        return f"{self.host}/v1"

    @property
    def host(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def play(self, *plays: Play | str) -> None:
        """Queues what the next requests get."""
        self._script.extend(Play(name=play) if isinstance(play, str) else play for play in plays)

    def _next(self, model: str) -> Play:
        with self._lock:
            if self._script:
                return self._script.pop(0)
        name = model.rsplit("scripted-", 1)[-1].replace("-", "_")
        return Play(name=name, seconds=1.0) if name in PLAYS else Play()

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers.get("content-length") or 0)))
        if not handler.path.endswith("/chat/completions"):
            return _send_json(handler, 404, {"error": {"message": "No such route.", "code": "not_found"}})
        asked = Asked(handler.path, {k.lower(): v for k, v in handler.headers.items()}, body)
        with self._lock:
            self.asked.append(asked)
            number = len(self.asked)
        play = self._next(str(body.get("model", "")))
        if play.name in _ERRORS and not (play.limit and len(json.dumps(body)) <= play.limit):
            return self._refuse(handler, play)
        try:
            self._stream(handler, asked, play, number)
        except (_Gone, BrokenPipeError, ConnectionResetError):
            with self._lock:
                self.gone += 1
        handler.close_connection = True
        return None

    @staticmethod
    def _refuse(handler: BaseHTTPRequestHandler, play: Play) -> None:
        status, code, message = _ERRORS[play.name]
        headers = {"retry-after": play.retry_after} if play.retry_after is not None else {}
        body = {"error": {"message": play.text or message, "type": "error", "code": code}}
        _send_json(handler, status, body, headers)

    def _stream(self, handler: BaseHTTPRequestHandler, asked: Asked, play: Play, number: int) -> None:
        if play.name == "hangs_up":
            handler.connection.shutdown(socket.SHUT_RDWR)
            return
        say = _Voice(self, handler, asked, play, number)
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.send_header("x-request-id", f"req-{number}")
        handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()
        say.answer()

    def wait(self, handler: BaseHTTPRequestHandler, seconds: float | None) -> None:
        """Waits for `release`, or for `seconds`; _Gone when the client leaves meanwhile."""
        rounds = 10**9 if seconds is None else max(round(seconds * 100), 1)
        for _ in range(rounds):
            if self.closing.is_set() or (seconds is None and self.release.is_set()):
                return
            if select.select([handler.connection], [], [], 0.01)[0] and not _peek(handler.connection):
                raise _Gone


class _Voice:
    """Writes one streamed answer."""

    def __init__(
        self, server: LLMServer, handler: BaseHTTPRequestHandler, asked: Asked, play: Play, number: int
    ) -> None:
        self.server, self.handler, self.asked, self.play, self.number = server, handler, asked, play, number

    def answer(self) -> None:
        name = self.play.name
        text = self.play.text if self.play.text is not None else _TEXTS.get(name, _normal)(self.asked)
        self._chunk({"role": "assistant", "content": ""}, first=True)
        if name == "slow_first_token":
            self.server.wait(self.handler, self.play.seconds)
        if name == "not_json":
            self._write(b"data: {not json}\n\n")
            return self._close()
        if name in ("reasoning", "reasoning_only"):
            for word in ("The ", "person ", "wants ", "secrets. "):
                self._chunk({"reasoning": word, "reasoning_content": word})
        pieces = re.findall(r"\S+\s*|\s+", text)
        for place, piece in enumerate(pieces):
            if name in ("stall", "cut", "no_finish", "error_in_stream") and place > len(pieces) // 2:
                return self._break(name)
            self._chunk({"content": piece})
        self._end(len(pieces))
        return None

    def _break(self, name: str) -> None:
        if name == "stall":
            self.server.wait(self.handler, None)
        elif name == "error_in_stream":
            error = {"message": "The model crashed.", "type": "server_error", "code": "internal"}
            self._write(b"data: " + json.dumps({"error": error}).encode() + b"\n\n")
            self._close()
        elif name == "cut":
            self.handler.connection.shutdown(socket.SHUT_RDWR)
        else:  # a clean end without saying so
            self._close()

    def _end(self, words: int) -> None:
        usage = {"prompt_tokens": len(self.asked.user.split()), "completion_tokens": words}
        usage["total_tokens"] = sum(usage.values())
        self._chunk({}, finish="length" if self.play.name in ("length", "babble") else "stop", usage=usage)
        self._write(b"data: [DONE]\n\n")
        self._close()

    def _chunk(
        self, delta: dict[str, str], *, finish: str | None = None, usage: Any = None, first: bool = False
    ) -> None:
        chunk: dict[str, Any] = {
            "id": f"chatcmpl-{self.number}",
            "object": "chat.completion.chunk",
            "created": 1764547200,
            "model": self.asked.body.get("model"),
            "system_fingerprint": "fp_scripted",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }
        if first or finish:
            chunk["x_groq"] = {"id": f"req-{self.number}", **({"usage": usage} if usage else {})}
        if usage:
            chunk["usage"] = usage
        # Raw UTF-8, so that a small `step` splits characters; half a surrogate pair can only be written escaped.
        text = json.dumps(chunk, ensure_ascii=any("\ud800" <= c <= "\udfff" for c in "".join(delta.values())))
        self._write(f"data: {text}\n\n".encode())

    def _write(self, data: bytes) -> None:
        step = self.play.step or len(data)
        for start in range(0, len(data), step):
            part = data[start : start + step]
            self.handler.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.handler.wfile.flush()

    def _close(self) -> None:
        self.handler.wfile.write(b"0\r\n\r\n")


def _send_json(handler: BaseHTTPRequestHandler, status: int, body: Any, headers: Mapping[str, str] = {}) -> None:
    content = json.dumps(body).encode()
    handler.send_response(status)
    for name, value in {"content-type": "application/json", **headers}.items():
        handler.send_header(name, value)
    handler.send_header("content-length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def _peek(connection: socket.socket) -> bytes:
    with contextlib.suppress(OSError):
        return connection.recv(1, socket.MSG_PEEK)
    return b""


@contextmanager
def llm_server(*plays: Play | str, port: int = 0) -> Iterator[LLMServer]:
    """A running server whose first requests get these plays."""
    server = LLMServer(port)
    server.play(*plays)
    thread = threading.Thread(target=server.server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.server.shutdown()
        server.server.server_close()
        thread.join()


def _main() -> None:
    parser = argparse.ArgumentParser(description="Serves scripted answers on the chat-completions wire.")
    parser.add_argument("--port", type=int, default=11435)
    with llm_server(port=parser.parse_args().port) as server:
        print(f"scripted models at {server.url}; ask for scripted-NAME, NAME one of: {', '.join(PLAYS)}", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    _main()
