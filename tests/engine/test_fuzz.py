"""Anything at all, on every surface where something from elsewhere is read: an answer or a refusal, never a traceback,
never other numbers, never a file elsewhere. The same inputs each time; many more with `--walk-all`."""

import json
import struct
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from descent_run import Descent
from forging import signed
from lemmata.core import RunConfig, Scale, Undecided, UserError
from lemmata.core.certificate import Certificate, Proposition, ProvedStep, read_certificate
from lemmata.core.config import decode, encode, override, paths
from lemmata.core.registry import papers, run_type, select
from lemmata.lm.folder import weight_files
from lemmata.lm.source import find_source
from lemmata.proofs import Positive, check
from lemmata.run import DamagedRun, Store, query
from lemmata.run.lease import Leases, clear_abandoned, is_leased
from lemmata.run.stored_record import read_record
from obtaining import obtain

LONE = "\udc80"  # half of a character, as a terminal's bytes that are no text become
NUMBERS = st.one_of(st.integers(), st.floats(), st.integers(0, 400).map(lambda n: 10**n)).map(str)
ODD = st.sampled_from(["", "{0}", "%s", "1e400", "-0", "nan", "[" * 300, "]", "9" * 5_000, "null", "{}", LONE, "\x00"])
LISTS = st.lists(NUMBERS, max_size=4).map(lambda items: f"[{','.join(items)}]")
TEXTS = st.one_of(st.text(max_size=30), NUMBERS, ODD, LISTS)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), ODD),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, dict[str, Any]]]:
    """A store with one run, alone in a folder: nothing else is there at the end."""
    folder = tmp_path_factory.mktemp("fuzz")
    store, config = Store(folder / "store"), Descent(steps=20)
    yield store, dict(obtain([config], store)[config.digest].record)
    assert [path.name for path in folder.iterdir()] == ["store"]


@pytest.fixture(scope="module")
def configs() -> list[RunConfig]:
    experiments = (select([paper])[0].experiment for paper in papers())
    return [next(iter(one.runs(Scale("smoke")).values())) for one in experiments]


@given(data=st.data())
def test_what_is_set(data: st.DataObject, configs: list[RunConfig]) -> None:
    config = data.draw(st.sampled_from(configs))
    key = data.draw(st.one_of(st.sampled_from(sorted(paths(config))), TEXTS))
    try:
        changed = override(config, {key: data.draw(TEXTS)})
    except UserError:
        return
    assert decode(type(config), encode(changed)) == changed


@given(text=st.one_of(TEXTS, st.text("abc/-.*~", max_size=12).map(lambda tail: f"lego/{tail}")))
def test_an_id(text: str, kept: tuple[Store, dict[str, Any]]) -> None:
    from lemmata.serve.question import from_json

    store, _ = kept
    for ask in (
        lambda: select([text]),
        lambda: store.find(text),
        lambda: run_type(text),
        lambda: from_json(_said(text)),
    ):
        with suppress(UserError):
            ask()


def _said(text: str) -> bytes:
    return json.dumps({"experiment": text, "set": {text: text}}).encode()


@given(data=st.data())
def test_a_record(data: st.DataObject, kept: tuple[Store, dict[str, Any]]) -> None:
    store, whole = kept
    folder, record = store.folder(whole["digest"]), dict(whole)
    path = folder / "record.json"
    before = path.read_bytes()
    for name in data.draw(st.lists(st.one_of(st.sampled_from(sorted(whole)), st.text(max_size=5)), max_size=2)):
        record[name] = data.draw(JSON)
    signed(folder, record)
    if data.draw(st.booleans()):
        text = bytearray(path.read_bytes())
        text[data.draw(st.integers(0, len(text) - 1))] ^= 1 << data.draw(st.integers(0, 7))
        path.write_bytes(text)
    try:
        read = read_record(folder)
        assert [read[name] for name in ("digest", "config", "kind")] == [whole[n] for n in ("digest", "config", "kind")]
        loaded = store.load(Descent(steps=20))
        assert loaded.record["files"] == whole["files"]
    except DamagedRun:
        pass
    with suppress(UserError, DamagedRun):
        store.load_digest(whole["digest"])
    path.write_bytes(before)


@given(text=st.one_of(st.binary(max_size=80), TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass"))))
def test_a_lease(text: bytes, kept: tuple[Store, dict[str, Any]]) -> None:
    store, _ = kept
    path = store.root / ".leases" / "run"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text)
    assert is_leased(store.root, "run")
    with Leases(store.root, stale_after=0.0) as leases:
        leases.take("run")
    path.unlink(missing_ok=True)
    clear_abandoned(store.root)


CERTIFICATE = json.loads(
    bytes(Certificate("d", "a statement", "[0, 1]", (ProvedStep("x > 1/3", "x++", 64),), "closed").as_array())
)
FALSE = Proposition("a statement", "[0, 1]", "it")


@given(data=st.data())
def test_a_certificate(data: st.DataObject) -> None:
    """None proves what is false."""
    pytest.importorskip("flint", reason="needs the extra `proofs`")
    step = {"name": "x > 1/3", "tree": data.draw(st.text("xy+-ud?", max_size=12)), "bits": data.draw(st.integers())}
    made = CERTIFICATE | {"proposition": FALSE.digest, "steps": [step]}
    for name in data.draw(st.lists(st.sampled_from([*made, "tree", "more"]), max_size=2)):
        place = step if name == "tree" else made
        place[name] = data.draw(JSON)
    text = json.dumps(made).encode() if data.draw(st.integers(0, 9)) else data.draw(st.binary(max_size=40))
    try:
        certificate = read_certificate(np.frombuffer(text, np.uint8))
    except Undecided:
        return
    steps = [Positive("x > 1/3", lambda x: 3 * x - 1, ((Fraction(0), Fraction(1)),))]
    assert check(certificate, FALSE, steps)
    str(certificate)


WORDS = (
    "SELECT",
    "*",
    "FROM",
    "metrics",
    "runs",
    '"',
    "'",
    ";",
    "COPY",
    "TO",
    "(",
    ")",
    "loss",
    "1",
    ",",
    "--",
    "ATTACH",
)
SQL = st.one_of(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), TEXTS.map(lambda text: f"SELECT {text}"))


@given(sql=st.one_of(SQL, TEXTS))
def test_sql(sql: str, kept: tuple[Store, dict[str, Any]]) -> None:
    with suppress(UserError):
        query(kept[0], sql, most=10)


@given(header=st.one_of(st.binary(max_size=60), JSON.map(lambda data: json.dumps(data).encode())), data=st.data())
def test_a_models_files(header: bytes, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("model")
    length = data.draw(st.one_of(st.just(len(header)), st.integers(0, 2**64 - 1)))
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", length) + header + data.draw(st.binary(max_size=20)))
    config, index = data.draw(JSON), data.draw(JSON)
    (folder / "config.json").write_text(json.dumps(config))
    if data.draw(st.booleans()):
        (folder / "model.safetensors").rename(folder / "other.safetensors")
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))
    (folder / "model.gguf").write_bytes(header)
    with suppress(UserError):
        weight_files(folder, "model")
    with suppress(UserError):
        find_source(str(folder / "model.gguf"))
