"""Find, read, change, watch and play back, on the toy paper."""

import http.client
import json
import re
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lemmata.core import Curves, Frames
from lemmata.serve.change_page import form
from lemmata.serve.question import requested
from live_page import TOKEN, Elements, Page, needs_serve

pytestmark = needs_serve
CHANGED = {"experiment": "toy/decay", "scale": "smoke", "set": {"rate": "0.25"}}


def listen(page: Page, seconds: float = 40) -> list[dict[str, Any]]:
    """What one tab is told of the next job, until that is over."""
    connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=seconds)
    connection.request("GET", f"/{TOKEN}/events")
    stream, checked = connection.getresponse(), []
    try:
        assert stream.getheader("content-type", "").startswith("text/event-stream")
        while True:
            line = stream.readline().decode()
            if line.startswith("data: {"):
                checked.append(json.loads(line.removeprefix("data: ")))
                if checked[-1]["state"] in ("done", "failed", "cancelled"):
                    return checked
    finally:
        connection.close()


def test_the_index_has_every_claim_and_is_small_and_quick(page: Page) -> None:
    page.get("")
    began = time.monotonic()
    answer = page.get("")
    assert time.monotonic() - began < 1
    assert answer.status == 200
    found = Elements(answer.text)
    loaded = [one["href"] for one in found.all("link")] + [one["src"] for one in found.all("script")]
    assert answer.size + sum(page.raw("GET", path).size for path in loaded) < 500_000
    items = [one for one in found.all("li") if "data-verdict" in one]
    assert len(items) == len(page.live.known.records()) > 250
    assert {"toy", "lego"} <= {one["data-paper"] for one in items}
    assert any(one["type"] == "search" for one in found.all("input"))
    names = {one["name"] for one in found.all("select")}
    assert names == {"verdict", "paper", "cost", "replicated"}


def test_a_change_from_form_to_another_verdict_and_two_tabs_see_it(page: Page) -> None:
    before = page.get("change/toy/decay?scale=smoke&set=rate%3D0.25")
    assert "rate = 0.25 (instead of 0.5" in before.text
    assert "not asked yet" in before.text
    tabs: list[list[dict[str, Any]]] = []
    threads = [threading.Thread(target=lambda: tabs.append(listen(page))) for _ in range(2)]
    for thread in threads:
        thread.start()
    while len(page.live.hub._tabs) < 2:
        time.sleep(0.02)
    answer = page.post("ask", CHANGED)
    assert answer.status == 202
    job = json.loads(answer.text)
    assert json.loads(page.post("ask", CHANGED).text)["id"] == job["id"]  # it is not asked twice
    for thread in threads:
        thread.join(60)
    assert tabs[0] == tabs[1]
    assert tabs[0][0]["state"] == "waiting"
    assert tabs[0][-1]["state"] == "done"
    after = page.get(job["path"]).text
    assert "Side by side" in after
    assert "0.75, " in after or "0.75<" in after  # 1 - rate
    figure = page.get(f"result/{job['id']}/figure.png")
    assert figure.status == 200
    assert figure.headers["content-type"] == "image/png"
    assert page.get(f"result/{job['id']}/job.json").status == 404
    assert f"lemmata serve &#x27;{job['path'].replace('&', '&amp;')}&#x27;" in after


def test_keys_stand_by_what_they_are_of(page: Page) -> None:
    text = page.get("change/association/fig-3?scale=smoke").text
    places = [text.index(f"<h3>{name}</h3>") for name in ("The world", "The model", "Its training", "What is measured")]
    assert places == sorted(places)
    assert places[2] < text.index("<summary>All ") < places[3]
    assert "one trained model each" in text
    assert "<figure>" not in page.get("claim/association/fig-3").text  # its runs are not stored: a sentence, no box


