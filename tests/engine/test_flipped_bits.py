"""Bits flipped anywhere in a store: each is noticed or without effect, and no verdict is another."""

import json

import numpy as np

from conftest import Cli
from lemmata.core import Checkpoint
from lemmata.run import DamagedRun, Store
from lemmata.run.checkpoints import StoredContext
from lemmata.run.lease import Leases, is_leased

PLACES = 200
WORDS = ("check", "toy", "--scale", "smoke", "--jobs", "1", "--json")


def test_flipped_bits_change_no_verdict(cli: Cli, store: Store) -> None:
    def verdicts() -> object:
        code, out, err = cli(*WORDS, "--store", str(store.root))
        assert "Traceback" not in err
        return code, [(row["id"], row["status"], row["measured"]) for row in json.loads(out)]

    before = verdicts()
    bits = {digest: _bits(store, digest) for digest in store.digests()}
    context = StoredContext(store.root / ".partial" / "run", lambda *_: None, began=float("-inf"))
    kept = {"x": np.arange(40.0)}
    context.save("train", Checkpoint(7, kept))
    (store.root / ".leases").mkdir(exist_ok=True)
    (store.root / ".leases" / "run").write_bytes(b"0123456789abcdef - 000000000001\n")
    files = sorted(path for path in store.root.rglob("*") if path.is_file())
    ends = np.cumsum([path.stat().st_size for path in files])
    random = np.random.default_rng(0)
    touched = set[str]()
    for place in sorted(random.choice(int(ends[-1]), size=PLACES, replace=False)):
        path = files[int(np.searchsorted(ends, place, side="right"))]
        text = path.read_bytes()
        flipped = bytearray(text)
        flipped[int(place - ends[files.index(path)])] ^= 1 << int(random.integers(8))
        path.write_bytes(flipped)
        touched.add(path.name)
        for digest, expected in bits.items():
            try:
                assert _bits(store, digest) == expected
            except DamagedRun:
                assert path.parent.name == digest
        if (found := context.load("train")) is not None:
            assert found.step == 7
            assert found.arrays["x"].tobytes() == kept["x"].tobytes()
        assert is_leased(store.root, "run")
        path.write_bytes(text)
    assert len(touched) > 3
    for path in files:  # and one in every file at once
        flipped = bytearray(path.read_bytes())
        flipped[int(random.integers(len(flipped)))] ^= 1 << int(random.integers(8))
        path.write_bytes(flipped)
    with Leases(store.root, stale_after=0.0) as leases:
        leases.take("run")
        assert leases.take("run")
    assert verdicts() == before
    assert {digest: _bits(store, digest) for digest in bits} == bits


def _bits(store: Store, digest: str) -> dict[str, bytes]:
    run = store.load_digest(digest)
    return {name: np.asarray(value).tobytes() for name, value in (*run.metrics.items(), *run.arrays.items())}
