"""The theory's model and its two algorithms in one file, read from top to bottom (Sections 3 to 5 of the paper).

    python -m lemmata.papers.lego.plain        # trains C6 and S4 within a minute on two cores

It imports nothing of lemmata. Symbols are the paper's: variables x in X, actions g in G, values y in Y, d tokens, each
counted from 0; T^L, D^L for length L; Q for attention, W for neurons, whose entries are Definition 6.2's features.
"""

import itertools
import math
import time
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax


# ---- Data
class Sentence(NamedTuple):
    """Equation (1): predicates x_n = g_n(x_{n-1}) for n = 1, ..., L, then answers u_n = y_n for n = 0, ..., L.

    In the truth u_n is x_n; a model that labels a sentence may write another variable.
    """

    x: Any  # [L + 1]
    g: Any  # [L]
    u: Any  # [L + 1]
    y: Any  # [L + 1]


def cyclic(n: int) -> np.ndarray:
    """C_n on Z_n, simply transitive (Assumption 4.1): table[g, y] = g(y)."""
    return np.array([[(g + y) % n for y in range(n)] for g in range(n)])


def symmetric(n: int) -> np.ndarray:
    """S_n on Z_n (Assumption 5.1)."""
    return np.array(list(itertools.permutations(range(n))))


@partial(jax.jit, static_argnames=("variables", "length", "num"))
def draw(table: Any, variables: int, length: int, num: int, key: Any) -> Sentence:
    """Assumption 3.2: `num` sentences of D^L; variables without replacement, actions with."""
    of_x, of_g, of_y = jax.random.split(key, 3)
    order = jax.vmap(lambda one: jax.random.permutation(one, variables))(jax.random.split(of_x, num))
    g = jax.random.randint(of_g, (num, length), 0, len(table))
    start = jax.random.randint(of_y, (num,), 0, table.shape[1])
    later = jax.lax.scan(lambda y, acting: (table[acting, y],) * 2, start, g.T)[1]
    x = order[:, : length + 1]
    return Sentence(x, g, x, jnp.concatenate([start[:, None], later.T], axis=1))


# ---- Model (Definition 3.5)
class Model(NamedTuple):
    """Embeddings are orthonormal, so <W, e_v> is a row of a table: W_4 and W_5 are tables [token, class j, neuron r].

    As in Section 6.1 a neuron of W_4 reads slot 1 of a clause alone (x_n) and one of W_5 slots 2 and 5 (g_n and y_n):
    the other slots hold nothing that the answer depends on. By Assumption 3.5 two blocks of Q are not zero. Tokens
    that are never right in a slot have no neurons: their logits stay at 0.
    """

    Q43: Any  # [X, X]: from the query's variable to a predicate's third token
    Q44: Any  # [X, X]: ... to an answer's fourth token
    W4: Any  # [X, X, m]
    W5g: Any  # [G, Y, m]: V_{j,r}(g) of Definition 6.2
    W5y: Any  # [Y, Y, m]: V_{j,r}(y)


class Constants(NamedTuple):
    """Of Definition 3.4 and Assumptions 3.3 and 3.4."""

    d: int  # |V|, with the blank
    b: float  # sigma_0 log d, not trained
    B: float  # C_B log d: where logits are clipped
    rho: float = 1.0
    q: int = 4


def create(
    table: Any, variables: int, m: int, key: Any, sigma: float = 0.02, clip: float = 2.0
) -> tuple[Model, Constants]:
    """Assumption 3.3: Q = 0, W ~ N(0, sigma_0^2)."""
    actions, values = table.shape
    d = variables + actions + values + 1
    shapes = (variables, variables), (actions, values), (values, values)
    keys = jax.random.split(key, 3)
    drawn = [sigma * jax.random.normal(one, (*shape, m)) for one, shape in zip(keys, shapes, strict=True)]
    zero = jnp.zeros((variables, variables))
    return Model(zero, zero, *drawn), Constants(d, sigma * math.log(d), clip * math.log(d))


def sReLU(z: Any, c: Constants) -> Any:
    """Definition 3.4, with 0 for z <= 0."""
    return c.rho / c.q * jnp.clip(z / c.rho, 0, 1) ** c.q + jnp.maximum(z - c.rho, 0)


def attention(model: Model, s: Sentence, step: Any) -> Any:
    """Of the query x_{l-1} over L predicates and the answers 0, ..., l - 1 (21); later answers are hidden."""
    asking = s.u[step - 1]
    seen = jnp.concatenate([jnp.ones(len(s.g), bool), jnp.arange(len(s.u)) < step])
    scores = jnp.concatenate([model.Q43[asking, s.x[:-1]], model.Q44[asking, s.u]])
    return jax.nn.softmax(jnp.where(seen, scores, -jnp.inf))


