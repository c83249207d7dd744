"""In-context factual recall in one file: the task, the transformer, its loss, fine-tuning, the numbers.

"Fine-Tuning Dynamics of In-Context Factual Recall in Transformers" (Huang, Nichani, Lee, Ge), in its own symbols.
Read from top to bottom; nothing here is made fast. Facts (s, r, a) live in an MLP that stays frozen; what is trained is
attention, W^KQ: the position block alone (Section 2.3, as the theory does), or all of it (`block=None`).

    python -m lemmata.papers.ic_recall.plain
"""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.random import default_rng

# ----------------------------------------------------------------------------------------------------------------------
# Section 2.1, the vocabulary: subjects 0 ... n-1, then n answers, then m relations, then EoS.
# A world is a table of m bijections: r(s) = table[r, s].


def every_bijection(n):
    """Section 4.1: the warm-up's world, n = 3."""
    if n == 1:
        return np.zeros((1, 1), int)
    return np.array(
        [np.insert(row + (row >= last), n - 1, last) for last in range(n) for row in every_bijection(n - 1)]
    )


def random_bijections(n, m, rng):
    """Section 5: m distinct random bijections from n subjects to n answers."""
    rows = set()
    while len(rows) < m:
        rows.add(tuple(rng.permutation(n)))
    return np.array(sorted(rows))


# ----------------------------------------------------------------------------------------------------------------------
# Definition 2.1, the task: a hidden relation r*, k + 1 distinct subjects, their answers. The last answer is the target.


def draw_sequences(table, num, k, rng):
    """Tokens (s_1, a_1, ..., s_k, a_k, s_{k+1}, EoS, r*) and, as tokens, the answers a_{k+1}."""
    m, n = table.shape
    r = rng.integers(m, size=num)
    s = np.array([rng.permutation(n)[: k + 1] for _ in range(num)])
    a = table[r[:, None], s]
    pairs = np.stack([s, n + a], axis=2).reshape(num, -1)[:, :-1]  # without the last answer
    eos = np.full((num, 1), 2 * n + m)
    return np.concatenate([pairs, eos, 2 * n + r[:, None]], axis=1), n + a[:, -1]


# ----------------------------------------------------------------------------------------------------------------------
# Lemma 3.1, the memory: f_MLP(x) = V^T sigma(W x) with sigma(x) = x^2 and three hidden units for each pair (s, a).


def orthonormal_embeddings(size, rng):
    """phi(u) is row u: fixed random orthonormal vectors (Section 5)."""
    q, _ = np.linalg.qr(rng.normal(size=(size, size)))
    return jnp.asarray(q)


def associative_memory(table, phi):
    """W and V of Lemma 3.1, a row a hidden unit."""
    m, n = table.shape
    W, V = [], []
    for s in range(n):
        for a in range(n):
            subject, answer = phi[s], phi[n + a]
            relations = sum((phi[2 * n + r] for r in range(m) if table[r, s] == a), jnp.zeros(phi.shape[1]))  # R(s, a)
            W += [subject + relations, answer + subject, answer + relations]  # w_{3i-2}, w_{3i-1}, w_{3i}
            V += [answer, relations, subject]  # v_{3i-2}, v_{3i-1}, v_{3i}
    return jnp.stack(W), jnp.stack(V)


# ----------------------------------------------------------------------------------------------------------------------
# Section 2.1, the transformer: one attention head, then the MLP. Z has a column z_i = (e_i; phi(u_i)) a token.


def attention(W_KQ, phi, tokens):
    """Where the last of these tokens looks: softmax(Z^T W^KQ z_{-1})."""
    d_P = W_KQ.shape[0] - phi.shape[1]  # the maximum input length
    Z = jnp.concatenate([jnp.eye(len(tokens), d_P), phi[tokens]], axis=1).T
    return jax.nn.softmax(Z.T @ W_KQ @ Z[:, -1])


def f(W_KQ, W, V, phi, tokens):
    """f(Z; W) = V^T sigma(W h), h = W^P (z_{-1} + Z softmax(Z^T W^KQ z_{-1})); W^P keeps the token part."""
    h = phi[tokens[-1]] + phi[tokens].T @ attention(W_KQ, phi, tokens)
    return V.T @ (W @ h) ** 2


# ----------------------------------------------------------------------------------------------------------------------
# Section 2.3, the chain of thought: at EoS decode the relation, then at the relation the answer. Of the logits of each
# step only those of relations, or of answers, are kept; n is the number of subjects.