def test_what_is_asked_unchanged_becomes_the_verdict_that_is_read(page: Page) -> None:
    assert "holds" not in page.get("claim/toy/rate").text
    id = json.loads(page.post("ask", {"experiment": "toy/decay", "scale": "smoke"}).text)["id"]
    assert page.until(id, "done", "failed") == "done"
    end = time.monotonic() + 60
    while "holds" not in page.get("claim/toy/rate").text:
        assert time.monotonic() < end
        time.sleep(0.1)
    text = page.get("claim/toy/typo").text
    for words in ("erratum", "1 + rate", "1 - rate", "A sign is lost.", r"$1 - \eta$", "decay.py:", "lemmata check"):
        assert words in text
    assert "vendor/katex/katex.min.js" in text
    assert "At scale smoke" in text
    for words in (
        "@misc{lemmata-toy-typo,",
        "What rests on what",
        "figure/toy/decay.pdf",
        'class="strip"',
        "Copy the link",
    ):
        assert words in text
    assert text.index("<figure>") < text.index("Evidence")
    pdf = page.get("figure/toy/decay.pdf?scale=smoke")
    assert pdf.headers["content-type"] == "application/pdf"
    assert pdf.text.startswith("%PDF")
    assert (
        page.get("figure/toy/decay.svg?scale=smoke").headers["content-security-policy"].startswith("default-src 'none'")
    )
    assert page.get("figure/toy/decay.csv?scale=smoke").text.startswith("seed,x")
    points = json.loads(page.get("figure/toy/decay.points?scale=smoke").text)
    assert points[0][2] == "x: x 0, y 1.5"  # the mean of two seeds, as it is drawn
    assert all(0 < x < 1 and 0 < y < 1 for x, y, _ in points)
    assert points[0][0] < points[1][0]
    assert points[0][1] < points[1][1]  # further down
    views = json.loads(page.get("frames/toy/decay?scale=smoke").text)["views"]
    (curves,) = views
    assert curves["steps"] == list(range(21))
    np.testing.assert_allclose(curves["series"]["x"][:3], [1.5, 0.75, 0.375])


def test_looking_computes_nothing(page: Page) -> None:
    for path in ("frames/toy/noisy?scale=smoke", "figure/toy/noisy.png?scale=smoke"):
        answer = page.get(path)
        assert answer.status == 400
        assert "not computed yet" in answer.text


def test_a_run_under_way_shows_what_it_has_recorded(page: Page) -> None:
    slow = {"experiment": "toy/decay", "scale": "smoke", "set": {"steps": "200000000", "every": "100000"}}
    id = json.loads(page.post("ask", slow).text)["id"]
    seen: list[int] = []
    end = time.monotonic() + 40
    while len(set(seen)) < 3:
        assert time.monotonic() < end
        for view in json.loads(page.get(f"records/{id}").text)["views"]:
            assert list(view["series"]) == ["x"]
            assert view["series"]["x"][0] == 1.5  # the mean of where the two seeds begin
            assert view["steps"][1] == 100_000
            seen.append(len(view["steps"]))
        time.sleep(0.2)
    page.post(f"cancel/{id}", {})
    assert seen == sorted(seen)
    assert json.loads(page.get("records/nothing").text)["views"] == []


def test_fifty_tabs_are_told_the_same(page: Page) -> None:
    before = len(page.live.hub._tabs)
    tabs = []
    for _ in range(50):
        connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=20)
        connection.request("GET", f"/{TOKEN}/events")
        tabs.append((connection, connection.getresponse()))
    page.live.hub.publish({"id": "x", "state": "told"})
    for connection, stream in tabs:
        while b"told" not in stream.readline():
            pass
        connection.close()
        stream.close()
    end = time.monotonic() + 60
    while len(page.live.hub._tabs) > before:  # a tab that is closed is forgotten when it is next written to
        assert time.monotonic() < end
        page.live.hub.publish({"id": "x", "state": "told"})
        time.sleep(0.1)


