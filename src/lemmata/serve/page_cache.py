"""Pages that were made, kept while what they show stands: many tabs that look cost the computing next to nothing."""

import gzip
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

MOST_KEPT = 600  # every claim and experiment, and the lists
WORTH_PACKING = 1_000  # bytes; fewer fit into one packet anyway


@dataclass(frozen=True)
class Body:
    """An answer's bytes, and the same packed."""

    plain: bytes
    packed: bytes | None
    media_type: str

    def answer(self, request: Request, **headers: str) -> Response:
        if self.packed is None:
            return Response(self.plain, media_type=self.media_type, headers=headers)
        headers["vary"] = "accept-encoding"
        if "gzip" in request.headers.get("accept-encoding", ""):
            return Response(self.packed, media_type=self.media_type, headers=headers | {"content-encoding": "gzip"})
        return Response(self.plain, media_type=self.media_type, headers=headers)


def body(content: bytes, media_type: str) -> Body:
    is_text = media_type.startswith("text/") or media_type in ("application/json", "image/svg+xml")
    packed = gzip.compress(content, 6, mtime=0) if is_text and len(content) > WORTH_PACKING else None
    return Body(content, packed, media_type)


class Rendered:
    """By address, the last that were asked for; `stands` says of what state of things a page was made."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[Hashable, Body]] = OrderedDict()

    async def answer(self, request: Request, key: Hashable, make: Callable[[Request], str]) -> Response:
        path = request.url.path
        kept = self._kept.get(path)
        if kept is None or kept[0] != key:
            made = await run_in_threadpool(lambda: body(make(request).encode(), "text/html"))
            kept = self._kept[path] = (key, made)
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return kept[1].answer(request)


def files(places: dict[str, Path], types: dict[str, str]) -> dict[str, Body]:
    """Files that ship with the package, read once."""
    return {name: body(path.read_bytes(), types[path.suffix]) for name, path in places.items()}
