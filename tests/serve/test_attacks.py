"""Whoever is not the page itself is refused in one line: nothing is run, nothing is read."""

import asyncio
import socket
from pathlib import Path
from urllib.parse import quote

import pytest

from live_page import TOKEN, Answer, Page, needs_serve

pytestmark = needs_serve
QUESTION = {"experiment": "toy/decay", "scale": "smoke", "set": {"rate": "0.25"}}
PATHS = (
    "",
    "claim/toy/rate",
    "change/toy/decay",
    "figure/toy/decay.png",
    "query?sql=SELECT+1",
    "events",
    "static/live.css",
)


def refused(answer: Answer, *statuses: int, says: str = "") -> None:
    assert answer.status in statuses
    assert answer.text.strip().count("\n") == 0
    assert len(answer.text) < 2_000
    assert "Traceback" not in answer.text
    assert says in answer.text


@pytest.fixture(autouse=True)
def nothing_is_run(page: Page) -> object:
    yield
    assert page.live.queue.jobs() == []
    assert page.store.digests() == []
    assert list((page.store.root / "queue").glob("*/*")) == []


def test_another_sites_form(page: Page) -> None:
    for kind in ("application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"):
        answer = page.post("ask", QUESTION, Origin="http://evil.example", **{"Content-Type": kind})
        refused(answer, 403, says="another site")
        refused(page.post("ask", QUESTION, **{"Content-Type": kind}), 415, says="application/json")
    refused(page.post("ask", QUESTION, Origin="null"), 403)


def test_another_sites_fetch(page: Page) -> None:
    for path in PATHS:
        refused(page.get(path, Origin="https://evil.example"), 403, says="another site")
        refused(page.get(path, **{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}), 403)
        refused(page.get(path, **{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}), 403)
    refused(page.post("ask", QUESTION, Origin=f"http://127.0.0.1:{page.port + 1}"), 403)
    refused(page.post("ask", QUESTION, **{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}), 403)
    headers = {"Content-Type": "application/json", "Content-Length": "2"}
    refused(page.raw("POST", f"/{TOKEN}/ask", headers, b"{}"), 403, says="no origin")
    assert "access-control-allow-origin" not in page.get("").headers


def test_a_rebound_host(page: Page) -> None:
    for host in ("evil.example", f"evil.example:{page.port}", "127.0.0.1", f"127.0.0.1.evil.example:{page.port}", ""):
        refused(page.get("", Host=host), 421, says="not this server")
    assert page.get("", Host=f"localhost:{page.port}").status == 200


def test_a_missing_token(page: Page) -> None:
    for path in PATHS:
        for token in ("", "wrong", TOKEN[:-1], TOKEN + "x", TOKEN.upper()):
            refused(page.raw("GET", f"/{token}/{path}"), 403, says="token")
    refused(page.raw("GET", "/"), 403, says="token")
    answer = page.raw("POST", "/ask", {"Origin": f"http://127.0.0.1:{page.port}"})
    refused(answer, 403, says="token")


@pytest.mark.parametrize(
    "climb", ["../", "..%2f", "%2e%2e/", "%2e%2e%2f", "%252e%252e%252f", "..\\", "%2e%2e%5c", "%00"]
)
def test_climbing_in_every_path_parameter(page: Page, climb: str) -> None:
    secret = page.store.root.parent / "secret.png"
    secret.write_text("not for you")
    targets = ("claim/{}/rate", "claim/toy/{}", "experiment/{}/decay", "experiment/toy/{}", "change/{}/decay",
               "change/toy/{}", "play/toy/{}", "frames/toy/{}", "figure/toy/{}.png", "figure/{}/decay.png",
               "figure/toy/decay.{}", "graph/{}", "result/{}/figure.png", "result/x/{}", "static/{}")  # fmt: skip
    for target in targets:
        answer = page.get(target.format(f"{climb * 4}secret.png"))
        refused(answer, 400, 404)
        assert "not for you" not in answer.text
    refused(page.post(f"cancel/{climb}x", {}), 400, 404)


