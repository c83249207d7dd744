"""`lemmata serve`: a server on this machine alone, at an address that only its terminal knows."""

import atexit
import contextlib
import os
import secrets
import socket
import tempfile
import threading
import webbrowser
from pathlib import Path
from typing import Any

import h11
import uvicorn
from rich.console import Console
from uvicorn.protocols.http.h11_impl import H11Protocol

from lemmata.core import UserError
from lemmata.core.scale import ScaleName
from lemmata.report.markup import element
from lemmata.run import Store
from lemmata.serve.app import make_app
from lemmata.serve.guard import Guard

LOOPBACK = "127.0.0.1"
ASKS_WITHIN = 10.0  # seconds, for a request to be there
MOST_SILENT = 100  # connections that have asked for nothing yet
MOST_CONNECTIONS = 500  # at a time, live streams among them
TRIED = 20  # ports, from the one that was asked for


def serve(page: str, store: Store, scale: ScaleName, port: int, *, browser: bool, console: Console) -> int:
    """Until it is interrupted. `page`: what to show first, as a page's “send it” says."""
    token = secrets.token_urlsafe(24)
    listening = free_port(port)
    port = listening.getsockname()[1]
    app, live = make_app(store, scale, token)
    live.known.records()  # so that the first view need not wait
    address = f"http://{LOOPBACK}:{port}/{token}/{page.lstrip('/')}"
    console.print(f"lemmata: {address}", soft_wrap=True, markup=False, highlight=False)
    console.print("Only this machine, and only with this address. Ctrl-C ends it; what is asked for is kept.")
    if browser:
        webbrowser.open(redirecting_to(address).as_uri())
    server = server_of(Guard(app, token, port))
    live.is_over, live.opened = lambda: server.should_exit, give_way
    server.run(sockets=[listening])
    return 0


def redirecting_to(address: str) -> Path:
    """A page that only this user can read and that leads there: a process' arguments, which hold what a browser is
    told to open, are everybody's to read, and the address holds the token."""
    descriptor, name = tempfile.mkstemp(prefix="lemmata-", suffix=".html")  # made so that others cannot read it
    with os.fdopen(descriptor, "w") as file:
        file.write(element("meta", http_equiv="refresh", content=f"0;url={address}"))
    atexit.register(Path(name).unlink, missing_ok=True)
    return Path(name)


class Prompt(H11Protocol):
    """A connection on which each request arrives whole and soon, or which is closed: half-open ones are not collected,
    and where there are many the oldest make room."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.began = self.loop.time()
        silent = [one for one in self.server_state.connections if isinstance(one, Prompt) and one.cycle is None]
        for one in sorted(silent, key=lambda one: one.began)[:-MOST_SILENT]:
            one.transport.close()
        self.loop.call_later(ASKS_WITHIN, self._close_if_silent, None)

    def _close_if_silent(self, before: Any) -> None:
        """Where no request has begun since the last look, and none is being answered."""
        if self.transport.is_closing():
            return
        if self.cycle is before and self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self.transport.close()
        else:
            self.loop.call_later(ASKS_WITHIN, self._close_if_silent, self.cycle)


def give_way() -> None:
    """Computing goes first: this thread and those it will start are slower to be served where cores are scarce. The
    queue's thread, which starts what computes, is there already and stays as it is. (Linux alone knows threads.)"""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)


def server_of(app: Guard) -> uvicorn.Server:
    """Plain HTTP and no more: no websockets, no proxies to believe, headers of a modest size, a quick end."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=Prompt,
            limit_concurrency=MOST_CONNECTIONS,
            ws="none",
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=1,
            h11_max_incomplete_event_size=32_000,
        )
    )


def free_port(wanted: int) -> socket.socket:
    """Listening on the loopback at this port, or at the next one that is free; 0: any."""
    if not 0 <= wanted <= 65535:
        raise UserError(f"--port {wanted} is not possible: 0 to 65535")
    for port in range(wanted, min(wanted + TRIED, 65536)):
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((LOOPBACK, port))
            listening.listen(128)
            return listening
        except OSError:
            listening.close()
    raise UserError(f"--port {wanted} is not possible: it and the {TRIED - 1} after it are taken")
