"""One stream of events for any number of tabs. An event is the whole state of a job, so a slow tab may miss some."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

HEARTBEAT = 15.0  # seconds
MOST_TABS = 200
ROOM = 64  # events that wait for one slow tab


class Hub:
    def __init__(self) -> None:
        self._tabs: set[asyncio.Queue[str | None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def attach(self) -> None:
        """To the event loop that runs now."""
        self._loop = asyncio.get_running_loop()

    @property
    def is_full(self) -> bool:
        return len(self._tabs) >= MOST_TABS

    def publish(self, row: dict[str, Any]) -> None:
        """From any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._deliver, as_event("job", row))

    async def close_when(self, is_over: Callable[[], bool]) -> None:
        """Tabs that listen would hold up a server that is asked to end."""
        while not is_over():
            await asyncio.sleep(0.2)
        self.close()

    def close(self) -> None:
        for tab in self._tabs:
            _put(tab, None)

    def _deliver(self, text: str) -> None:
        for tab in self._tabs:
            _put(tab, text)

    async def events(self, first: list[dict[str, Any]]) -> AsyncIterator[str]:
        """What one tab is sent: how things stand, then what changes."""
        if self.is_full:  # many that asked at once were all let in
            return
        tab: asyncio.Queue[str | None] = asyncio.Queue(ROOM)
        self._tabs.add(tab)
        try:
            yield as_event("jobs", first)
            while True:
                try:
                    text = await asyncio.wait_for(tab.get(), HEARTBEAT)
                except TimeoutError:
                    text = ": still here\n\n"
                if text is None:
                    return
                yield text
        finally:
            self._tabs.discard(tab)


def as_event(name: str, data: Any) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


def _put(tab: asyncio.Queue[str | None], text: str | None) -> None:
    if tab.full():
        tab.get_nowait()
    tab.put_nowait(text)
