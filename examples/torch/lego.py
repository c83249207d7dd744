"""Section 7's decoder in PyTorch: one layer, two heads, no positions, Adam, and answers that it writes itself.

    python examples/torch/lego.py        # about a minute on two cores

The model of `lemmata plain lego` (its second file), whose names it has, written with care for speed: queries at answer
clauses only, a clause's tokens looked up by one `embedding_bag`, fused attention, a cache of keys and values. `make
test-lm` compares the two, and the benchmark races this file. It needs torch alone.
"""

import itertools
from collections.abc import Iterable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, embedding_bag, layer_norm, pad, scaled_dot_product_attention

HEADS = 2


# ---- Data
class World(NamedTuple):
    """A language (Definition 2.2). Tokens are numbered in this order, the blank last."""

    variables: int
    actions: int
    values: int

    @property
    def d(self) -> int:
        return self.variables + self.actions + self.values + 1

    @property
    def firsts(self) -> tuple[int, ...]:
        """The first token that may stand in each of a clause's five slots."""
        return 0, self.variables, 0, 0, self.variables + self.actions

    @property
    def counts(self) -> tuple[int, ...]:
        """How many may."""
        return self.variables, self.actions, self.variables, self.variables, self.values


def draw(variables: int, table: Tensor, length: int, num: int) -> Tensor:
    """[num, 2 L + 1, 5]: predicates (x_n, g_n, x_{n-1}, blank, blank) for n = 1, ..., L, then answers
    (blank, blank, blank, x_n, y_n) from n = 0; table[g, y] = g(y)."""
    actions, values = table.shape
    x = torch.rand(num, variables).argsort(dim=1)[:, : length + 1]
    g, y = torch.randint(actions, (num, length)), [torch.randint(values, (num,))]
    for n in range(length):
        y.append(table[g[:, n], y[-1]])
    blank = torch.full_like(x, variables + actions + values)
    answers = torch.stack([blank, blank, blank, x, torch.stack(y, dim=1) + variables + actions], dim=2)
    predicates = [x[:, 1:], g + variables, x[:, :-1], blank[:, 1:], blank[:, 1:]]
    return torch.cat([torch.stack(predicates, dim=2), answers], dim=1)


def rows(world: World, clauses: Tensor) -> Tensor:
    """[..., 3]: which three rows of E a clause has. Tokens 1 and 4, and 2 and 5, never stand in one clause."""
    counts, token = torch.tensor(world.counts), clauses - torch.tensor(world.firsts)
    row = torch.where((token >= 0) & (token < counts), token + counts.cumsum(0) - counts, counts.sum())
    first, second = torch.minimum(row[..., 0], row[..., 3]), torch.minimum(row[..., 1], row[..., 4])
    return torch.stack([first, second, row[..., 2]], dim=-1)


