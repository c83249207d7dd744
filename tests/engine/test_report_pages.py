"""The report as an index and a page a paper, with figures as files beside them; and the one file that can be sent."""

import re
from pathlib import Path
from urllib.parse import unquote

from conftest import Cli, Refused

SMOKE = ("--scale", "smoke")
LINK = re.compile(r'(?:href|src)="([^"]+)"')


def links(folder: Path, name: str) -> list[str]:
    return [one for one in LINK.findall((folder / name).read_text()) if not one.startswith(("data:", "https:"))]


def test_every_link_of_index_and_papers_leads_somewhere(cli: Cli) -> None:
    assert cli("reproduce", "toy", *SMOKE, "--jobs", "1")[0] == 0
    folder = Path("report")
    assert {path.name for path in folder.glob("*.html")} == {"index.html", "toy.html"}
    for name in ("index.html", "toy.html"):
        text = (folder / name).read_text()
        assert len(text) < 2_000_000
        assert "data:image" not in text
        found = links(folder, name)
        assert found
        for one in found:
            file, _, anchor = one.partition("#")
            target = folder / unquote(file or name)
            assert target.is_file(), one
            if anchor:
                assert f'id="{anchor}"' in target.read_text(), one
    assert 'href="toy.html#toy/rate"' in (folder / "index.html").read_text()
    assert 'class="claim holds"' not in (folder / "index.html").read_text()
    assert '<img src="toy/decay.png"' in (folder / "toy.html").read_text()


def test_report_writes_what_is_stored_in_either_form_and_computes_nothing(cli: Cli) -> None:
    assert cli("check", "toy/decay", *SMOKE, "--jobs", "1")[0] == 0
    stored = sorted(Path(".lemmata").glob("*/record.json"))
    code, out, _ = cli("report", "toy", *SMOKE, "--single-file", "--out", "one")
    assert code == 0
    assert "(2 experiments; 1 not run: `lemmata reproduce toy --scale smoke` runs them)" in out
    assert [path.name for path in Path("one").glob("*.html")] == ["index.html"]
    text = (Path("one") / "index.html").read_text()
    assert "data:image/png;base64," in text
    assert 'id="toy/rate"' in text
    assert "2 of 3 experiments judged; not run: toy/noisy. <code>lemmata reproduce toy --scale smoke</code>" in text
    assert "to come" not in text
    assert "(3 not judged yet, 7 claims in all)" in text
    assert sorted(Path(".lemmata").glob("*/record.json")) == stored
    code, out, _ = cli("report", "toy", *SMOKE, "--json")
    assert code == 0
    assert '"judged": 2' in out  # two experiments of the toy share their run
    assert (Path("report") / "toy.html").is_file()


def test_report_of_nothing_is_refused(refused: Refused) -> None:
    refused("report", "toy", *SMOKE, says="nothing of this is stored at scale smoke")
