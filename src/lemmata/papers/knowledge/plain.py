"""Stored facts and question fine-tuning in one file: data, model, losses, training, the headline numbers.

    python -m lemmata.papers.knowledge.plain       # about half a minute on two cores

"Provable Knowledge Acquisition and Extraction in One-Layer Transformers" (Xu, Chen). Our text of it is a review with
fragments of the appendix; equation and lemma numbers are the fragments'. Everything is written as it reads: gradients
are `jax.grad` of the losses below. The package computes the same numbers faster (run/fast/), and
tests/knowledge/test_plain.py holds it to this file.

Symbols: N subjects s_j with one answer a_j each, a universe R of relation templates r_i, K templates a subject; o opens
every sequence, p ends a question and is new to the model, d (a token) is the target at o and stands in no prompt, and
the width of embeddings. A is the attention matrix, w_{c,k} neuron k of class c, m neurons a class, lambda their scale.
"""

import jax
import jax.numpy as jnp
import numpy as np
import optax

# ---------------------------------------------------------------------------------------------------------------------
# Data (fragments 39-45). Tokens: o, p, d, then R relations, N subjects, N answers.

START, ASK, DUMMY = 0, 1, 2  # o, p, d


def draw_templates(rng, N, R, K):
    """Each subject's K templates, uniform without replacement: an array [subject, slot]."""
    return np.argsort(rng.random((N, R)), axis=1)[:, :K]


def all_sentences(templates):
    """Subject and relation of each of the N K sentences `o s_j r_i a_j`."""
    N, K = templates.shape
    return np.repeat(np.arange(N), K), templates.reshape(-1)