@pytest.mark.parametrize(
    "sql",
    [
        "COPY (SELECT 1) TO '{out}'",
        "CREATE TABLE t AS SELECT 1",
        "ATTACH '{out}' AS other",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "PRAGMA version",
        "EXPORT DATABASE '{out}'",
        "SELECT 1; COPY (SELECT 1) TO '{out}'",
        "SELECT * FROM read_text('{secret}')",
        "SELECT * FROM read_csv('{secret}')",
        "SELECT * FROM '{secret}'",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM read_parquet('{secret}')",
    ],
)
def test_sql_that_writes_or_reads_a_file(page: Page, tmp_path: Path, sql: str, stored_metrics: None) -> None:
    secret, out = tmp_path / "secret.csv", tmp_path / "out"
    secret.write_text("word\nnot for you\n")
    text = sql.format(out=out, secret=secret)
    answer = page.get(f"query?sql={quote(text)}")
    assert answer.status == 400
    assert 'role="alert">query: ' in answer.text
    assert "not for you" not in answer.text
    assert not out.exists()


@pytest.fixture
def stored_metrics(page: Page, nothing_is_run: object) -> object:
    """SQL has something to look at; taken away again, because nothing else may be there."""
    from lemmata.core import Scale
    from lemmata.core.registry import select
    from lemmata.run import compute_all

    runs = select(["toy/decay"])[0].experiment.runs(Scale("smoke"))
    compute_all(list(runs.values()), page.store, jobs=1)
    assert page.get("query?sql=SELECT+count(*)+FROM+metrics").status == 200
    yield
    for digest in page.store.digests():
        page.store.remove(digest)


def test_an_id_of_a_megabyte(page: Page) -> None:
    long = "x" * 1_000_000
    refused(page.get(f"claim/toy/{long[:20_000]}"), 414, says="too long")
    refused(page.get(f"claim/toy/rate?x={long[:20_000]}"), 414, says="too long")
    refused(page.get(f"claim/toy/{'x' * 400}"), 400, says="at most 200 characters")
    refused(page.post("ask", QUESTION | {"experiment": "toy/" + long}), 413)
    refused(page.post("ask", QUESTION | {"experiment": "toy/" + long[:50_000]}), 400, says="at most 200 characters")
    try:
        answer = page.get(f"claim/toy/{long}")
    except OSError:  # the server hung up while it was still being sent
        return
    refused(answer, 400, 414)


@pytest.mark.parametrize(
    ("question", "says"),
    [
        (QUESTION | {"set": {"rat": "0.25"}}, "did you mean"),
        (QUESTION | {"set": {"rate": "2.5"}}, "below 2"),
        (QUESTION | {"set": {"steps": "0"}}, "at least 1"),
        (QUESTION | {"set": {"rate": "fast"}}, "rate"),
        (QUESTION | {"set": {"rate": 0.25}}, "table of texts"),
        (QUESTION | {"set": [["rate", "1"]]}, "table of texts"),
        (QUESTION | {"set": {f"k{i}": "1" for i in range(61)}}, "at most 60"),
        (QUESTION | {"scale": "huge"}, "scale"),
        (QUESTION | {"experiment": "toy/nothing"}, "toy/nothing"),
        (QUESTION | {"experiment": "toy"}, "no experiment"),
        (QUESTION | {"command": "rm"}, "no others"),
        ([1], "no others"),
        (b"{", "not JSON"),
        (b"[" * 60_000, "not JSON"),
    ],
)
def test_a_config_that_is_not_possible(page: Page, question: object, says: str) -> None:
    refused(page.post("ask", question), 400, says=says)


