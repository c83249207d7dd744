"""Distributional associations vs in-context reasoning (Chen, Bruna, Bietti, ICLR 2025) in one file, top to bottom.

Data, the two-layer transformer, its loss and training on noisy in-context recall, what is left when a feed-forward
layer is dropped or truncated; the one-layer model of the theory; the linear memory. jax, numpy and optax alone.

    python -m lemmata.papers.association.plain        # about half a minute on two cores

The symbols are the paper's. Tokens count from 0 where the paper counts from 1.
"""

import json
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.random import Generator, default_rng

Weights = list[dict[str, jax.Array]]  # of each layer: W_QK, W_V, W_O, U_in, U_out
Fixed = dict[str, jax.Array]  # W_E, p and W_U stay as drawn
Number = float | jax.Array

# The paper: N = 65 characters, T = 256, d = 256, batches of 512, 2,000 steps (Section 3, Appendix B.6).
N, T, D, BATCH, STEPS = 16, 48, 64, 32, 600
ALPHA = 0.5  # how often the noise token follows a trigger
Q, TAU = 1, 2  # the trigger (the space) and the noise token; in the theory τ is a token N+1 outside the alphabet
LEARNING_RATE, MOMENTUM, DECAY = 0.03, 0.9, 1e-4  # of plain SGD; Appendix B.6 has rates from .001 to .03
SHOWN = 3  # earlier triggers in the context, from which on it has shown the answer


# ---------------------------------------------------------------------------------------------------------------------
# Data (Section 3)
# ---------------------------------------------------------------------------------------------------------------------


def statistics(symbols: int = N) -> tuple[np.ndarray, np.ndarray]:
    """π_u and π_b of tiny Shakespeare's most frequent characters, whose counts lie beside this file (else uniform)."""
    counts = Path(__file__).parent / "task" / "counts_65.json"
    if not counts.is_file():
        return np.full(symbols, 1 / symbols), np.full((symbols, symbols), 1 / symbols)
    found = json.loads(counts.read_text())
    first, pairs = np.array(found["first"], float), np.array(found["pairs"], float)
    kept = np.sort(np.argsort(-first, kind="stable")[:symbols])
    unigram, bigram = first[kept], pairs[np.ix_(kept, kept)]
    bigram = np.where(bigram.sum(axis=1, keepdims=True) > 0, bigram, unigram)
    return unigram / unigram.sum(), bigram / bigram.sum(axis=1, keepdims=True)


def draw(rng: Generator, pi_u: np.ndarray, pi_b: np.ndarray, alpha: float, count: int) -> tuple[np.ndarray, ...]:
    """`count` sequences: z_1 ... z_T, the token after each position, and each sequence's own output ȳ.

    i. ȳ is uniform (here: not the trigger nor the noise). ii. z_1 ~ π_u; after a token that is not the trigger comes
    π_b, after the trigger ȳ with probability 1 - α and τ with probability α. iii. z_T = q, and y comes after it.
    """
    symbols = len(pi_u)
    y_bar = rng.choice([token for token in range(symbols) if token not in (Q, TAU)], size=count)

    def after(z_t: np.ndarray) -> np.ndarray:
        usual = (rng.random(count)[:, None] > np.cumsum(pi_b[z_t], axis=1)[:, :-1]).sum(axis=1)
        return np.where(z_t == Q, np.where(rng.random(count) < alpha, TAU, y_bar), usual)

    z = [rng.choice(symbols, size=count, p=pi_u)]
    for _ in range(T - 2):
        z.append(after(z[-1]))
    z.append(np.full(count, Q))
    following = [*z[1:], after(z[-1])]  # the last is y = z_{T+1}
    return np.stack(z, axis=1), np.stack(following, axis=1), y_bar


def loss_positions(z: np.ndarray) -> np.ndarray:
    """Where the loss is taken: at the triggers. One at T - 1 is left out, for the trigger at T was put there."""
    return (z == Q) & (np.arange(z.shape[1]) != z.shape[1] - 2)


# ---------------------------------------------------------------------------------------------------------------------
# The two-layer transformer (equation 1)
# ---------------------------------------------------------------------------------------------------------------------


def first_weights(rng: Generator) -> tuple[Weights, Fixed]:
    """Embeddings normal; every other matrix uniform in ±1/√(fan in). Only the layers are learned."""

    def uniform(rows: int, columns: int) -> jax.Array:
        return jnp.asarray(rng.uniform(-1, 1, (rows, columns)) / np.sqrt(columns), jnp.float32)

    def layer() -> dict[str, jax.Array]:
        square = {name: uniform(D, D) for name in ("W_QK", "W_V", "W_O")}
        return square | {"U_in": uniform(4 * D, D), "U_out": uniform(D, 4 * D)}

    embeddings = {"W_E": jnp.asarray(rng.normal(size=(N, D)), jnp.float32)}
    embeddings["p"] = jnp.asarray(rng.normal(size=(T, D)), jnp.float32)
    return [layer(), layer()], embeddings | {"W_U": uniform(N, D)}


