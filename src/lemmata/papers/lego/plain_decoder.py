"""Section 7's decoder in one file, read from top to bottom: one layer, two heads, no positions (NoPE), Adam.

    python -m lemmata.papers.lego.plain_decoder        # trains C6 and S5 at length 5 within a minute on two cores

It imports nothing of lemmata. Symbols are the paper's: variables x in X, actions g in G, values y in Y. Tokens are
numbered in this order, the blank last. Section 7 prints no width, |X| or number of sentences; these are ours.
"""

import itertools
import time
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

HEADS = 2


# ---- Data
class World(NamedTuple):
    """A language (Definition 2.2): variables, and what every action does to every value."""

    variables: int
    table: tuple[tuple[int, ...], ...]  # table[g][y] = g(y)

    @property
    def actions(self) -> int:
        return len(self.table)

    @property
    def values(self) -> int:
        return len(self.table[0])

    @property
    def d(self) -> int:
        return self.variables + self.actions + self.values + 1


def cyclic(n: int) -> tuple[tuple[int, ...], ...]:
    """C_n on Z_n, simply transitive (Assumption 4.1)."""
    return tuple(tuple((g + y) % n for y in range(n)) for g in range(n))


def symmetric(n: int) -> tuple[tuple[int, ...], ...]:
    """S_n on Z_n (Assumption 5.1)."""
    return tuple(itertools.permutations(range(n)))


@partial(jax.jit, static_argnames=("world", "length", "num"))
def draw(world: World, length: int, num: int, key: Any) -> Any:
    """[num, 2 L + 1, 5]: sentences of D^L (Assumption 3.2), five tokens a clause (Definition 3.1): predicates
    (x_n, g_n, x_{n-1}, blank, blank) for n = 1, ..., L, then answers (blank, blank, blank, x_n, y_n) from n = 0."""
    of_x, of_g, of_y = jax.random.split(key, 3)
    order = jax.vmap(lambda one: jax.random.permutation(one, world.variables))(jax.random.split(of_x, num))
    x, table = order[:, : length + 1], jnp.array(world.table)
    g = jax.random.randint(of_g, (num, length), 0, world.actions)
    start = jax.random.randint(of_y, (num,), 0, world.values)
    later = jax.lax.scan(lambda y, acting: (table[acting, y], table[acting, y]), start, g.T)[1]
    y = jnp.concatenate([start[:, None], later.T], axis=1) + world.variables + world.actions
    blank = jnp.full_like(x, world.d - 1)
    predicates = jnp.stack([x[:, 1:], g + world.variables, x[:, :-1], blank[:, 1:], blank[:, 1:]], axis=2)
    return jnp.concatenate([predicates, jnp.stack([blank, blank, blank, x, y], axis=2)], axis=1)


# ---- Model
class Decoder(NamedTuple):
    """All of it is trained. Each of a clause's five slots has its own embeddings, of the tokens that may stand in it;
    the blank's is zero, and a clause is the five side by side (Definition 3.3): its width is five times a slot's."""

    E: Any  # [rows, width]: slots 1 to 5 one after another
    W_Q: Any  # [5 width, 5 width]
    W_K: Any
    W_V: Any
    gain: Any  # [5 width], of the layer norm
    W_in: Any  # [5 width, neurons]
    bias: Any  # [neurons]
    W_out: Any  # [neurons, 2 d]: logits of token 4, then of token 5


def slots(world: World) -> tuple[list[int], list[int]]:
    """The first token that may stand in each slot, and how many may."""
    x, g, y = world.variables, world.actions, world.values
    return [0, x, 0, 0, x + g], [x, g, x, x, y]


def create(world: World, width: int, neurons: int, key: Any) -> Decoder:
    clause, keys = 5 * width, jax.random.split(key, 6)
    shapes = (sum(slots(world)[1]), width), *[(clause, clause)] * 3, (clause, neurons), (neurons, 2 * world.d)
    scales = 1.0, *[clause**-0.5] * 3, (2 / clause) ** 0.5, neurons**-0.5
    E, W_Q, W_K, W_V, W_in, W_out = (
        scale * jax.random.normal(one, shape) for scale, one, shape in zip(scales, keys, shapes, strict=True)
    )
    return Decoder(E, W_Q, W_K, W_V, jnp.ones(clause), W_in, jnp.zeros(neurons), W_out)


def embed(model: Decoder, world: World, clauses: Any) -> Any:
    """[..., 5 width]; a blank, or a token that cannot stand in its slot, is zeros."""
    parts, before = [], 0
    for slot, (first, count) in enumerate(zip(*slots(world), strict=True)):
        token = clauses[..., slot] - first
        here = (token >= 0) & (token < count)
        parts.append(jnp.where(here[..., None], model.E[before + jnp.where(here, token, 0)], 0))
        before += count
    return jnp.concatenate(parts, axis=-1)


def attention(model: Decoder, z: Any) -> Any:
    """[head, query, key] of embedded clauses: a softmax of scaled products; a clause sees itself and all before it."""
    queries, keys = (heads(z @ W) for W in (model.W_Q, model.W_K))
    scores = jnp.einsum("hqs,hks->hqk", queries, keys) / jnp.sqrt(queries.shape[-1])
    seen = jnp.arange(len(z)) <= jnp.arange(len(z))[:, None]
    return jax.nn.softmax(jnp.where(seen, scores, -jnp.inf), axis=-1)


