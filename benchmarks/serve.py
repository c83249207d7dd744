"""The live page under load, on the loopback of this machine alone: 50 tabs that listen and 500 requests a second.

    python benchmarks/serve.py            # about two minutes
    python benchmarks/serve.py --json

A server of its own computes one long question meanwhile. Three kinds of stretches take turns, so that whatever else the
machine does falls on all: without load; with the load on a bare server that holds its answers ready; with the load on
the page. The second tells what asking costs by itself, the third what the page adds. Computing is the steps a second
that the question's progress tells.
"""

import argparse
import asyncio
import contextlib
import gzip
import itertools
import json
import multiprocessing
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TABS, RATE, CONNECTIONS = 50, 500, 60
STRETCHES, SECONDS = 6, 6.0  # of each kind: 36 s
QUESTION = {"experiment": "association/fig-3", "scale": "laptop", "set": {"replication": "77", "steps": "4000"}}
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


def bare(line: Any, answers: dict[str, bytes]) -> None:
    """A server that looks its answers up, as willing to give way as the page is; its port goes down the line."""
    os.nice(19)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                body = answers[head.split(b" ", 2)[1].decode()]
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
        writer.close()

    async def forever() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        line.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(forever())


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


async def load(server: Server, seen: Seen) -> None:
    """A stretch of requests."""
    until = time.monotonic() + SECONDS
    await asyncio.gather(*(look(server, seen, until, i) for i in range(CONNECTIONS)))


async def measure(server: Server, start_bare: Callable[[dict[str, bytes]], int]) -> dict[str, Any]:
    seen, aside = Seen(), Seen()
    seconds, size = await first_view(server)
    answers = {f"{server.base}{path}": (await ask(server, path))[1] for path in LOOKED_AT}
    plain = Server(server.pid, start_bare(answers), server.base)
    status, _ = await ask(server, "ask", json.dumps(QUESTION).encode())
    assert status == 202
    tabs = [asyncio.create_task(listen(server, seen, notes=i == 0)) for i in range(TABS)]
    while len(seen.progress) < 40:  # compiled, and on its way
        await asyncio.sleep(0.2)
    before, paces, busy = server.memory(), [], 0.0
    after_first = before
    for stretch in range(STRETCHES):
        moments = [time.monotonic()]
        await asyncio.sleep(SECONDS)
        moments.append(time.monotonic())
        await load(plain, aside)
        moments.append(time.monotonic())
        spent = server.cpu()
        await load(server, seen)
        moments.append(time.monotonic())
        busy += server.cpu() - spent
        paces.append([pace(seen, start, end) for start, end in itertools.pairwise(moments)])
        after_first = server.memory() if stretch == 0 else after_first
    for tab in tabs:
        tab.cancel()
    whole = [turn for turn in paces if all(turn)]
    waits = sorted(seen.waits)

    def slowed(kind: int, against: int) -> float:
        return 1 - statistics.median(turn[kind] / turn[against] for turn in whole) if whole else float("nan")

    return {
        "first view, s": seconds,
        "first view, kB": size / 1000,
        "requests": len(waits),
        "requests a second": len(waits) / (STRETCHES * SECONDS),
        "errors": seen.errors + aside.errors,
        "median wait, ms": 1000 * statistics.median(waits),
        "99% wait, ms": 1000 * waits[int(0.99 * len(waits))],
        "events told": seen.events,
        "memory before, MiB": before,
        "memory after the first stretch, MiB": after_first,
        "memory after, MiB": server.memory(),
        "server's cores under load": busy / (STRETCHES * SECONDS),
        "turns compared": len(whole),
        "computing slowed by asking alone": slowed(1, 0),
        "computing slowed by the page besides": slowed(2, 1),
        "computing slowed by both": slowed(2, 0),
    }


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args(words).json
    with tempfile.TemporaryDirectory() as store:
        command = [sys.executable, "-u", "-m", "lemmata", "serve", "--store", store, "--port", "0"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        spawn = multiprocessing.get_context("spawn")
        here, there = spawn.Pipe()
        beside: list[Any] = []

        def start_bare(answers: dict[str, bytes]) -> int:
            beside.append(spawn.Process(target=bare, args=(there, answers), daemon=True))
            beside[0].start()
            return here.recv()

        try:
            assert process.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:(\d+)(/\S+/)", process.stdout.readline())
            assert found
            checked = asyncio.run(measure(Server(process.pid, int(found.group(1)), found.group(2)), start_bare))
        finally:
            for one in beside:
                one.terminate()
            process.terminate()
            process.wait(30)
    print(
        json.dumps(checked, indent=1)
        if as_json
        else "\n".join(f"{name:40}{value:10.3g}" for name, value in checked.items())
    )


if __name__ == "__main__":
    main()
