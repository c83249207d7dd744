"""`lemmata serve`: a server on this machine alone, at an address that only its terminal knows."""

import contextlib
import os
import secrets
import socket
import threading
import webbrowser

import uvicorn
from rich.console import Console

from lemmata.core import UserError
from lemmata.core.scale import ScaleName
from lemmata.run import Store
from lemmata.serve.app import make_app
from lemmata.serve.guard import Guard

LOOPBACK = "127.0.0.1"
TRIED = 20  # ports, from the one that was asked for


def serve(page: str, store: Store, scale: ScaleName, port: int, *, browser: bool, console: Console) -> int:
    """Until it is interrupted. `page`: what to show first, as a page's “send it” says."""
    token = secrets.token_urlsafe(24)
    listening = free_port(port)
    port = listening.getsockname()[1]
    app, live = make_app(store, scale, token)
    live.known.rows()  # so that the first view need not wait
    address = f"http://{LOOPBACK}:{port}/{token}/{page.lstrip('/')}"
    console.print(f"lemmata: {address}", soft_wrap=True, markup=False, highlight=False)
    console.print("Only this machine, and only with this address. Ctrl-C ends it; what is asked for is kept.")
    if browser:
        webbrowser.open(address)
    server = server_of(Guard(app, token, port))
    live.is_over, live.opened = lambda: server.should_exit, give_way
    server.run(sockets=[listening])
    return 0


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
            http="h11",
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
