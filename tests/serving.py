"""`lemmata serve` as a process of its own, and its queue as it is kept."""

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lemmata.core import registry
from live_page import TOY

SLOW = {"experiment": "toy/decay", "scale": "smoke", "set": {"steps": "30000000", "every": "10000"}}
NEXT = {"experiment": "toy/decay", "scale": "smoke", "set": {"rate": "0.25"}}


@contextmanager
def serving(store: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    options = ["--store", str(store), "--scale", "smoke", "--port", "0"]
    command = [sys.executable, "-m", "lemmata", "serve", *options, *words]
    environment = os.environ | {registry.PATHS: str(TOY), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/\S+", line)
        assert found, line + (process.stderr.read() if process.stderr else "")
        yield process, found.group()
    finally:
        process.kill()
        process.communicate()


def ask(address: str, question: dict) -> dict:
    base = re.match(r"(http://[^/]+)/[^/]+/", address)
    assert base
    headers = {"Origin": base.group(1), "Content-Type": "application/json"}
    request = urllib.request.Request(f"{base.group()}ask", json.dumps(question).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def state(store: Path, id: str) -> str:
    return json.loads((store / "queue" / id / "job.json").read_text())["state"]


def wait_for(store: Path, id: str, wanted: str, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while state(store, id) != wanted:
        assert time.monotonic() < end, state(store, id)
        time.sleep(0.1)