def test_cancelling(page: Page) -> None:
    slow = {"experiment": "toy/decay", "scale": "smoke", "set": {"steps": "100000000", "every": "100"}}
    id = json.loads(page.post("ask", slow).text)["id"]
    waits = json.loads(page.post("ask", CHANGED | {"set": {"rate": "0.125"}}).text)["id"]
    page.until(id, "running")
    assert json.loads(page.post(f"cancel/{id}", {}).text)["state"] == "cancelled"
    assert page.until(waits, "done", "failed") == "done"
    assert page.state(id) == "cancelled"
    assert page.post(f"cancel/{id}", {}).status == 400
    assert id in page.get("queue").text


@pytest.mark.parametrize(
    "path", ["", "graphs", "graph/toy", "claim/toy/typo", "experiment/toy/decay", "change/toy/decay", "play/toy/decay",
             "queue", "query", "paper/lego", "paper/toy"]
)  # fmt: skip
def test_every_page_has_what_a_screen_reader_needs(page: Page, path: str) -> None:
    answer = page.get(path)
    assert answer.status == 200
    found = Elements(answer.text)
    assert found.open == []
    assert found.all("html")[0]["lang"] == "en"
    assert len(found.all("h1")) == 1
    assert len(found.all("main")) == len(found.all("nav")) == 1
    assert all(image["alt"] for image in found.all("img"))
    assert all("aria-label" in drawing for drawing in found.all("svg"))
    ids = [attributes["id"] for _, attributes in found.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert all(one["for"] in ids for one in found.all("label") if "for" in one)
    named = len(found.all("label"))
    assert named >= sum(len(found.all(tag)) for tag in ("input", "select", "textarea"))


def test_a_paper_has_its_model_in_five_minutes_with_links_to_its_verdicts(page: Page) -> None:
    answer = page.get("paper/lego")
    assert "The model in five minutes" in answer.text
    assert f'href="/{TOKEN}/claim/lego/' in answer.text
    assert "katex.min.js" in answer.text
    assert len(Elements(answer.text).all("img")) == 2
    find = page.get("").text
    assert f'href="/{TOKEN}/paper/lego"' in find
    assert f'href="/{TOKEN}/paper/toy"' not in find  # its page says nothing of a model
    assert "five minutes" not in page.get("paper/toy").text
    assert page.get("paper/nowhere").status in (400, 404)


def test_a_hundred_thousand_records_are_sent_small_and_keep_their_spike() -> None:
    from lemmata.serve.playback import as_data

    values = np.sin(np.arange(100_000) / 1000)
    values[54_321] = 9.0
    data = as_data(Curves(title="x", steps=np.arange(100_000), series={"x": values, "y": values * 0, "z": -values}))
    assert max(data["series"]["x"]) == 9
    assert min(data["series"]["z"]) == -9
    assert data["steps"][0] == 0
    assert data["steps"][-1] == 99_999
    assert len(data["steps"]) <= 1_500
    frames = np.random.default_rng(0).random((100_000, 6, 9))
    names = {"rows": list("abcdef"), "columns": list("abcdefghi")}
    data = as_data(Frames(title="attention", steps=np.arange(100_000), values=frames, **names))
    assert len(json.dumps(data)) < 2_000_000
    assert data["steps"][-1] == 99_999
    np.testing.assert_allclose(data["values"][-1], frames[-1].ravel(), atol=1e-3)


def test_whatever_a_run_of_a_hundred_thousand_records_has_is_at_most_two_megabytes() -> None:
    from lemmata.core import RunResult
    from lemmata.serve.playback import recorded, sent

    count, rng = 100_000, np.random.default_rng(0)
    metrics = {"step": np.arange(count), "seed": np.zeros(count, int)}
    metrics |= {f"number {i}": -rng.random(count) * 1e-7 for i in range(14)}
    shapes = {"rows": [str(i) for i in range(12)], "columns": [str(i) for i in range(12)]}
    frames = Frames(title="map", steps=np.arange(1000), values=-rng.random((1000, 12, 12)) * 1e-7, **shapes)
    wide = Curves(title="many", steps=np.arange(count), series={str(i): metrics["number 0"] for i in range(6)})
    pictures = [frames, frames, wide, wide, *recorded("main", RunResult(None, metrics, {}))]
    data = sent(pictures)
    assert len(data["views"]) == 16
    assert data["left_out"] == 2
    assert len(json.dumps(data, separators=(",", ":"))) < 2_000_000
    assert min(len(view["steps"]) for view in data["views"]) >= 50  # and still moves


def test_pages_are_packed_for_who_asks_and_follow_the_store(page: Page) -> None:
    import gzip

    connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=20)
    plain = page.get("claim/toy/rate")
    connection.request("GET", f"/{TOKEN}/claim/toy/rate", headers={"Accept-Encoding": "gzip"})
    answer = connection.getresponse()
    assert answer.getheader("content-encoding") == "gzip"
    assert gzip.decompress(answer.read()).decode() == plain.text
    connection.close()
    assert page.get("claim/toy/rate").text == plain.text


