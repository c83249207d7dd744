"""The worlds: samplers against exact chains, reproducibility, and what is refused."""

import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.core import UserError, named_key
from lemmata.core.config import decode, encode
from lemmata.papers.association.run.memory import targets
from lemmata.papers.association.task import (
    IOIConfig,
    NoisyRecall,
    RecallConfig,
    SyntheticIOI,
    bigram_counts,
    counts_of,
    transition_rows,
)
from lemmata.papers.association.task.alias import alias_draw, alias_table

draw = jax.jit(lambda task, num, key: task.draw(num, key=key), static_argnums=1)
sample = jax.jit(lambda task, num, key: task.sample(num, key=key), static_argnums=1)
SMALL = RecallConfig(symbols=6, length=9, triggers=(1,), noise=2, alpha=0.3)


def exact_marginals(config: RecallConfig, output: int) -> np.ndarray:
    """P(z_t = v | output) at each position, by the chain itself, with the last token put there."""
    rows = transition_rows(config)
    chain = rows[:, : config.vocab].copy()
    for slot in range(len(config.triggers)):
        chain[:, output] += rows[:, config.vocab + slot]
    law = [chain[config.vocab]]
    for _ in range(config.length - 2):
        law.append(law[-1] @ chain[: config.vocab])
    return np.stack([*law, np.eye(config.vocab)[config.triggers[0]]])


def test_alias_draws_follow_their_rows() -> None:
    rows = np.array([[0.5, 0.2, 0.3, 0, 0], [0, 0, 0, 0, 1.0], [0.01, 0.09, 0.1, 0.3, 0.5]])
    table = alias_table(rows)
    bits, columns = 3, 8
    share = np.zeros((3, columns))
    for i, row in enumerate(table):  # the exact law of the packed table, column by column
        for column, entry in enumerate(row):
            keep = (int(entry) & (2**29 - 1)) / 2**29
            share[i, column] += keep / columns
            share[i, int(entry) >> (32 - bits)] += (1 - keep) / columns
    np.testing.assert_allclose(share[:, :5], rows, atol=columns * 2.0**-29)
    assert np.all(share[:, 5:] < 2.0**-28)
    draws = jax.random.bits(named_key(0, "draws"), (20000,))
    got = np.bincount(alias_draw(jnp.asarray(table), jnp.full(20000, 2), draws), minlength=5) / 20000
    np.testing.assert_allclose(got, rows[2], atol=5 * np.sqrt(0.25 / 20000))


@pytest.mark.parametrize(
    "config",
    [
        SMALL,
        RecallConfig(source="uniform", symbols=5, length=8, triggers=(0,), noise=None, alpha=0.4),
        RecallConfig(source="uniform", symbols=5, length=8, noise=None, alpha=0.4, trigger_outputs=True),
    ],
)
def test_recall_follows_the_exact_chain(config: RecallConfig) -> None:
    task = NoisyRecall.create(config)
    num = 40000
    drawn = draw(task, num, named_key(1, "data"))
    tokens, outputs = np.asarray(drawn.tokens), np.asarray(drawn.outputs[:, 0])
    assert set(outputs) == set(config.outputs())
    for output in config.outputs():
        mine = tokens[outputs == output]
        shares = np.stack([np.bincount(mine[:, t], minlength=config.vocab) / len(mine) for t in range(config.length)])
        expected = exact_marginals(config, output)
        error = np.sqrt(np.maximum(expected * (1 - expected), 1e-12) / len(mine))
        assert np.max(np.abs(shares - expected) / (5 * error + 1e-9)) < 1
    answer = np.asarray(drawn.following[:, -1])
    noisy = np.mean(answer == config.noise_token)
    assert abs(noisy - config.alpha) < 5 * np.sqrt(0.25 / num)
    assert np.all((answer == config.noise_token) | (answer == outputs))


def test_pairs_follow_the_bigrams_and_the_trigger_rule() -> None:
    task = NoisyRecall.create(SMALL)
    drawn = draw(task, 30000, named_key(2, "data"))
    now, then = np.asarray(drawn.tokens[:, 3]), np.asarray(drawn.tokens[:, 4])
    expected = SMALL.statistics().bigram
    for symbol in range(SMALL.symbols):
        here = now == symbol
        if symbol == 1:
            outputs = np.asarray(drawn.outputs[:, 0])
            assert np.all((then[here] == 2) | (then[here] == outputs[here]))
            continue
        share = np.bincount(then[here], minlength=6) / here.sum()
        np.testing.assert_allclose(share, expected[symbol], atol=5 * np.sqrt(0.25 / here.sum()))