def logits(model: Model, c: Constants, s: Sentence, a: Any) -> tuple[Any, Any]:
    """Of tokens 4 and 5 (14), clipped (Assumption 3.4), for the classes that have neurons, by attention `a`."""
    predicates, answers = a[: len(s.g)], a[len(s.g) :]
    of_variable = jnp.tensordot(predicates, model.W4[s.x[1:]], 1)  # Lambda_{4,j,r} of (13), less its bias
    of_value = jnp.tensordot(predicates, model.W5g[s.g], 1) + jnp.tensordot(answers, model.W5y[s.y], 1)
    F4, F5 = (jnp.minimum(jnp.sum(sReLU(read + c.b, c), axis=1), c.B) for read in (of_variable, of_value))
    return F4, F5


def nll(of_classes: Any, right: Any, c: Constants) -> Any:
    """-log p of a class by the softmax over all d tokens (4), written so that a small one keeps its digits."""
    others = jnp.where(jnp.arange(len(of_classes)) == right, -jnp.inf, of_classes)
    silent = jnp.log(c.d - len(of_classes))  # so many tokens with the logit 0
    return jax.nn.softplus(jax.nn.logsumexp(jnp.append(others, silent)) - of_classes[right])


# ---- Stage 1 of both algorithms: the neurons learn T^1
def one_step_loss(W: tuple[Any, ...], token: int, table: Any, c: Constants) -> Any:
    """Loss^1 of token 4 or 5 over all inputs. Attention is uniform: the network reads half of the predicate, half of
    the first answer."""
    if token == 4:
        (W4,) = W
        read, right = W4 / 2, jnp.arange(len(W4))
    else:
        W5g, W5y = W
        pairs = (W5g[:, None] + W5y[None, :]) / 2  # [g, y, class, neuron]
        read, right = pairs.reshape(-1, *W5g.shape[1:]), table.reshape(-1)
    of_classes = jnp.minimum(jnp.sum(sReLU(read + c.b, c), axis=2), c.B)
    return jnp.mean(jax.vmap(lambda one, j: nll(one, j, c))(of_classes, right))


def floor(c: Constants) -> Any:
    """The least loss of a token: its logit at B, every other at 0."""
    return jnp.log1p((c.d - 1) * jnp.exp(-c.B))


@partial(jax.jit, static_argnames=("token", "c", "steps"))
def learn_one_step(
    W: tuple[Any, ...], token: int, table: Any, c: Constants, steps: int, stride: Any, finest: Any
) -> Any:
    """Gradient descent of W_4 or W_5. The paper's eta = 1/poly(d) makes it the gradient flow, which these steps follow:
    no weight moves by more than a share of itself. Near the floor the share goes with the root of what is left."""

    def one(W: tuple[Any, ...], _: Any) -> tuple[Any, Any]:
        loss, slopes = jax.value_and_grad(one_step_loss)(W, token, table, c)
        share = jnp.clip(jnp.sqrt(jnp.maximum(loss / floor(c) - 1, 0) / 0.1), finest, 1)
        fastest = jnp.stack(
            [jnp.max(jnp.abs(g) / (c.b + jnp.minimum(jnp.abs(w), c.rho))) for w, g in zip(W, slopes, strict=True)]
        )
        eta = share * stride / jnp.maximum(jnp.max(fastest), jnp.finfo(loss.dtype).tiny)
        return tuple(w - eta * g for w, g in zip(W, slopes, strict=True)), loss

    return jax.lax.scan(one, W, length=steps)


# ---- Stage 2: attention learns T^2 (Algorithm 1), then longer chains by its own labels (Algorithm 2)
def attention_loss(Q: tuple[Any, Any], model: Model, c: Constants, batch: Sentence, answers: tuple[int, ...]) -> Any:
    """The sum over `answers` l of Loss_5^{L,l} (6): both answers of T^2 in Algorithm 1, the second in Algorithm 2."""
    now = model._replace(Q43=Q[0], Q44=Q[1])

    def of(s: Sentence) -> Any:
        return sum(nll(logits(now, c, s, attention(now, s, step))[1], s.y[step], c) for step in answers)

    return jnp.mean(jax.vmap(of)(batch))


def annotate(model: Model, c: Constants, s: Sentence, answers: int) -> Sentence:
    """Equation (9): answers 1, ..., `answers` as the model writes them greedily, each read back before the next."""
    for step in range(1, answers + 1):
        name, value = (jnp.argmax(one).astype(s.u.dtype) for one in logits(model, c, s, attention(model, s, step)))
        s = s._replace(u=s.u.at[step].set(name), y=s.y.at[step].set(value))
    return s