# ---- Model
class Decoder(nn.Module):
    """All of it is trained. A clause is its five slots' embeddings side by side (Definition 3.3); a blank is zeros.

    tables: whether queries, keys and values are looked up in projected tables, or are products with whole clauses.
    """

    def __init__(self, world: World, width: int, neurons: int, *, tables: bool = False) -> None:
        super().__init__()
        clause, self.world, self.width, self.tables = 5 * width, world, width, tables
        shapes = {"E": (sum(world.counts), width), "W_Q": (clause, clause), "W_K": (clause, clause)}
        shapes |= {"W_V": (clause, clause), "W_in": (clause, neurons), "W_out": (neurons, 2 * world.d)}
        scales = (1.0, *[clause**-0.5] * 3, (2 / clause) ** 0.5, neurons**-0.5)
        for (name, shape), scale in zip(shapes.items(), scales, strict=True):
            self.register_parameter(name, nn.Parameter(scale * torch.randn(shape)))
        self.gain, self.bias = nn.Parameter(torch.ones(clause)), nn.Parameter(torch.zeros(neurons))

    def by_slot(self) -> list[Tensor]:
        return list(self.E.split(self.world.counts))

    def embedding(self) -> Tensor:
        """Each row at its slot's place in the clause, and the blank's zeros."""
        parts = [pad(E, (slot * self.width, (4 - slot) * self.width)) for slot, E in enumerate(self.by_slot())]
        return torch.cat([*parts, parts[0].new_zeros(1, 5 * self.width)])

    def projections(self) -> dict[str, Tensor]:
        made = {"E": self.embedding()}
        for name in ("W_Q", "W_K", "W_V") if self.tables else ():
            slots = getattr(self, name).split(self.width)
            parts = [E @ W for E, W in zip(self.by_slot(), slots, strict=True)]
            made[name] = torch.cat([*parts, parts[0].new_zeros(1, 5 * self.width)])
        return made

    def read(self, made: dict[str, Tensor], clauses: Tensor, name: str) -> Tensor:
        """[sentence, head, clause, size]: queries, keys or values of clauses given as rows."""
        flat = clauses.reshape(-1, 3)
        if self.tables:
            found = embedding_bag(flat, made[name], mode="sum")
        else:
            found = embedding_bag(flat, made["E"], mode="sum") @ getattr(self, name)
        return found.reshape(*clauses.shape[:-1], HEADS, -1).transpose(1, 2)

    def answer(self, made: dict[str, Tensor], mixed: Tensor, asking: Tensor) -> Tensor:
        """Logits of tokens 4 and 5, side by side, of what attention gave to the asking clauses."""
        z = mixed + embedding_bag(asking.reshape(-1, 3), made["E"], mode="sum")  # the residual
        normed = layer_norm(z, z.shape[-1:], self.gain)
        return torch.relu(torch.addmm(self.bias, normed, self.W_in)) @ self.W_out

    def forward(self, clauses: Tensor, answers: int) -> Tensor:
        """[sentence * answer, 2 d]: of what comes after the last `answers` clauses of every sentence."""
        made, asking, number = self.projections(), clauses[:, -answers:], clauses.shape[1]
        queries, keys, values = (
            self.read(made, one, name) for one, name in ((asking, "W_Q"), (clauses, "W_K"), (clauses, "W_V"))
        )
        seen = torch.arange(number) <= torch.arange(number - answers, number)[:, None]
        mixed = scaled_dot_product_attention(queries, keys, values, attn_mask=seen)
        return self.answer(made, mixed.transpose(1, 2).reshape(-1, 5 * self.width), asking)

    def loss(self, clauses: Tensor, targets: Tensor) -> Tensor:
        """The next-clause loss (6a) a step of the chain; targets [sentence * answer, 2]: x_n and y_n."""
        logits = self(clauses, len(targets) // len(clauses))
        return cross_entropy(logits[:, : self.world.d], targets[:, 0]) + cross_entropy(
            logits[:, self.world.d :], targets[:, 1]
        )

    @torch.inference_mode()
    def rollout(self, given: Tensor, steps: int) -> Tensor:
        """Equation (9): greedy answers after predicates and the first answer, tokens [sentence, step, 2]."""
        made, batch, known, w = self.projections(), len(given), given.shape[1], self.world
        room = (batch, HEADS, known + steps, 5 * self.width // HEADS)
        keys, values = self.E.new_empty(room), self.E.new_empty(room)
        keys[:, :, : known - 1] = self.read(made, given[:, :-1], "W_K")
        values[:, :, : known - 1] = self.read(made, given[:, :-1], "W_V")
        last, written = given[:, -1:], torch.empty(batch, steps, 2, dtype=torch.long)
        first_answer, blank = sum(w.counts[:3]), sum(w.counts)
        for step in range(steps):
            here = known - 1 + step
            keys[:, :, here : here + 1] = self.read(made, last, "W_K")
            values[:, :, here : here + 1] = self.read(made, last, "W_V")
            query = self.read(made, last, "W_Q")
            mixed = scaled_dot_product_attention(query, keys[:, :, : here + 1], values[:, :, : here + 1])
            logits = self.answer(made, mixed.transpose(1, 2).reshape(batch, -1), last)
            written[:, step, 0] = logits[:, : w.d].argmax(dim=1)
            written[:, step, 1] = logits[:, w.d :].argmax(dim=1)
            x, y = written[:, step, 0], written[:, step, 1] - w.firsts[4]
            x = torch.where(x < w.variables, first_answer + x, blank)
            y = torch.where((y >= 0) & (y < w.values), first_answer + w.variables + y, blank)
            last = torch.stack([x, y, torch.full_like(x, blank)], dim=1)[:, None]
        return written


# ---- Training
def split(world: World, sentences: Tensor) -> tuple[Tensor, Tensor]:
    """What the loss takes: all clauses but the last as rows, and tokens 4 and 5 of every answer after the first."""
    length = (sentences.shape[1] - 1) // 2
    return rows(world, sentences)[:, :-1], sentences[:, length + 1 :, 3:].reshape(-1, 2)


def optimizer_of(parameters: Iterable[nn.Parameter], rate: float) -> torch.optim.Optimizer:
    return torch.optim.Adam(parameters, lr=rate, fused=True)


def step(model: Decoder, optimizer: torch.optim.Optimizer, clauses: Tensor, targets: Tensor) -> float:
    optimizer.zero_grad(set_to_none=True)
    loss = model.loss(clauses, targets)
    loss.backward()
    optimizer.step()
    return float(loss.detach())


def solved(model: Decoder, sentences: Tensor) -> float:
    """The share of sentences with every answer right, when the model writes them all itself."""
    length = (sentences.shape[1] - 1) // 2
    written = model.rollout(rows(model.world, sentences)[:, : length + 1], length)
    return float((written == sentences[:, length + 1 :, 3:]).all(dim=(1, 2)).double().mean())


def main() -> None:
    torch.manual_seed(0)
    cyclic = torch.tensor([[(g + y) % 6 for y in range(6)] for g in range(6)])
    symmetric = torch.tensor(list(itertools.permutations(range(5))))
    for name, table in {"C6": cyclic, "S5": symmetric}.items():
        world, length = World(41, *table.shape), 5
        sentences, model = draw(41, table, length, 2450), Decoder(world, 16, 128, tables=True)
        optimizer = optimizer_of(model.parameters(), 2e-3)
        for _ in range(4000):
            value = step(model, optimizer, *split(world, sentences[torch.randint(len(sentences), (32,))]))
        found = ", ".join(f"L = {n}: {solved(model, draw(41, table, n, 128)):.2f}" for n in (5, 10, 20, 40))
        print(f"{name}, trained at length {length}, loss {value:.4f}. All answers right: {found}")
    print("Judged by `lemmata check lego/fig-1a` (Figure 1).")


if __name__ == "__main__":
    main()