def test_a_key_gives_the_same_batch_and_another_key_another() -> None:
    task = NoisyRecall.create(SMALL)
    first, again, other = (sample(task, 8, named_key(seed, "data")) for seed in (0, 0, 1))
    assert np.array_equal(first.tokens, again.tokens)
    assert np.array_equal(first.targets, again.targets)
    assert not np.array_equal(first.tokens, other.tokens)
    among_others = jax.jit(jax.vmap(lambda key: task.sample(8, key=key)))(
        jnp.stack([named_key(s, "data") for s in (1, 0)])
    )
    assert np.array_equal(first.tokens, among_others.tokens[1])


def test_clean_data_has_no_noise_after_triggers() -> None:
    task = NoisyRecall.create(SMALL).with_alpha(0.0)
    assert task.config.alpha == 0
    np.testing.assert_array_equal(np.asarray(task.table), np.asarray(NoisyRecall.create(task.config).table))
    drawn = draw(task, 500, named_key(0, "clean"))
    mask = np.asarray(drawn.tokens) == 1
    mask[:, -2] = False
    assert np.all(np.asarray(drawn.following)[mask] == np.asarray(drawn.correct)[mask])


@pytest.mark.parametrize("loss_on", ["last", "triggers", "bigrams"])
def test_masks_and_the_bound_on_queries(loss_on: str) -> None:
    config = RecallConfig(symbols=6, length=9, loss_on=loss_on)
    task = NoisyRecall.create(config)
    batch = sample(task, 2000, named_key(0, "mask"))
    mask, tokens = np.asarray(batch.mask), np.asarray(batch.tokens)
    assert mask.sum(axis=1).max() <= task.queries
    if loss_on == "last":
        assert np.array_equal(np.where(mask)[1], np.full(2000, 8))
    else:
        expected = (tokens == 1) == (loss_on == "triggers")
        expected[:, -2] = False
        assert np.array_equal(mask, expected)


AUTHORS_CODE = {"trigger_outputs": True, "noise_outputs": True, "loss_from": 2, "last": "natural"}


def test_the_conventions_of_the_authors_code() -> None:
    config = RecallConfig(source="uniform", symbols=8, length=40, alpha=0.4, **AUTHORS_CODE)  # pyright: ignore
    task = NoisyRecall.create(config)
    drawn = draw(task, 4000, named_key(0, "theirs"))
    tokens, following, outputs = (np.asarray(part) for part in (drawn.tokens, drawn.following, drawn.outputs[:, 0]))
    assert set(outputs) == set(range(8))
    after = following[tokens == 1]
    assert abs(np.mean(after == 2) - (0.4 + 0.6 / 8)) < 0.02  # the noise token is an output too
    ends = np.mean(tokens[:, -1] == 1)  # no trigger is put there: as often as a position before
    assert abs(ends - np.mean(tokens[:, -3] == 1)) < 0.04
    mask = np.asarray(task.mask(drawn))
    seen = np.cumsum(tokens == 1, axis=1)
    np.testing.assert_array_equal(mask, (tokens == 1) & (seen >= 2))
    assert mask.sum(axis=1).max() <= task.queries
    clean = draw(task.with_alpha(0.0), 2000, named_key(0, "clean"))
    absorbed = np.asarray(clean.tokens)[np.asarray(clean.outputs)[:, 0] == 1]
    first = (absorbed == 1).argmax(axis=1)
    assert all((row[start:] == 1).all() for row, start in zip(absorbed, first, strict=True) if (row == 1).any())


def test_several_triggers_have_outputs_of_their_own() -> None:
    config = RecallConfig(symbols=12, length=30, triggers=(1, 4), noise=2, alpha=0.25)
    drawn = draw(NoisyRecall.create(config), 3000, named_key(0, "two"))
    tokens, following, outputs = (np.asarray(part) for part in (drawn.tokens, drawn.following, drawn.outputs))
    assert set(tokens[:, -1]) == {1, 4}
    for slot, trigger in enumerate(config.triggers):
        row, place = np.where(tokens[:, :-2] == trigger)
        after = following[row, place]
        assert np.all((after == 2) | (after == outputs[row, slot]))
        assert abs(np.mean(after == 2) - 0.25) < 0.02
    assert abs(np.mean(outputs[:, 0] == outputs[:, 1]) - 1 / len(config.outputs())) < 0.03


