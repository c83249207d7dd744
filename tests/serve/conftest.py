"""A live page of the toy paper on a real port."""

import threading
import time
from collections.abc import Iterator

import pytest

from lemmata.core import registry
from lemmata.run import Store
from live_page import LACK, TOKEN, TOY, Page


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    if LACK:
        pytest.skip(LACK)
    from lemmata.serve.app import make_app
    from lemmata.serve.guard import Guard
    from lemmata.serve.start import free_port, server_of

    patch = pytest.MonkeyPatch()
    patch.setenv(registry.PATHS, str(TOY))
    registry.forget()
    listening = free_port(0)
    port = listening.getsockname()[1]
    app, live = make_app(Store(tmp_path_factory.mktemp("live") / "store"), "smoke", TOKEN)
    live.known.records()  # as `lemmata serve` does: no request waits for all papers to be imported
    server = server_of(Guard(app, TOKEN, port))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield Page(port, live)
    server.should_exit = True
    thread.join(10)
    assert not thread.is_alive()
    patch.undo()
    registry.forget()