def halves(rng, N):
    """Half of the subjects are asked about in fine-tuning; questions about the other half are the test."""
    order = rng.permutation(N)
    return order[: N // 2], order[N // 2 :]


# ---------------------------------------------------------------------------------------------------------------------
# Model (Figure 1). Only tokens that can follow have neurons: the classes are d, the R relations, the N answers. Tokens
# that are only predicted (d and the answers) need no embedding, and have none that is read.


def first_weights(rng, N, R, width, m, sigma_0, orthonormal=False):
    """Embeddings E [token, width], which stay; A = 0; w [width, neuron, class] ~ sigma_0 N(0, 1)."""
    E = rng.standard_normal((3 + R + 2 * N, width))
    if orthonormal:  # of length sqrt(width), all that are read at right angles
        E[: 3 + R + N] = np.linalg.qr(E[: 3 + R + N].T)[0].T * np.sqrt(width)
    w = sigma_0 * rng.standard_normal((width, m, 1 + R + N))
    if np.all(E[START] @ w[:, :, 0] <= 0):  # the theorem's neurons are so many that some of d's respond to o
        w[:, :, 0] *= -1
    return jnp.asarray(E), {"A": jnp.zeros((width, width)), "w": jnp.asarray(w)}


def attention(A, x, query):
    """alpha of the last position of one prompt, x [position, width]: softmax(x_last A x_l). Our text does not say whose
    embedding asks. With one query for all prompts, that of o, Lemma 10 can hold."""
    asks = x[-1] if query == "last" else x[0]
    return jax.nn.softmax(x @ (asks @ A))


def logits(params, x, lam, query):
    """logit_c = (lambda / m) sum_k relu(<w_{c,k}, Xi>), Xi = x_last + sum_l alpha_l x_l."""
    m = params["w"].shape[1]
    Xi = x[-1] + attention(params["A"], x, query) @ x
    return lam / m * jnp.sum(jax.nn.relu(jnp.einsum("d,dmc->mc", Xi, params["w"])), axis=0)


def log_probabilities(params, E, prompts, lam, query):
    """Of every class after each prompt, prompts [prompt, position] of tokens."""
    return jax.nn.log_softmax(jax.vmap(lambda tokens: logits(params, E[tokens], lam, query))(prompts))


# ---------------------------------------------------------------------------------------------------------------------
# Losses. `s` and `r` number subjects and relations from 0; R and N follow from the shapes.


def sizes(E, params):
    """R and N."""
    classes, tokens = params["w"].shape[2], E.shape[0]
    N = tokens - 2 - classes
    return classes - 1 - N, N


def prefix_losses(params, E, s, r, lam, query):
    """The next-token losses of sentences `o s r a`, one array a prefix: [o] -> d, [o s] -> r, [o s r] -> a."""
    R, _ = sizes(E, params)
    o = jnp.full_like(s, START)
    subject, relation = 3 + R + s, 3 + r
    log_p_d = log_probabilities(params, E, o[:1, None], lam, query)[0, 0]
    log_p_r = log_probabilities(params, E, jnp.stack([o, subject], axis=1), lam, query)
    log_p_a = log_probabilities(params, E, jnp.stack([o, subject, relation], axis=1), lam, query)
    row = jnp.arange(len(s))
    return -log_p_d, -log_p_r[row, 1 + r], -log_p_a[row, 1 + R + s]


def pretraining_loss(params, E, s, r, lam, query):
    """The mean over the sentences' three prefixes. The least possible is log(K)/3: only [o s] leaves a choice."""
    of_d, of_r, of_a = prefix_losses(params, E, s, r, lam, query)
    return (of_d + jnp.mean(of_r) + jnp.mean(of_a)) / 3


def question_loss(params, E, s, a, lam, query):
    """The mean loss of the answers a after the questions `o s p`; a = s but where wrong answers are a control."""
    R, _ = sizes(E, params)
    prompts = jnp.stack([jnp.full_like(s, START), 3 + R + s, jnp.full_like(s, ASK)], axis=1)
    return -jnp.mean(log_probabilities(params, E, prompts, lam, query)[jnp.arange(len(s)), 1 + R + a])


# ---------------------------------------------------------------------------------------------------------------------
# Pre-training, as the theorem has it: descent of one loss in all of A and w, in three stages that differ in the rate.


def learning_rate_unit(params, lam, sigma=1.0):
    """m / (lambda^2 d sigma^2): at this learning rate a step moves the logit of a prompt by order 1."""
    width, m, _ = params["w"].shape
    return m / (lam**2 * width * sigma**2)


def pretrain_in_stages(params, E, templates, etas, steps, lam, query, first_steps=2):
    """Stage 1 is two steps of a large eta_1 (Lemma 10); stage 2 lasts until half is learned (T_2: our choice, the text
    has 1 - logit = Theta(1)); stage 3 goes on to T_p (168). Returns the parameters, each step's loss and stage."""
    s, r = map(jnp.asarray, all_sentences(templates))
    K = templates.shape[1]

    @jax.jit
    def loss_and_gradient(params):
        def loss(params):
            of_d, of_r, of_a = prefix_losses(params, E, s, r, lam, query)
            half_learned = (K * jnp.mean(jnp.exp(-of_r)) >= 0.5) | (jnp.mean(jnp.exp(-of_a)) >= 0.5)
            return (of_d + jnp.mean(of_r) + jnp.mean(of_a)) / 3, half_learned

        return jax.value_and_grad(loss, has_aux=True)(params)

    stage, history = 1, []
    for step in range(steps):
        (loss, half_learned), gradient = loss_and_gradient(params)
        stage = max(stage, 2) if step >= first_steps else 1
        stage = 3 if stage == 2 and half_learned else stage
        params = jax.tree.map(lambda value, g, eta=etas[stage - 1]: value - eta * g, params, gradient)
        history.append((float(loss), stage))
    return params, history


# Pre-training, as the experiments have it: AdamW on fresh sentences (fragment 45 names AdamW; the learning rates are
# ours, one for A and one for w). Our text is cut before it says what fine-tunes: it may be AdamW too.


def train_with_adamw(loss, params, E, batches, lam, query, learning_rates, weight_decay=1e-4):
    """`batches`: what the loss takes after E, each [step, example]: subjects and relations, or subjects and answers."""
    rule = optax.multi_transform(
        {name: optax.adamw(learning_rates[name], weight_decay=weight_decay) for name in ("A", "w")},
        {"A": "A", "w": "w"},
    )

    @jax.jit
    def step(carry, batch):
        params, state = carry
        gradient = jax.grad(loss)(params, E, *batch, lam, query)
        updates, state = rule.update(gradient, state, params)
        return (optax.apply_updates(params, updates), state), None

    (params, _), _ = jax.lax.scan(step, (params, rule.init(params)), tuple(map(jnp.asarray, batches)))
    return params


# ---------------------------------------------------------------------------------------------------------------------
# Question fine-tuning, as the theory has it: gradient descent on all questions that are asked.


def leading_part(G, rank):
    """RA_rank(G): the part along the first left singular vectors; rank 1 is RA_1 of equation (216)."""
    u = jnp.linalg.svd(G.reshape(G.shape[0], -1), full_matrices=False)[0][:, :rank]
    return (u @ (u.T @ G.reshape(G.shape[0], -1))).reshape(G.shape)


def fine_tune(params, E, s, a, eta_A, eta_w, steps, lam, query, rank=None):
    """Of subjects s with answers a. Rank: of the neurons' gradient; None, all of it."""

    @jax.jit
    def step(params):
        G = jax.grad(question_loss)(params, E, s, a, lam, query)
        G_w = G["w"] if rank is None else leading_part(G["w"], rank)
        return {"A": params["A"] - eta_A * G["A"], "w": params["w"] - eta_w * G_w}

    for _ in range(steps):
        params = step(params)
    return params


# ---------------------------------------------------------------------------------------------------------------------
# What is read.


def extraction(params, E, s, lam, query):
    """The share of questions `o s p` about these subjects that get the right answer."""
    R, _ = sizes(E, params)
    prompts = jnp.stack([jnp.full_like(s, START), 3 + R + s, jnp.full_like(s, ASK)], axis=1)
    return float(jnp.mean(jnp.argmax(log_probabilities(params, E, prompts, lam, query), axis=1) == 1 + R + s))


def stored(params, E, templates, lam, query):
    """The share of sentences `o s r` that get the right answer."""
    R, _ = sizes(E, params)
    s, r = map(jnp.asarray, all_sentences(templates))
    prompts = jnp.stack([jnp.full_like(s, START), 3 + R + s, 3 + r], axis=1)
    return float(jnp.mean(jnp.argmax(log_probabilities(params, E, prompts, lam, query), axis=1) == 1 + R + s))


def theorem_world(seed=0):
    """Orthonormal embeddings, and the three learning rates; the first step aims at a logit of 56 for d at [o]."""
    N, R, K, width, m, lam = 32, 8, 4, 128, 12, 256.0
    rng = np.random.default_rng(seed)
    templates = draw_templates(rng, N, R, K)
    asked, held_out = map(jnp.asarray, halves(rng, N))
    E, params = first_weights(rng, N, R, width, m, sigma_0=0.01 / lam, orthonormal=True)
    unit = learning_rate_unit(params, lam)
    etas = (1.5 * 56.0 * unit, 20 * unit, 100 * unit)
    return templates, asked, held_out, E, params, etas, lam


def fact_attention(params, E, templates):
    """alpha at [o s r] of every fact where o asks, [fact, token]."""
    R, _ = sizes(E, params)
    facts = zip(*all_sentences(templates), strict=True)
    return np.array([attention(params["A"], E[jnp.array([START, 3 + R + s, 3 + r])], "first") for s, r in facts])


def theorem():
    """The theory from end to end: stages store, questions unlock. One query for all prompts."""
    templates, asked, held_out, E, params, etas, lam = theorem_world()
    K, unit = templates.shape[1], learning_rate_unit(params, lam)
    after_first, _ = pretrain_in_stages(params, E, templates, etas, 2, lam, "first")
    params, history = pretrain_in_stages(params, E, templates, etas, 320, lam, "first")
    alpha = fact_attention(after_first, E, templates)[0]
    s, r = map(jnp.asarray, all_sentences(templates))
    loss = float(pretraining_loss(params, E, s, r, lam, "first"))
    print("Pre-training by gradient descent in stages, one query for all prompts:")
    print(f"  loss {loss:.3f} nats, the least possible {np.log(K) / 3:.3f}  (knowledge/near-optimal-in-stages)")
    shares = ", ".join(f"{name} {share:.1g}" for name, share in zip("osr", alpha.tolist(), strict=True))
    print(f"  attention at [o s r] after stage 1: {shares}  (knowledge/attention-pattern)")
    print(f"  stage 3 begins at step {[stage for _, stage in history].index(3)}")
    before = extraction(params, E, held_out, lam, "first")
    tuned = fine_tune(params, E, asked, asked, 0.1 * unit, 3 * unit, 120, lam, "first")
    thin = fine_tune(params, E, asked, asked, 0.1 * unit, 3 * unit, 120, lam, "first", rank=1)
    frozen = fine_tune(params, E, asked, asked, 0.1 * unit, 0.0, 120, lam, "first")
    after, along, alone = (extraction(one, E, held_out, lam, "first") for one in (tuned, thin, frozen))
    print("Then questions about half of the subjects, by gradient descent:")
    print(f"  facts stored {stored(params, E, templates, lam, 'first'):.2f}, of the other half {before:.2f} come out")
    print(f"  after fine-tuning {after:.2f}  (knowledge/extraction-unseen-facts)")
    print(f"  along gradients of rank 1 {along:.2f}, with the neurons frozen {alone:.2f}  (knowledge/neurons-extract)")


def shown(steps=240):
    """For the page: a subject's sentences and its question, and the mean attention at [o s r] in training: tokens and
    their roles; attention, queries and keys."""
    templates, _, _, E, start, etas, lam = theorem_world()
    trained = [pretrain_in_stages(start, E, templates, etas, number, lam, "first")[0] for number in (0, 2, steps)]
    sentences = [["o", "s₀", f"r{r}", "a₀"] for r in templates[0]] + [["o", "s₀", "p", "a₀"]]
    parts = {"s₀": "the subject", "a₀": "its answer", "p": "p ends a question"}
    tokens = [token for sentence in sentences for token in sentence]
    roles = [parts.get(token, "a relation" if token[0] == "r" else "") for token in tokens]
    seen = [fact_attention(params, E, templates).mean(axis=0) for params in trained]
    queries = ["at the start", "after stage 1", "at the end"]
    return (tokens, roles), (seen, queries, ["o", "the subject", "the relation"])


def experiment(seed=0):
    """Another reading: AdamW pre-trains and the last token asks."""
    N, R, K, width, m, lam, steps, batch = 32, 8, 4, 50, 8, 8.0, 2000, 64
    rng = np.random.default_rng(seed)
    templates = draw_templates(rng, N, R, K)
    asked, held_out = map(jnp.asarray, halves(rng, N))
    E, params = first_weights(rng, N, R, width, m, sigma_0=0.01)
    s = rng.integers(N, size=(steps, batch))
    r = templates[s, rng.integers(K, size=(steps, batch))]
    params = train_with_adamw(pretraining_loss, params, E, (s, r), lam, "last", {"A": 1e-4, "w": 1e-3})
    before = extraction(params, E, held_out, lam, "last")
    unit = learning_rate_unit(params, lam)
    tuned = fine_tune(params, E, asked, asked, 0.1 * unit, 3 * unit, 120, lam, "last")
    own, after = (extraction(tuned, E, subjects, lam, "last") for subjects in (asked, held_out))
    print("Another reading: pre-training with AdamW, and the last token asks:")
    print(f"  facts stored {stored(params, E, templates, lam, 'last'):.2f}, own questions learned {own:.2f}")
    print(f"  facts of the other half: {before:.2f} before, {after:.2f} after  (knowledge/extraction-last-token)")


if __name__ == "__main__":
    theorem()
    experiment()