def test_other_methods_and_places(page: Page) -> None:
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"):
        refused(page.raw(method, f"/{TOKEN}/"), 405, says="GET, HEAD or POST")
    refused(page.raw("GET", "*"), 400, says="begins with a slash")
    refused(page.get("nowhere"), 404)
    refused(page.get("change/toy/decay?set=rate"), 400, says="key=value")
    refused(page.get("change/toy/decay?set=rate=5"), 400, says="below 2")


def test_a_connection_that_asks_nothing_is_closed(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    from lemmata.serve import start

    monkeypatch.setattr(start, "ASKS_WITHIN", 0.2)
    with socket.create_connection(("127.0.0.1", page.port), timeout=10) as half_open:
        half_open.sendall(b"GET / HTTP/1.1\r\nHost: ")
        assert half_open.recv(100) == b"", "the server has closed it"
    host = f"Host: 127.0.0.1:{page.port}\r\n".encode()
    requested = b"GET /" + TOKEN.encode() + b"/static/live.css HTTP/1.1\r\n" + host + b"\r\n"
    posted = b"POST /" + TOKEN.encode() + b"/ask HTTP/1.1\r\n" + host + b"Origin: http://" + host[6:]
    posted += b"Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n{"
    for half in (requested + b"GET / HTTP/1.1\r\nHost: ", posted):  # a second one, and one whose body does not come
        with socket.create_connection(("127.0.0.1", page.port), timeout=10) as half_open:
            half_open.sendall(half)
            while half_open.recv(100_000):
                pass
    monkeypatch.setattr(start, "ASKS_WITHIN", 10.0)
    assert page.get("").status == 200


def test_many_connections_that_ask_nothing_make_room(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    from lemmata.serve import start

    monkeypatch.setattr(start, "MOST_SILENT", 20)
    silent = [socket.create_connection(("127.0.0.1", page.port), timeout=10) for _ in range(60)]
    assert page.get("").status == 200
    assert silent[0].recv(10) == b"", "the oldest was closed"
    silent[-1].settimeout(0.1)
    with pytest.raises(TimeoutError):
        silent[-1].recv(10)
    for one in silent:
        one.close()


def test_whoever_is_refused_keeps_no_connection(page: Page) -> None:
    assert page.raw("GET", "/wrong/").headers["connection"] == "close"


def test_the_token_is_in_no_processs_arguments(page: Page) -> None:
    from lemmata.serve.start import redirecting_to

    path = redirecting_to("http://127.0.0.1:1/secret/")
    assert "secret" not in path.as_uri()
    assert path.stat().st_mode & 0o077 == 0
    assert 'content="0;url=http://127.0.0.1:1/secret/"' in path.read_text()
    path.unlink()


def test_every_answer_is_under_the_policy(page: Page) -> None:
    for path in (*PATHS[:4], "nowhere", "static/find.js"):
        headers = page.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-content-type-options"] == "nosniff"
    text = page.get("claim/toy/rate").text
    assert "&lt;fast&gt; &amp; surely" in text
    assert "<fast>" not in text
    assert "style=" not in text
    assert "onclick" not in text


def test_an_answer_is_no_larger_than_a_page_needs(page: Page, stored_metrics: None) -> None:
    for sql in ("SELECT repeat('x', 30000000)", "SELECT repeat('x', 100000) FROM range(1000)"):
        answer = page.get(f"query?sql={quote(sql)}")
        assert answer.status == 400
        assert "more than 2000000 characters" in answer.text
        assert len(answer.text) < 20_000


def test_streams_that_are_asked_for_at_once(page: Page) -> None:
    """Each was let in before any had begun: those beyond the limit end."""
    from lemmata.serve.hub import MOST_TABS, Hub

    async def many() -> int:
        hub = Hub()
        streams = [hub.events([]) for _ in range(MOST_TABS + 20)]
        begun = await asyncio.gather(*(anext(stream, None) for stream in streams))
        for stream in streams:
            await stream.aclose()
        return sum(text is not None for text in begun)

    assert asyncio.run(many()) == MOST_TABS