@partial(jax.jit, static_argnames=("c", "length", "answers", "steps"))
def learn_attention(
    model: Model, c: Constants, table: Any, length: int, answers: tuple[int, ...], steps: int, eta: Any, key: Any
) -> tuple[Model, Any]:
    """Gradient descent on Q alone. Beyond length 2 the labels are those of the model as it was when the stage began.

    A variable is the query of one sentence in |X|, so eta and the batch go with |X|."""
    variables, annotator, rule = len(model.Q43), model, optax.sgd(eta * len(model.Q43))

    def one(now: tuple[Any, Any], key: Any) -> tuple[Any, Any]:
        batch = draw(table, variables, length, 4 * variables, key)
        if length > 2:
            batch = jax.vmap(lambda s: annotate(annotator, c, s, max(answers)))(batch)
        loss, slopes = jax.value_and_grad(attention_loss)(now, model, c, batch, answers)
        return optax.apply_updates(now, rule.update(slopes, rule.init(now))[0]), loss

    Q, losses = jax.lax.scan(one, (model.Q43, model.Q44), jax.random.split(key, steps))
    return model._replace(Q43=Q[0], Q44=Q[1]), losses


# ---- The headline: equation (5), as a share of what the clip allows
@partial(jax.jit, static_argnames="c")
def accuracy(model: Model, c: Constants, batch: Sentence) -> tuple[Any, Any]:
    """Acc_L over its ceiling e^(-2 floor), teacher-forced; and the attention on neither right clause at the last step
    (19)."""
    length = batch.g.shape[1]

    def of(s: Sentence) -> tuple[Any, Any]:
        def at(step: Any) -> tuple[Any, Any]:
            a = attention(model, s, step)
            name, value = logits(model, c, s, a)
            return jnp.exp(-nll(name, s.x[step], c) - nll(value, s.y[step], c)), 1 - a[step - 1] - a[length + step - 1]

        likely, elsewhere = jax.vmap(at)(jnp.arange(1, length + 1))
        return jnp.mean(likely), elsewhere[-1]

    found = jax.vmap(of)(batch)
    return jnp.mean(found[0]) * jnp.exp(2 * floor(c)), jnp.mean(found[1])


def train(
    table: Any, variables: int, m: int, answers: tuple[int, ...], key: Any, stages: int = 3
) -> tuple[Model, Constants]:
    """Stage 1 and T^2."""
    keys = jax.random.split(key, 4)
    model, c = create(table, variables, m, keys[0])
    (W4,), _ = learn_one_step((model.W4,), 4, table, c, steps=500, stride=0.4, finest=0.02)
    (W5g, W5y), _ = learn_one_step((model.W5g, model.W5y), 5, table, c, steps=3000, stride=0.2, finest=0.02)
    model = model._replace(W4=W4, W5g=W5g, W5y=W5y)
    of_attention = ((0.2, 200), (1.0, 400), (4.0, 400))  # slow first: the blocks balance
    for (eta, steps), one in list(zip(of_attention, keys[1:], strict=True))[:stages]:
        model, _ = learn_attention(model, c, table, 2, answers, steps, eta, one)
    return model, c


def shown(stages: int = 3) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """For the page: a sentence of C6, and where each of its answers looks: clauses and their roles; attention, queries
    and keys."""
    table, length = jnp.asarray(cyclic(6)), 4
    model, _ = train(table, 57, 24, (1, 2), jax.random.key(0), stages)
    s = jax.tree.map(lambda one: one[0], draw(table, 57, length, 1, jax.random.key(3)))
    predicates = [f"x{s.x[n]} = g{s.g[n - 1]}(x{s.x[n - 1]})" for n in range(1, length + 1)]
    answers = [f"x{x} = y{y}" for x, y in zip(s.x, s.y, strict=True)]
    seen = [np.asarray(attention(model, s, step)) for step in range(1, length + 1)]
    keys, queries = [*predicates, *answers], [f"to answer {step}" for step in range(1, length + 1)]
    roles = ["predicates"] * length + ["the given answer"] + ["answers to be written"] * length
    return (keys, roles), (seen, queries, keys)


def main() -> None:
    began, lengths, variables = time.time(), (2, 8, 32), 41
    worlds = {"C6": (cyclic(6), variables + 16, 24, (1, 2)), "S4": (symmetric(4), variables, 16, (2,))}
    for name, (table, number, m, answers) in worlds.items():
        table = jnp.asarray(table)
        model, c = train(table, number, m, answers, jax.random.key(0))
        tests = [draw(table, number, length, 128, jax.random.key(1)) for length in lengths]
        found = [accuracy(model, c, test) for test in tests]
        said = ", ".join(f"L = {n}: {acc:.3f} (ε {eps:.4f})" for n, (acc, eps) in zip(lengths, found, strict=True))
        print(f"{name}, d = {c.d}, trained on T^1 and T^2. Acc over its ceiling: {said}")
        if name == "S4":
            for stage, length in enumerate((4, 8, 16)):  # Algorithm 2; 300 steps are ours
                model, _ = learn_attention(model, c, table, length, (2,), 300, 4.0, jax.random.key(stage + 2))
            acc, eps = accuracy(model, c, tests[-1])
            print(f"{name}, self-trained up to length 16: L = {lengths[-1]}: {acc:.3f} (ε {eps:.4f})")
    print("Judged by `lemmata check lego/separation` (Theorem 1.2) and `lego/thm-5.1-doubling` (Theorem 5.1).")
    print(f"{time.time() - began:.0f} s")


if __name__ == "__main__":
    main()