def test_curves_of_different_conditions_are_told_apart() -> None:
    from lemmata.core import RunResult
    from lemmata.serve.playback import recorded

    steps, seeds = np.tile([0, 1, 2], 4), np.repeat([0, 1, 0, 1], 3)
    edit = np.repeat(["full", "cut"], 6)
    loss = np.where(edit == "full", 1.0, 5.0) + steps + seeds
    metrics = {"step": steps, "seed": seeds, "edit": edit, "rate": np.full(12, 0.1), "loss": loss}
    (curves,) = recorded("main", RunResult(None, metrics, {}))
    assert {name: list(values) for name, values in curves.series.items()} == {
        "loss, edit = cut": [5.5, 6.5, 7.5],
        "loss, edit = full": [1.5, 2.5, 3.5],
    }


def test_a_number_of_the_seed_tells_no_curves_apart() -> None:
    from lemmata.core import RunResult
    from lemmata.serve.playback import recorded

    steps, seeds = np.tile([0, 1], 2), np.repeat([0, 1], 2)
    metrics = {"step": steps, "seed": seeds, "ceiling": np.where(seeds == 0, 0.5, 0.7), "loss": steps + 2.0 * seeds}
    (curves,) = recorded("main", RunResult(None, metrics, {}))
    assert {name: list(values) for name, values in curves.series.items()} == {"loss": [1.0, 2.0]}


def test_what_is_not_finite_is_sent_as_nothing() -> None:
    from lemmata.serve.playback import as_data

    data = as_data(Curves(title="x", steps=[0, 1, 2], series={"x": np.array([1.0, np.nan, np.inf])}))
    assert data["series"]["x"] == [1.0, None, None]


def test_views_whose_labels_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="their labels say"):
        Frames(title="a", steps=[0, 1], values=np.zeros((2, 2, 2)), rows=["r"], columns=["c", "d"])
    with pytest.raises(ValueError, match="at 2 steps"):
        Curves(title="a", steps=[0, 1], series={"x": np.zeros(3)})


def test_the_vendored_files_are_shipped_with_their_licences() -> None:
    import lemmata

    vendor = Path(lemmata.__file__).parent / "serve" / "static" / "vendor"
    assert "MIT" in (vendor / "uPlot.LICENSE").read_text()
    assert "MIT" in (vendor / "katex" / "LICENSE").read_text()
    style = (vendor / "katex" / "katex.min.css").read_text()
    for font in (vendor / "katex" / "fonts").iterdir():
        assert font.name in style
    assert (vendor / "uPlot.iife.min.js").stat().st_size < 60_000


def test_a_key_that_several_runs_bound_differently_has_one_field() -> None:
    made = form(requested("ic-recall/thm-4-2", "smoke", {}))
    names = re.findall(r' name="([^"]+)"', made)
    assert len(names) == len(set(names))
    assert "escape: int, at least 1; lowest: int, at least 0</td>" in made