def attention(x: jax.Array, W_QK: jax.Array) -> jax.Array:
    """σ(x_tᵀ W_QK x_{1:t}), a row a query; divided by √d as in the authors' code."""
    scores = x @ W_QK @ x.T / np.sqrt(x.shape[1])
    return jax.nn.softmax(jnp.where(jnp.tril(jnp.ones(scores.shape, bool)), scores, -jnp.inf), axis=1)


def F(x: jax.Array, layer: dict[str, jax.Array]) -> jax.Array:
    """The feed-forward layer: U_out ReLU(U_in x)."""
    return jax.nn.relu(x @ layer["U_in"].T) @ layer["U_out"].T


def forward(weights: Weights, fixed: Fixed, z: jax.Array) -> tuple[jax.Array, jax.Array]:
    """ξ_1 ... ξ_T of one sequence, and attention [layer, query, key]; W_O W_V is the value matrix (Figure 13)."""
    x, seen = fixed["W_E"][z] + fixed["p"][: len(z)], []  # x_t = W_E(z_t) + p_t
    for layer in weights:
        seen.append(attention(x, layer["W_QK"]))
        h = seen[-1] @ x @ layer["W_V"].T @ layer["W_O"].T  # h_t
        x = x + h + F(x + h, layer)  # x_t + h_t + F(x_t + h_t)
    return x @ fixed["W_U"].T, jnp.stack(seen)


def logits(weights: Weights, fixed: Fixed, z: jax.Array) -> jax.Array:
    return forward(weights, fixed, z)[0]


def loss(weights: Weights, fixed: Fixed, z: jax.Array, following: jax.Array, kept: jax.Array) -> jax.Array:
    """The mean cross-entropy over the positions that are kept."""
    log_p = jax.nn.log_softmax(jax.vmap(lambda one: logits(weights, fixed, one))(z))
    nll = -jnp.take_along_axis(log_p, following[..., None], axis=2)[..., 0]
    return jnp.sum(jnp.where(kept, nll, 0)) / jnp.maximum(jnp.sum(kept), 1)


optimizer = optax.chain(optax.add_decayed_weights(DECAY), optax.sgd(LEARNING_RATE, momentum=MOMENTUM))


@jax.jit
def step(
    weights: Weights, state: Any, fixed: Fixed, z: jax.Array, following: jax.Array, kept: jax.Array
) -> tuple[Any, Any, jax.Array]:
    """One step of SGD on a fresh batch."""
    value, gradient = jax.value_and_grad(loss)(weights, fixed, z, following, kept)
    updates, state = optimizer.update(gradient, state, weights)
    return optax.apply_updates(weights, updates), state, value


# ---------------------------------------------------------------------------------------------------------------------
# What is left without the second feed-forward layer (Figure 3)
# ---------------------------------------------------------------------------------------------------------------------


def truncated(weights: Weights, rho: float) -> Weights:
    """U_in of F_2 cut to a fraction ρ of its rank (Section 2.2, LASER); ρ = 0 drops F_2."""
    left, values, right = np.linalg.svd(np.asarray(weights[1]["U_in"]), full_matrices=False)
    rank = int(rho * len(values) + 1e-9)
    return [weights[0], weights[1] | {"U_in": jnp.asarray((left[:, :rank] * values[:rank]) @ right[:rank])}]


@jax.jit
def answers(weights: Weights, fixed: Fixed, z: jax.Array, y_bar: jax.Array) -> tuple[jax.Array, ...]:
    """Mean probability of ȳ and of τ, at triggers after which the context has shown the answer several times."""
    p = jax.nn.softmax(jax.vmap(lambda one: logits(weights, fixed, one))(z))
    kept = (z == Q) & (jnp.cumsum(z == Q, axis=1) > SHOWN)
    correct = jnp.take_along_axis(p, y_bar[:, None, None], axis=2)[..., 0]
    return tuple(jnp.sum(jnp.where(kept, one, 0)) / jnp.sum(kept) for one in (correct, p[..., TAU]))


# ---------------------------------------------------------------------------------------------------------------------
# The theory's one-layer model (equation 2), Theorems 1 and 2
# ---------------------------------------------------------------------------------------------------------------------


def one_layer(learned: dict[str, jax.Array], fixed: Fixed, z: jax.Array) -> jax.Array:
    """ξ_attn + ξ_ff at z_T = q; `fixed` holds W_E, W̃_E ("W_prev") and W_U, all orthonormal. Here τ is a token N+1."""
    x = fixed["W_E"][z].at[1:].add(fixed["W_prev"][z[:-1]])  # x_t = W_E(z_t) + W̃_E(z_{t-1})
    weights = jax.nn.softmax(x[-1] @ learned["W_QK"] @ x.T)  # no 1/√d in equation (2)
    return (weights @ x @ learned["W_V"].T + x[-1] @ learned["W_F"].T) @ fixed["W_U"].T


def one_layer_loss(learned: dict[str, jax.Array], fixed: Fixed, z: jax.Array, y: jax.Array) -> jax.Array:
    log_p = jax.nn.log_softmax(jax.vmap(lambda one: one_layer(learned, fixed, one))(z))
    return -jnp.mean(jnp.take_along_axis(log_p, y[:, None], axis=1))


