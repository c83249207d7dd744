"""`lemmata serve` as a process: its address, a port that is taken, and a queue that outlives it."""

import os
import re
import signal
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest

import browser
from lemmata.core.extras import EXTRAS
from lemmata.run import Store
from live_page import needs_serve
from serving import NEXT, SLOW, ask, serving, state, wait_for


@needs_serve
@pytest.mark.skipif(not browser.lack(), reason="the same is done in a browser, which is here")
def test_a_killed_server_is_restarted_and_its_queue_goes_on(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with serving(store) as (process, address):
        first, second = ask(address, SLOW), ask(address, NEXT)
        wait_for(store, first["id"], "running")
        os.kill(process.pid, signal.SIGKILL)
        process.wait(10)
    assert state(store, first["id"]) == "running"
    assert state(store, second["id"]) == "waiting"
    with serving(store, first["path"]) as (_, address):
        assert address.endswith(first["path"])
        with urllib.request.urlopen(address, timeout=30) as page:
            text = page.read().decode()
        assert "30000000 (instead of 20" in text
        base = address.removesuffix(first["path"])
        headers = {"Origin": re.sub(r"(http://[^/]+)/.*", r"\1", base), "Content-Type": "application/json"}
        cancel = urllib.request.Request(f"{base}cancel/{first['id']}", b"{}", headers)
        urllib.request.urlopen(cancel, timeout=30).close()
        wait_for(store, second["id"], "done")
        assert state(store, first["id"]) == "cancelled"
    assert len(Store(store).digests()) == 1


@needs_serve
def test_a_second_server_of_a_store_only_looks(tmp_path: Path) -> None:
    from lemmata.core import UserError
    from lemmata.serve.question import requested
    from lemmata.serve.queue import Queue

    one, other = (Queue(Store(tmp_path), lambda row: None) for _ in range(2))
    one.open()
    other.open()
    assert one.is_ours
    assert not other.is_ours
    with pytest.raises(UserError, match="another server"):
        other.add(requested("ic-recall/fig-2", "smoke", {}))
    other.close()
    one.close()


@needs_serve
def test_a_port_that_is_taken_gives_the_next() -> None:
    from lemmata.core import UserError
    from lemmata.serve.start import free_port

    first = free_port(0)
    port = first.getsockname()[1]
    second = free_port(port)
    assert port < second.getsockname()[1] <= port + 19
    assert second.getsockname()[0] == "127.0.0.1"
    first.close()
    second.close()
    with pytest.raises(UserError, match="0 to 65535"):
        free_port(70_000)


def test_without_the_extra_it_is_one_line(refused, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXTRAS, "serve", ("no_such_module",))
    refused("serve", says="pip install 'lemmata[serve]'")


def test_commands_start_without_a_web_package() -> None:
    code = "import sys, lemmata.cli, lemmata.commands.compute; print({'starlette', 'uvicorn'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "set()"


@needs_serve
def test_an_interrupted_server_ends_quietly_though_a_tab_listens(tmp_path: Path) -> None:
    with serving(tmp_path / "store") as (process, address), urllib.request.urlopen(f"{address}events") as stream:
        assert stream.readline() == b"event: jobs\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(180) in (0, -signal.SIGINT, 130)  # its threads give way to whatever computes
        assert process.stderr is not None
        assert process.stderr.read().splitlines()[1:] == []  # one line says so, and no traceback


@needs_serve
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread has no priority of its own")
def test_the_page_gives_way_and_what_it_started_before_does_not() -> None:
    """`give_way` in one thread: that thread and those it starts afterwards, and no other."""
    from lemmata.serve.start import give_way

    found: dict[str, int] = {}

    def note(name: str) -> None:
        found[name] = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    def page() -> None:
        give_way()
        note("page")
        later = threading.Thread(target=note, args=("later",))
        later.start()
        later.join()

    note("before")
    thread = threading.Thread(target=page)
    thread.start()
    thread.join()
    note("after")
    assert found == {"page": 19, "later": 19, "before": found["after"], "after": found["after"]}
    assert found["after"] < 19
