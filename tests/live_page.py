"""Requests to a live page that are sent exactly as written, and the mark of tests that need the extra."""

import http.client
import json
import time
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lemmata.core.extras import missing_extra
from lemmata.run import Store

if TYPE_CHECKING:
    from lemmata.serve.app import Live

TOY = Path(__file__).parent / "toy"
TOKEN = "a-token-of-the-tests"
LACK = missing_extra("serve")
needs_serve = pytest.mark.skipif(LACK is not None, reason=LACK or "")


@dataclass(frozen=True)
class Answer:
    status: int
    text: str
    headers: dict[str, str]
    size: int


@dataclass(frozen=True)
class Page:
    """The server, and requests to it that are sent exactly as written: no library tidies their paths."""

    port: int
    live: "Live"

    @property
    def store(self) -> Store:
        return self.live.store

    def raw(self, method: str, target: str, headers: dict[str, str] | None = None, body: bytes = b"") -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection._validate_path = lambda url: None  # type: ignore[attr-defined]
        try:
            connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            for name, value in ({"Host": f"127.0.0.1:{self.port}"} | (headers or {})).items():
                connection.putheader(name, value)
            connection.endheaders(body or None)
            answer = connection.getresponse()
            content = answer.read()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, content.decode("utf-8", "replace"), found, len(content))
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        return self.raw("GET", f"/{TOKEN}/{path}", headers)

    def post(self, path: str, data: Any, **headers: str) -> Answer:
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        own = {"Origin": f"http://127.0.0.1:{self.port}", "Content-Type": "application/json"}
        return self.raw("POST", f"/{TOKEN}/{path}", own | {"Content-Length": str(len(body))} | headers, body)

    def until(self, id: str, *states: str, seconds: float = 60) -> str:
        end = time.monotonic() + seconds
        while (state := self.state(id)) not in states:
            assert time.monotonic() < end, f"still {state}"
            time.sleep(0.05)
        return state

    def state(self, id: str) -> str:
        job = self.live.queue.job(id)
        assert job is not None
        return job.state


class Elements(HTMLParser):
    """Every element's name and attributes, and whether all that was opened was closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, Any]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in ("br", "hr", "img", "input", "link", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def all(self, tag: str) -> list[dict[str, Any]]:
        return [attributes for name, attributes in self.found if name == tag]