def first_logits(W_KQ, W, V, phi, tokens, n):
    """A_r f(E(Z)): the relations, at EoS, which does not see the relation after it."""
    return phi[2 * n : -1] @ f(W_KQ, W, V, phi, tokens[:-1])


def second_logits(W_KQ, W, V, phi, tokens, n):
    """A_a f(E([Z, r])): the answers, at the relation."""
    return phi[n : 2 * n] @ f(W_KQ, W, V, phi, tokens)


def loss(W_KQ, W, V, phi, data, n, T):
    """Eq. (1): L = L_1 + L_2, the cross-entropies of r* and, given r*, of a_{k+1}, at the temperature T."""

    def one(tokens, answer):
        p_1 = jax.nn.log_softmax(first_logits(W_KQ, W, V, phi, tokens, n) / T)
        p_2 = jax.nn.log_softmax(second_logits(W_KQ, W, V, phi, tokens, n) / T)
        return -p_1[tokens[-1] - 2 * n] - p_2[answer - n]

    return jnp.mean(jax.vmap(one)(*data))


def pretraining_loss(W_KQ, W, V, phi, pairs, third):
    """Section 5, experiments with a pre-trained MLP: two elements of a fact, in any order, ask for the third."""
    logits = jax.vmap(lambda pair: phi @ f(W_KQ, W, V, phi, pair))(pairs)
    return jnp.mean(optax.softmax_cross_entropy_with_integer_labels(logits, third))


# ----------------------------------------------------------------------------------------------------------------------
# Fine-tuning. W and V are frozen. Partial fine-tuning (Section 2.3) moves the position-position block of W^KQ alone; of
# it the loss sees theta, the scores of EoS, and omega, those of the decoded relation.


def fine_tune(loss, W_KQ, optimiser, steps, block=None):
    """Full-batch steps on W^KQ; on its first `block` rows and columns, if given. (Pre-training: on W^KQ, W, V.)"""

    def step(state, _):
        W_KQ, moments = state
        slope = jax.grad(loss)(W_KQ)
        if block:
            slope = jnp.zeros_like(slope).at[:block, :block].set(slope[:block, :block])
        change, moments = optimiser.update(slope, moments)
        return (optax.apply_updates(W_KQ, change), moments), None

    return jax.lax.scan(step, (W_KQ, optimiser.init(W_KQ)), length=steps)[0][0]


def algorithm_1(loss, W_KQ, k, eta_1, eta_2, t_1, t_2, xi):
    """Algorithm 1 on the position block: Stage 1, the perturbation xi of (theta, omega), Stage 2."""
    d_P = 2 * k + 3
    settled = fine_tune(loss, W_KQ, optax.sgd(eta_1), t_1, d_P)
    theta, omega = (slice(0, d_P - 1), d_P - 2), (slice(0, d_P), d_P - 1)
    moved = jnp.asarray(settled).at[theta].add(xi[: d_P - 1]).at[omega].add(xi[d_P - 1 :])
    return settled, fine_tune(loss, moved, optax.sgd(eta_2), t_2, d_P)


def uniform_ball(size, radius, rng):
    """xi of Algorithm 1: uniform in the ball of this radius."""
    direction = rng.normal(size=size)
    return radius * rng.uniform() ** (1 / size) * direction / np.linalg.norm(direction)


# ----------------------------------------------------------------------------------------------------------------------
# What is read off a trained W^KQ.


def attentions(W_KQ, phi, data):
    """v and q, the attention of EoS and of the decoded relation, averaged over sequences."""
    tokens, _ = data
    v = jax.vmap(lambda row: attention(W_KQ, phi, row[:-1]))(tokens).mean(axis=0)
    q = jax.vmap(lambda row: attention(W_KQ, phi, row))(tokens).mean(axis=0)
    return v, q


def accuracy(W_KQ, W, V, phi, data, n):
    """How often argmax decoding finds r*, and a_{k+1} given r*; ties are split evenly."""

    def right(logits, truth):
        best = logits >= logits.max() - 1e-6
        return best[truth] / best.sum()

    def one(tokens, answer):
        first, second = (read(W_KQ, W, V, phi, tokens, n) for read in (first_logits, second_logits))
        return right(first, tokens[-1] - 2 * n), right(second, answer - n)

    first, second = jax.vmap(one)(*data)
    return first.mean(), second.mean()