# ---------------------------------------------------------------------------------------------------------------------
# No feed-forward layers: a linear associative memory with noise (Section 3.3, Appendix G)
# ---------------------------------------------------------------------------------------------------------------------


def memory_logits(W: jax.Array, e: jax.Array, u: jax.Array) -> jax.Array:
    """f(i, j; W) = <u_j, W e_i> for every input i and output j (equation 39)."""
    return e @ W.T @ u.T


def memory_loss(W: jax.Array, e: jax.Array, u: jax.Array, alpha: Number) -> jax.Array:
    """Cross-entropy under p_α(y | x) = (1 - α) 1{y = x} + α 1{y = n+1}, uniform inputs (equation 38)."""
    n = len(e)
    p_alpha = jnp.concatenate([(1 - alpha) * jnp.eye(n), jnp.full((n, 1), alpha)], axis=1)
    return -jnp.mean(jnp.sum(p_alpha * jax.nn.log_softmax(memory_logits(W, e, u)), axis=1))


@jax.jit
def memory_step(W: jax.Array, e: jax.Array, u: jax.Array, alpha: Number, learning_rate: Number) -> jax.Array:
    return W - learning_rate * jax.grad(memory_loss)(W, e, u, alpha)


def of_rank(W: jax.Array, k: int) -> np.ndarray:
    """W^(k), the best approximation of rank k."""
    left, values, right = np.linalg.svd(np.asarray(W))
    return (left[:, :k] * values[:k]) @ right[:k]


# ---------------------------------------------------------------------------------------------------------------------
# The headline
# ---------------------------------------------------------------------------------------------------------------------


def train(seed: int = 0, steps: int = STEPS, alpha: float = ALPHA) -> tuple[Weights, Fixed]:
    rng, (pi_u, pi_b) = default_rng(seed), statistics()
    weights, fixed = first_weights(rng)
    state = optimizer.init(weights)
    for number in range(steps):
        z, following, _ = draw(rng, pi_u, pi_b, alpha, BATCH)
        weights, state, value = step(weights, state, fixed, z, following, loss_positions(z))
        if number % 100 == 0:
            print(f"step {number:4d}   loss {value:.3f}")
    return weights, fixed


def shown(steps: int = STEPS) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """For the page: a sequence with many triggers, and where its last one looks: tokens and their roles; attention,
    queries and keys."""
    weights, fixed = train(steps=steps)
    drawn = draw(default_rng(2), *statistics(), ALPHA, 256)
    z, _, y_bar = (one[int(np.argmax((drawn[0] == Q).sum(axis=1)))] for one in drawn)
    names, before = {Q: "q", TAU: "τ", int(y_bar): "ȳ"}, np.append(-1, z[:-1])
    parts = {Q: "the trigger q", TAU: "the noise τ after q", int(y_bar): "the sequence's own ȳ after q"}
    tokens = [names.get(int(token), str(token)) for token in z]
    roles = [parts.get(int(a), "") if a == Q or b == Q else "" for a, b in zip(z, before, strict=True)]
    seen = np.asarray(forward(weights, fixed, jnp.asarray(z))[1][:, -1])
    return (tokens, roles), (seen, ["q, layer 1", "q, layer 2"], tokens)


def main() -> None:
    print(f"Noisy in-context recall: N = {N}, T = {T}, d = {D}, α = {ALPHA}, {STEPS} steps on {BATCH} fresh sequences")
    weights, fixed = train()
    z, _, y_bar = draw(default_rng(1), *statistics(), alpha=0.0, count=512)  # clean test data
    print("U_in of F_2 kept   P(correct)   P(noise)")
    for rho in (1.0, 0.4, 0.1, 0.0):
        correct, noise = answers(truncated(weights, rho), fixed, z, y_bar)
        print(f"ρ = {rho:<14g} {correct:10.3f} {noise:10.3f}")
    print("Judged by `lemmata check association/fig-3` (and noise-first, fig-4, fig-7).\n")

    n, d, alpha, learning_rate, steps = 2, 8, 0.3, 0.5, 20_000
    rng = default_rng(0)
    e, u = (jnp.asarray(np.linalg.qr(rng.normal(size=(d, d)))[0][:rows]) for rows in (n, n + 1))  # Assumption G.1
    W = jnp.zeros((d, d))  # Assumption G.2
    for _ in range(steps):
        W = memory_step(W, e, u, alpha, learning_rate)
    print(f"Linear memory with noise: n = {n}, d = {d}, α = {alpha}, t = {learning_rate * steps:g}")
    for k in (n, 1):
        p = jax.nn.softmax(memory_logits(jnp.asarray(of_rank(W, k)), e, u))
        print(f"rank {k}: P(correct) {p[0, 0]:.3f}   P(noise) {p[0, n]:.3f}")
    print("Judged by `lemmata check association/thm-3-full association/thm-3-rank-1`.")


if __name__ == "__main__":
    main()
