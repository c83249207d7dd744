"""The live page under load, on the loopback of this machine alone: 50 tabs that listen and 500 requests a second.

    python benchmarks/serve.py            # about two minutes
    python benchmarks/serve.py --json

A server of its own computes one long question meanwhile. Stretches with load and without take turns, so that whatever
else the machine does falls on both; computing is the steps a second that the question's progress tells.
"""

import argparse
import asyncio
import gzip
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TABS, RATE, CONNECTIONS = 50, 500, 60
STRETCHES, SECONDS = 6, 6.0  # with load, and as many without: 36 s of each
QUESTION = {"experiment": "association/fig-3", "scale": "laptop", "set": {"replication": "77"}}
LOOKED_AT = (
    *("", "claim/ic-recall/pairwise-line", "experiment/association/fig-3", "claim/lego/separation", "queue"),
    *(
        "static/find.js",
        "static/page.css",
        "claim/association/fig-3",
        "graph/ic-recall",
        "claim/knowledge/multiplicity",
    ),
)


@dataclass
class Seen:
    """What the load saw."""

    waits: list[float] = field(default_factory=list)
    errors: int = 0
    events: int = 0
    progress: list[tuple[float, str, int]] = field(default_factory=list)  # when, of which stage, steps


@dataclass(frozen=True)
class Server:
    pid: int
    port: int
    base: str

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)

    def request(self, path: str, body: bytes = b"") -> bytes:
        host = f"127.0.0.1:{self.port}"
        lines = [f"{'POST' if body else 'GET'} {self.base}{path} HTTP/1.1", f"Host: {host}", "Accept-Encoding: gzip"]
        if body:
            own = ("Content-Type: application/json", f"Content-Length: {len(body)}", f"Origin: http://{host}")
            lines += own
        return "\r\n".join([*lines, "", ""]).encode() + body

    def memory(self) -> float:
        """MiB that it holds."""
        (line,) = [line for line in Path(f"/proc/{self.pid}/status").read_text().splitlines() if "VmRSS" in line]
        return int(line.split()[1]) / 1024

    def cpu(self) -> float:
        """Seconds that it has computed."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    length = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
    return int(head.split()[1]), await reader.readexactly(int(length.group(1))) if length else b""


async def ask(server: Server, path: str, body: bytes = b"") -> tuple[int, bytes]:
    reader, writer = await server.connect()
    writer.write(server.request(path, body))
    try:
        return await answer(reader)
    finally:
        writer.close()


async def listen(server: Server, seen: Seen, *, notes: bool) -> None:
    """One tab; one of them notes how far the question is."""
    reader, writer = await server.connect()
    writer.write(server.request("events"))
    try:
        while line := await reader.readline():
            seen.events += line.startswith(b"data: ")
            if notes and line.startswith(b"data: {"):
                job = json.loads(line.removeprefix(b"data: "))
                if "done" in (at := job["progress"]):
                    seen.progress.append((time.monotonic(), f"{at['run']} {at['stage']}", at["done"]))
    except asyncio.CancelledError:
        writer.close()
        raise


async def look(server: Server, seen: Seen, until: float, number: int) -> None:
    """One of the connections that share the rate."""
    reader, writer = await server.connect()
    pause, turn = CONNECTIONS / RATE, time.monotonic() + number / RATE
    while (now := time.monotonic()) < until:
        await asyncio.sleep(max(0.0, turn - now))
        turn += pause
        began = time.monotonic()
        writer.write(server.request(LOOKED_AT[(number + len(seen.waits)) % len(LOOKED_AT)]))
        try:
            status, _ = await asyncio.wait_for(answer(reader), 10)
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            status = 0
        seen.errors += status != 200
        seen.waits.append(time.monotonic() - began)
        if not status:
            reader, writer = await server.connect()
    writer.close()


def pace(seen: Seen, start: float, end: float) -> float | None:
    """Steps a second between two moments, by what was told just before each; None where a stage changed."""
    before = [max((one for one in seen.progress if one[0] <= at), default=None) for at in (start, end)]
    first, last = before
    if first is None or last is None or first[1] != last[1] or last[0] == first[0]:
        return None
    return (last[2] - first[2]) / (last[0] - first[0])


async def first_view(server: Server) -> tuple[float, int]:
    """Seconds and bytes of the index with all it loads, as a browser asks for it."""
    began = time.monotonic()
    status, page = await ask(server, "")
    assert status == 200
    text = gzip.decompress(page).decode()
    size = len(page)
    for path in re.findall(r'(?:href|src)="[^"]*?/(static/[^"]+)"', text):
        size += len((await ask(server, path))[1])
    return time.monotonic() - began, size


async def measure(server: Server) -> dict[str, Any]:
    seen = Seen()
    seconds, size = await first_view(server)
    for path in LOOKED_AT:
        await ask(server, path)
    status, _ = await ask(server, "ask", json.dumps(QUESTION).encode())
    assert status == 202
    tabs = [asyncio.create_task(listen(server, seen, notes=i == 0)) for i in range(TABS)]
    while len(seen.progress) < 40:  # compiled, and on its way
        await asyncio.sleep(0.2)
    before, quiet, loaded, busy = server.memory(), [], [], 0.0
    after_first = before
    for stretch in range(STRETCHES):
        began = time.monotonic()
        await asyncio.sleep(SECONDS)
        quiet.append(pace(seen, began, time.monotonic()))
        began, spent = time.monotonic(), server.cpu()
        await asyncio.gather(*(look(server, seen, began + SECONDS, i) for i in range(CONNECTIONS)))
        loaded.append(pace(seen, began, time.monotonic()))
        busy += server.cpu() - spent
        after_first = server.memory() if stretch == 0 else after_first
    for tab in tabs:
        tab.cancel()
    both = [(a, b) for a, b in zip(quiet, loaded, strict=True) if a and b]
    waits = sorted(seen.waits)
    return {
        "first view, s": seconds,
        "first view, kB": size / 1000,
        "requests": len(waits),
        "requests a second": len(waits) / (STRETCHES * SECONDS),
        "errors": seen.errors,
        "median wait, ms": 1000 * statistics.median(waits),
        "99% wait, ms": 1000 * waits[int(0.99 * len(waits))],
        "events told": seen.events,
        "memory before, MiB": before,
        "memory after the first stretch, MiB": after_first,
        "memory after, MiB": server.memory(),
        "server's cores under load": busy / (STRETCHES * SECONDS),
        "stretches compared": len(both),
        "computing slowed": 1 - statistics.median(b / a for a, b in both) if both else float("nan"),
    }


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args(words).json
    with tempfile.TemporaryDirectory() as store:
        command = [sys.executable, "-u", "-m", "lemmata", "serve", "--store", store, "--port", "0"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:(\d+)(/\S+/)", process.stdout.readline())
            assert found
            told = asyncio.run(measure(Server(process.pid, int(found.group(1)), found.group(2))))
        finally:
            process.terminate()
            process.wait(30)
    print(
        json.dumps(told, indent=1) if as_json else "\n".join(f"{name:40}{value:10.3g}" for name, value in told.items())
    )


if __name__ == "__main__":
    main()