def best_possible(table, data):
    """Of the relation: 1 / (how many relations fit the context)."""
    tokens, (_, n) = np.asarray(data[0]), table.shape
    s, a = tokens[:, :-3:2], tokens[:, 1:-2:2] - n
    return np.mean([1 / (table[:, one] == two).all(axis=1).sum() for one, two in zip(s, a, strict=True)])


# ----------------------------------------------------------------------------------------------------------------------


def theorem_4_2(rng, steps=30_000):
    """Three subjects, all six bijections, T = 0.05: Algorithm 1 to the saddle, then the pairwise optimum (t long)."""
    n, k, T, delta = 3, 2, 0.05, 0.1
    table = every_bijection(n)
    phi = orthonormal_embeddings(2 * n + len(table) + 1, rng)
    W, V = associative_memory(table, phi)
    data = draw_sequences(table, 1, k, rng)  # every sequence has the same gradient (Section 4.1)
    d_P = 2 * k + 3
    W_KQ = jnp.zeros((d_P + len(phi),) * 2)
    xi = uniform_ball(2 * d_P - 1, T**3 / np.log(1 / delta) ** 2, rng)
    eta = 30 * T**2  # Theta(T^2)
    settled, final = algorithm_1(lambda w: loss(w, W, V, phi, data, n, T), W_KQ, k, eta, eta, 100, steps, xi)
    return attentions(settled, phi, data)[0], attentions(final, phi, data)[0]


def figures_2_and_3(rng, steps=6000):
    """Eight subjects, 64 random bijections, T = 0.05: the position block by Adam on 8 sequences."""
    n, m, k, T = 8, 64, 2, 0.05
    table = random_bijections(n, m, rng)
    phi = orthonormal_embeddings(2 * n + m + 1, rng)
    W, V = associative_memory(table, phi)
    train, test = draw_sequences(table, 8, k, rng), draw_sequences(table, 1000, k, rng)
    d_P = 2 * k + 3
    W_KQ = jnp.zeros((d_P + len(phi),) * 2)
    W_KQ = fine_tune(lambda w: loss(w, W, V, phi, train, n, T), W_KQ, optax.adam(1e-3), steps, d_P)
    return *attentions(W_KQ, phi, test), *accuracy(W_KQ, W, V, phi, test, n), best_possible(table, test)


def shown(steps=30_000):
    """For the page: a sequence, and the attention of EoS after each stage of Algorithm 1, then of r*: tokens and their
    roles; attention, queries and keys."""
    rng = default_rng(0)
    settled, final = theorem_4_2(rng, steps)
    world, k = random_bijections(8, 64, rng), 2
    tokens, answers = draw_sequences(world, 1, k, rng)
    names = [f"s{u}" if u < 8 else f"a{u - 8}" if u < 16 else "EoS" if u == 80 else f"r{u - 16}" for u in tokens[0]]
    roles = ["the first pair"] * 2 + ["the second pair"] * 2 + ["asked about", "", "the hidden relation", "the target"]
    q = figures_2_and_3(rng, steps // 5)[1]
    seen = [np.append(settled, np.nan), np.append(final, np.nan), q]
    queries = ["EoS, after Stage 1", "EoS, after Stage 2", "r*, Figure 2's world"]
    keys = ["$s_1$", "$a_1$", "$s_2$", "$a_2$", "$s_3$", "EoS", "r*"]
    return ([*names, f"a{answers[0] - 8}"], roles), (seen, queries, keys)


def main():
    jax.config.update("jax_enable_x64", True)
    np.set_printoptions(precision=3, suppress=True)
    rng = default_rng(0)
    settled, final = theorem_4_2(rng)
    print("Theorem 4.2, attention on s_1 a_1 s_2 a_2 s_3 EoS; the claims: ic-recall/lemma-b.4, ic-recall/thm-4.2")
    print("  after Stage 1", np.asarray(settled), "  the saddle: 1/4 1/4 1/4 1/4 0 0")
    print("  after Stage 2", np.asarray(final), "  pairwise: a a 1/2-a 1/2-a 0 0")
    v, q, first, second, best = figures_2_and_3(rng)
    print("Figure 2, attention of EoS and of the decoded relation; the claim: ic-recall/fig-2")
    print("  v", np.asarray(v), "\n  q", np.asarray(q))
    print("Figure 3, 8 sequences; the claims: ic-recall/few-samples, ic-recall/second-step")
    print(f"  the relation is found in {first:.3f} of fresh sequences, where {best:.3f} is possible")
    print(f"  the answer, given the relation, in {second:.3f}")


if __name__ == "__main__":
    main()