def test_ioi_has_three_spread_pairs_and_the_odd_name_is_the_answer() -> None:
    config = IOIConfig(symbols=7, length=12, trigger=3, alpha=0.4)
    task = SyntheticIOI(config)
    drawn = draw(task, 4000, named_key(0, "ioi"))
    tokens, correct, distractor = (np.asarray(part) for part in (drawn.tokens, drawn.correct, drawn.distractor))
    assert np.all((tokens == 3).sum(axis=1) == 4)
    assert np.all(tokens[:, -1] == 3)
    places = np.stack([np.where(row[:-1] == 3)[0] for row in tokens])
    assert np.all(np.diff(places, axis=1) >= 2)
    names = np.take_along_axis(tokens, places + 1, axis=1)
    assert np.all((names == correct[:, None]).sum(axis=1) == 1)
    assert np.all((names == distractor[:, None]).sum(axis=1) == 2)
    spread = {tuple(row) for row in places}
    assert len(spread) == 8 * 7 * 6 // 6  # every choice of three places occurs
    assert abs(np.mean(np.asarray(drawn.answer) == config.noise_token) - 0.4) < 0.04
    batch = sample(task, 5, named_key(0, "ioi"))
    assert np.array_equal(np.asarray(batch.mask).sum(axis=0), [0] * 11 + [5])


def test_memory_labels_lose_their_share_to_the_noise() -> None:
    np.testing.assert_allclose(targets(3, 0.2), [[0.8, 0, 0, 0.2], [0, 0.8, 0, 0.2], [0, 0, 0.8, 0.2]], rtol=1e-6)


def test_shipped_counts_are_the_paper_alphabet() -> None:
    counts = counts_of("corpus")
    assert len(counts.symbols) == 65
    assert counts.symbols[1] == " "
    assert int(np.argmax(counts.first)) == 1
    # Figure 9's five triggers are the five most frequent characters.
    assert sorted(np.argsort(-counts.first)[:5].tolist()) == [1, 39, 43, 53, 58]
    assert counts.pairs.sum() == counts.first.sum() - 1
    assert "".join(counts.symbols[i] for i in np.sort(np.argsort(-counts.first)[:5])) == " aeot"


def test_counts_of_a_file(tmp_path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("abcabd")
    counts = bigram_counts(corpus)
    assert counts.symbols == ("a", "b", "c", "d")
    np.testing.assert_array_equal(counts.first, [2, 2, 1, 1])
    law = counts.statistics(4)
    np.testing.assert_allclose(law.bigram[1], [0, 0, 0.5, 0.5])
    np.testing.assert_allclose(law.bigram[3], law.unigram)  # the last symbol is never followed
    task = NoisyRecall.create(RecallConfig(source=str(corpus), symbols=4, length=6, triggers=(0,), noise=3))
    assert int(draw(task, 4, named_key(0, "file")).tokens.max()) < 4


def test_bad_corpora(tmp_path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("")
    with pytest.raises(UserError, match="empty"):
        bigram_counts(empty)
    with pytest.raises(UserError, match="cannot be read"):
        bigram_counts(tmp_path / "missing.txt")
    binary = tmp_path / "binary.txt"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="UTF-8"):
        bigram_counts(binary)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"alpha": 1.0}, "alpha"),
        ({"alpha": -0.1}, "alpha"),
        ({"triggers": ()}, "triggers"),
        ({"triggers": (65,)}, "triggers"),
        ({"triggers": (2,)}, "noise"),
        ({"noise": 65}, "noise"),
        ({"length": 2}, "length"),
        ({"noise": None, "noise_outputs": True}, "noise_outputs"),
        ({"loss_on": "last", "last": "natural"}, "last"),
        ({"loss_from": 256}, "loss_from"),
    ],
)
def test_bad_configs_name_their_field(change: dict, field: str) -> None:
    with pytest.raises(UserError, match=f"^{field} = "):
        RecallConfig(**change)


def test_other_bad_configs() -> None:
    with pytest.raises(UserError, match="alpha"):
        IOIConfig(alpha=1.5)
    with pytest.raises(UserError, match="at most 65"):
        NoisyRecall.create(RecallConfig(symbols=66))


def test_the_library_never_imports_torch() -> None:
    code = (
        "import sys; import lemmata.papers.association.task, lemmata.papers.association.model.truncate,"
        " lemmata.train, lemmata.papers.association.probe;"
        "print(sorted({'torch', 'tyro', 'duckdb', 'beartype', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_text_of_ones_own_is_known_by_its_content(tmp_path: Path) -> None:
    text = tmp_path / "own.txt"
    text.write_text("abcabcaabbcc" * 20)
    config = RecallConfig(source=str(text), symbols=3, triggers=(0,), noise=1)
    assert decode(RecallConfig, encode(config)) == config
    counted = bigram_counts(text).statistics(3)
    np.testing.assert_array_equal(config.statistics().bigram, counted.bigram)
    with pytest.raises(UserError, match="at most 3"):
        RecallConfig(source=str(text), symbols=4)
    text.write_text("abcabcaabbcc" * 21)
    with pytest.raises(UserError, match="the file has changed"):
        decode(RecallConfig, encode(config))
    assert RecallConfig(source=str(text), symbols=3, triggers=(0,), noise=1) != config