def heads(z: Any) -> Any:
    return jnp.moveaxis(z.reshape(len(z), HEADS, -1), 1, 0)


def forward(model: Decoder, world: World, clauses: Any) -> tuple[Any, Any]:
    """Of one sentence: the logits of tokens 4 and 5 of the clause after each. The first three tokens of an answer are
    blank, so nothing is to be learned of them (Section 6.1)."""
    z = embed(model, world, clauses)
    mixed = jnp.einsum("hqk,hks->hqs", attention(model, z), heads(z @ model.W_V))
    z = z + jnp.moveaxis(mixed, 0, 1).reshape(z.shape)  # the residual
    centred = z - jnp.mean(z, axis=-1, keepdims=True)
    normed = model.gain * centred / jnp.sqrt(jnp.mean(centred**2, axis=-1, keepdims=True) + 1e-5)
    logits = jax.nn.relu(normed @ model.W_in + model.bias) @ model.W_out
    few = (
        world.variables if logits.shape[1] < 2 * world.d else world.d
    )  # fewer, where only what may stand there has logits
    return logits[:, :few], logits[:, few:]


def first(model: Decoder, world: World) -> tuple[int, int]:
    """The tokens that the first logits are of."""
    return (0, 0) if model.W_out.shape[1] == 2 * world.d else (0, world.variables + world.actions)


# ---- Loss and training
def loss(model: Decoder, world: World, batch: Any) -> Any:
    """The next-clause loss (6a) a step of the chain: -log p of x_n and y_n, the mean over n = 1, ..., L."""
    length = (batch.shape[1] - 1) // 2

    def of(clauses: Any) -> Any:
        after = forward(model, world, clauses[:-1])
        return sum(
            optax.softmax_cross_entropy_with_integer_labels(logits[length:], clauses[length + 1 :, slot] - start)
            for logits, slot, start in zip(after, (3, 4), first(model, world), strict=True)
        )

    return jnp.mean(jax.vmap(of)(batch))


@partial(jax.jit, static_argnames=("world", "steps", "size"))
def train(
    model: Decoder, world: World, sentences: Any, steps: int, size: int, rate: Any, key: Any
) -> tuple[Decoder, Any]:
    """Adam on batches drawn from a finite set of sentences, with whatever answers they have."""
    rule = optax.adam(rate)

    def one(state: tuple[Any, Any], key: Any) -> tuple[Any, Any]:
        model, memory = state
        batch = sentences[jax.random.randint(key, (size,), 0, len(sentences))]
        value, slope = jax.value_and_grad(loss)(model, world, batch)
        update, memory = rule.update(slope, memory)
        return (optax.apply_updates(model, update), memory), value

    (model, _), losses = jax.lax.scan(one, (model, rule.init(model)), jax.random.split(key, steps))
    return model, losses


# ---- Self-training (Algorithm 2 as Section 7 uses it), and the headline: every answer right
@partial(jax.jit, static_argnames="world")
def label(model: Decoder, world: World, sentences: Any) -> Any:
    """Equation (9): all answers after the first as the model writes them greedily, each read back before the next."""
    length = (sentences.shape[1] - 1) // 2

    def write(step: Any, clauses: Any) -> Any:
        after = forward(model, world, clauses)
        for logits, slot, start in zip(after, (3, 4), first(model, world), strict=True):
            token = start + jnp.argmax(logits[length + step - 1])
            clauses = clauses.at[length + step, slot].set(token.astype(clauses.dtype))
        return clauses

    one = lambda clauses: jax.lax.fori_loop(1, length + 1, write, clauses)  # noqa: E731, it sees all that comes before
    return jax.lax.map(one, sentences, batch_size=100)


def solved(model: Decoder, world: World, length: int, num: int, key: Any) -> float:
    """The share of sentences with every variable and value right, when the model writes them all itself."""
    sentences = draw(world, length, num, key)
    return float(jnp.mean(jnp.all(label(model, world, sentences) == sentences, axis=(1, 2))))


def reach(model: Decoder, world: World, key: Any) -> str:
    found = ", ".join(f"L = {n}: {solved(model, world, n, 128, key):.2f}" for n in (5, 10, 20, 40))
    return f"All answers right: {found}"


def main() -> None:
    began, length = time.time(), 5
    width, neurons, batch, rate, steps, stage_steps = 16, 128, 32, 2e-3, 4000, 1500
    for name, table in {"C6": cyclic(6), "S5": symmetric(5)}.items():
        world, keys = World(41, table), jax.random.split(jax.random.key(0), 4)
        model = create(world, width, neurons, keys[0])
        model, losses = train(model, world, draw(world, length, 2450, keys[1]), steps, batch, rate, keys[2])
        print(f"{name}, trained at length {length}, loss {losses[-100:].mean():.4f}. {reach(model, world, keys[3])}")
        if name == "S5":
            longer = label(model, world, draw(world, 2 * length, 2450, keys[1]))  # its own labels of twice the length
            model, _ = train(model, world, longer, stage_steps, batch // 2, rate, keys[3])
            print(f"{name}, self-trained to length {2 * length}. {reach(model, world, keys[3])}")
    print("Judged by `lemmata check lego/fig-1a` and `lego/fig-1b` (Figure 1).")
    print(f"{time.time() - began:.0f} s")


if __name__ == "__main__":
    main()
