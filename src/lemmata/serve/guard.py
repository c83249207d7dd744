"""Who may ask the live page, and for what: everything else is refused in one line before any code of ours reads it."""

import hmac
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST_PATH = 600  # characters; the longest id is far shorter
LONGEST_QUERY = 8_000
LARGEST_BODY = 64_000  # bytes
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
DRAWING_POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # an SVG carries its own styles, and no script
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",  # the address holds the token
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}


@dataclass(frozen=True)
class Refusal(Exception):
    status: int
    reason: str


@dataclass(frozen=True)
class Guard:
    """Around the app: checks the request, strips the token from its path, and puts our headers on every answer."""

    app: ASGIApp
    token: str
    port: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no websockets here

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                ours = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *(pair for pair in ours if pair[0] not in given)]
            await send(message)

        try:
            path = self._admitted(scope)
        except Refusal as refusal:
            stranger = {"connection": "close"} if refusal.status in (403, 421) else {}  # holds no connection of ours
            checked = PlainTextResponse(f"{refusal.reason}\n", refusal.status, headers=stranger)
            await checked(scope, receive, answer)
            return
        await self.app({**scope, "path": path, "root_path": ""}, _limited(receive), answer)

    def _admitted(self, scope: Scope) -> str:
        """The path behind the token, of a request that may be answered."""
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        if len(raw) > LONGEST_PATH or len(scope["query_string"]) > LONGEST_QUERY:
            raise Refusal(
                414, f"the address is too long: at most {LONGEST_PATH} characters and {LONGEST_QUERY} of query"
            )
        hosts = {f"{name}:{self.port}" for name in ("127.0.0.1", "localhost")}
        if headers.get("host") not in hosts:
            raise Refusal(
                421, f"host {headers.get('host', '')[:80]!r} is not this server: only {' and '.join(sorted(hosts))}"
            )
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        if origin is not None and origin not in {f"http://{host}" for host in hosts}:
            raise Refusal(403, f"origin {origin[:80]!r} is another site")
        # An address that is typed, or followed from elsewhere, needs the token all the same; what a page loads does not
        # come from another site.
        if site not in ("same-origin", "none") and headers.get("sec-fetch-mode") != "navigate":
            raise Refusal(403, f"a request from another site ({site})")
        if scope["method"] not in ("GET", "HEAD", "POST"):
            raise Refusal(405, f"method {scope['method'][:20]!r} is not possible: GET, HEAD or POST")
        if not scope["path"].startswith("/"):
            raise Refusal(400, "the address is not possible: it begins with a slash")
        _, token, *rest = scope["path"].split("/", 2)
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            raise Refusal(403, "the token is missing or wrong: open the address that `lemmata serve` printed")
        if scope["method"] == "POST":
            _check_post(headers, origin)
        path = "/" + (rest[0] if rest else "")
        _check_path(path)
        return path


def _check_post(headers: dict[str, str], origin: str | None) -> None:
    if origin is None:
        raise Refusal(403, "a change must come from the page itself: no origin was sent")
    if headers.get("content-type", "").partition(";")[0] != "application/json":
        raise Refusal(415, "a change is sent as application/json")
    length = headers.get("content-length", "")
    if not length.isdigit() or int(length) > LARGEST_BODY:
        raise Refusal(413, f"a change says its length, at most {LARGEST_BODY} bytes")


def _check_path(path: str) -> None:
    """No part of an address climbs, however often it is encoded."""
    seen = path
    for _ in range(3):
        bad = any(part in (".", "..") for part in seen.replace("\\", "/").split("/"))
        if bad or "\\" in seen or not seen.isprintable():
            raise Refusal(400, "the address is not possible: no '.', '..', backslash or unprintable character in it")
        seen = unquote(seen)


def _limited(receive: Receive) -> Receive:
    """The body, and no more of it than was announced."""
    left = LARGEST_BODY

    async def take() -> Any:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            return {"type": "http.disconnect"}
        return message

    return take
