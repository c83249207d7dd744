"""The theory's model and its two algorithms in PyTorch: neurons learn one step, then attention learns two, and more.

    python examples/torch/lego_theory.py        # about half a minute on two cores

The model of `lemmata plain lego` (its first file), whose names it has: variables x in X, actions g in G, values y in Y,
d tokens in all; Q for attention, W for the feed-forward neurons. Here all sentences of a batch go together, along the
first axis. `make test-lm` compares the two. It needs torch alone.
"""

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn


# ---- Data
class Sentence(NamedTuple):
    """Equation (1): predicates x_n = g_n(x_{n-1}) for n = 1, ..., L, then answers u_n = y_n for n = 0, ..., L."""

    x: Tensor  # [num, L + 1]
    g: Tensor  # [num, L]
    u: Tensor  # [num, L + 1]: x, unless a model that labels the sentence writes another variable
    y: Tensor  # [num, L + 1]


def draw(table: Tensor, variables: int, length: int, num: int) -> Sentence:
    """Assumption 3.2: variables without replacement, actions with; table[g, y] = g(y)."""
    x = torch.rand(num, variables).argsort(dim=1)[:, : length + 1]
    g, y = torch.randint(len(table), (num, length)), [torch.randint(table.shape[1], (num,))]
    for n in range(length):
        y.append(table[g[:, n], y[-1]])
    return Sentence(x, g, x, torch.stack(y, dim=1))


# ---- Model (Definition 3.5)
class Constants(NamedTuple):
    """Of Definition 3.4 and Assumptions 3.3 and 3.4."""

    d: int  # |V|, with the blank
    b: float  # sigma_0 log d, not trained
    B: float  # C_B log d: where logits are clipped
    rho: float = 1.0
    q: int = 4


def sReLU(z: Tensor, c: Constants) -> Tensor:
    """Definition 3.4, with 0 for z <= 0."""
    return c.rho / c.q * (z / c.rho).clamp(0, 1) ** c.q + (z - c.rho).clamp(min=0)


def clipped(read: Tensor, c: Constants) -> Tensor:
    """Logits of classes, from what their neurons, on the last axis, read without the bias (Assumption 3.4)."""
    logits = sReLU(read + c.b, c).sum(dim=-1)
    return torch.minimum(logits, torch.full_like(logits, c.B))


def nll(of_classes: Tensor, right: Tensor, c: Constants) -> Tensor:
    """-log p of a class by the softmax over all d tokens (4); tokens without neurons have the logit 0."""
    own = of_classes.gather(-1, right[..., None])
    others = of_classes.scatter(-1, right[..., None], -torch.inf)
    silent = torch.full_like(own, math.log(c.d - of_classes.shape[-1]))
    rivals = torch.cat([others, silent], dim=-1).logsumexp(dim=-1)
    return torch.logaddexp(torch.zeros_like(rivals), rivals - own[..., 0])


class Reasoner(nn.Module):
    """Embeddings are orthonormal, so W_4 and W_5 are tables [token, class j, neuron r]; of Q two blocks are not zero
    (Assumption 3.5)."""

    def __init__(self, table: Tensor, variables: int, m: int, sigma: float = 0.02, clip: float = 2.0) -> None:
        """Assumption 3.3: Q = 0, W ~ N(0, sigma_0^2)."""
        super().__init__()
        actions, values = table.shape
        log_d = math.log(variables + actions + values + 1)
        self.c = Constants(variables + actions + values + 1, sigma * log_d, clip * log_d)
        self.Q43 = nn.Parameter(torch.zeros(variables, variables))  # from the query to a predicate's third token
        self.Q44 = nn.Parameter(torch.zeros(variables, variables))  # ... to an answer's fourth token
        self.W4 = nn.Parameter(sigma * torch.randn(variables, variables, m))
        self.W5g = nn.Parameter(sigma * torch.randn(actions, values, m))  # V_{j,r}(g) of Definition 6.2
        self.W5y = nn.Parameter(sigma * torch.randn(values, values, m))  # V_{j,r}(y)

    def attention(self, s: Sentence, step: int) -> tuple[Tensor, Tensor]:
        """Of the query x_{l-1} over L predicates and over the answers 0, ..., l - 1 (21)."""
        asking = s.u[:, step - 1, None]
        scores = torch.cat([self.Q43[asking, s.x[:, :-1]], self.Q44[asking, s.u[:, :step]]], dim=1)
        predicates, answers = scores.softmax(dim=1).split([s.g.shape[1], step], dim=1)
        return predicates, answers

    def logits(self, s: Sentence, step: int, token: int) -> Tensor:
        """Of token 4 or 5 of answer `step` (14), for the classes that have neurons."""
        predicates, answers = self.attention(s, step)
        if token == 4:
            return clipped(torch.einsum("sk,skjr->sjr", predicates, self.W4[s.x[:, 1:]]), self.c)
        of_actions = torch.einsum("sk,skjr->sjr", predicates, self.W5g[s.g])
        return clipped(of_actions + torch.einsum("sk,skjr->sjr", answers, self.W5y[s.y[:, :step]]), self.c)

    # ---- The losses
    def one_step_loss(self, token: int, table: Tensor) -> Tensor:
        """Loss^1 of token 4 or 5 over all inputs: attention is uniform, half on the predicate, half on the answer."""
        if token == 4:
            read, right = self.W4 / 2, torch.arange(len(self.W4))
        else:
            read = ((self.W5g[:, None] + self.W5y[None]) / 2).flatten(0, 1)  # pairs (g, y), class, neuron
            right = table.flatten()
        return nll(clipped(read, self.c), right, self.c).mean()

    def floor(self) -> float:
        """The least loss of a token: its logit at B, every other at 0."""
        return math.log1p((self.c.d - 1) * math.exp(-self.c.B))

    def attention_loss(self, batch: Sentence, answers: Sequence[int]) -> Tensor:
        """The sum over `answers` l of Loss_5^{L,l} (6)."""
        return sum((nll(self.logits(batch, n, 5), batch.y[:, n], self.c).mean() for n in answers), torch.zeros(()))

    # ---- What it answers
    @torch.no_grad()
    def annotate(self, s: Sentence, answers: int) -> Sentence:
        """Equation (9): answers 1, ..., `answers` as the model writes them greedily, each read back before the next."""
        s = s._replace(u=s.u.clone(), y=s.y.clone())
        for step in range(1, answers + 1):
            name, value = (self.logits(s, step, token).argmax(dim=1) for token in (4, 5))
            s.u[:, step], s.y[:, step] = name, value
        return s

    @torch.no_grad()
    def accuracy(self, batch: Sentence) -> tuple[float, float]:
        """Acc_L (5) over its ceiling e^(-2 floor), teacher-forced; and the attention on neither right clause at the
        last step (19)."""
        length = batch.g.shape[1]
        likely = []
        for step in range(1, length + 1):
            truth = ((4, batch.x[:, step]), (5, batch.y[:, step]))
            likely.append(sum(-nll(self.logits(batch, step, token), right, self.c) for token, right in truth).exp())
        predicates, answers = self.attention(batch, length)
        elsewhere = 1 - predicates[:, -1] - answers[:, -1]
        return float(torch.stack(likely).mean()) * math.exp(2 * self.floor()), float(elsewhere.mean())


# ---- Training
def learn_one_step(model: Reasoner, token: int, table: Tensor, steps: int, stride: float, finest: float) -> None:
    """Gradient descent of W_4 or W_5 along the gradient flow: no weight moves by more than a share of itself. Near the
    floor the share goes with the root of what is left."""
    tables = [model.W4] if token == 4 else [model.W5g, model.W5y]
    for _ in range(steps):
        loss = model.one_step_loss(token, table)
        slopes = torch.autograd.grad(loss, tables)
        left = max(float(loss.detach()) / model.floor() - 1, 0.0)
        share = min(max(math.sqrt(left / 0.1), finest), 1.0)
        with torch.no_grad():
            sizes = [model.c.b + w.abs().clamp(max=model.c.rho) for w in tables]
            fastest = max(float((g.abs() / size).max()) for g, size in zip(slopes, sizes, strict=True))
            for w, g in zip(tables, slopes, strict=True):
                w -= share * stride / max(fastest, torch.finfo(w.dtype).tiny) * g


def step(model: Reasoner, batch: Sentence, answers: Sequence[int], eta: float) -> float:
    """Gradient descent on Q alone. A variable is the query of one sentence in |X|, so eta goes with |X|."""
    blocks, loss = [model.Q43, model.Q44], model.attention_loss(batch, answers)
    slopes = torch.autograd.grad(loss, blocks)
    with torch.no_grad():
        for Q, slope in zip(blocks, slopes, strict=True):
            Q -= eta * len(Q) * slope
    return float(loss.detach())


def learn_attention(
    model: Reasoner, table: Tensor, length: int, answers: Sequence[int], steps: int, eta: float
) -> None:
    """T^2 by true answers; longer chains by those of the model as it was when the stage began (Algorithm 2)."""
    variables = len(model.Q43)
    annotator = Reasoner(table, variables, model.W4.shape[-1])
    annotator.load_state_dict(model.state_dict())
    annotator.c = model.c
    for _ in range(steps):
        batch = draw(table, variables, length, 4 * variables)
        step(model, batch if length == 2 else annotator.annotate(batch, max(answers)), answers, eta)


def main() -> None:
    torch.manual_seed(0)
    variables, m, lengths = 41, 16, (2, 8, 32)
    cyclic = torch.tensor([[(g + y) % 6 for y in range(6)] for g in range(6)])
    symmetric = torch.tensor(list(itertools.permutations(range(4))))
    for name, table, number, answers in (("C6", cyclic, variables + 16, (1, 2)), ("S4", symmetric, variables, (2,))):
        model = Reasoner(table, number, m if name == "S4" else 24)
        learn_one_step(model, 4, table, steps=500, stride=0.4, finest=0.02)
        learn_one_step(model, 5, table, steps=3000, stride=0.2, finest=0.02)
        for eta, steps in ((0.2, 200), (1.0, 400), (4.0, 400)):  # slow first: the blocks balance
            learn_attention(model, table, 2, answers, steps, eta)
        found = {length: model.accuracy(draw(table, number, length, 128)) for length in lengths}
        said = ", ".join(f"L = {n}: {acc:.3f} (ε {eps:.4f})" for n, (acc, eps) in found.items())
        print(f"{name}, d = {model.c.d}, trained on T^1 and T^2. Acc over its ceiling: {said}")
        if name == "S4":
            for length in (4, 8, 16):  # Algorithm 2 goes on
                learn_attention(model, table, length, (2,), 300, 4.0)
            acc, eps = model.accuracy(draw(table, number, lengths[-1], 128))
            print(f"{name}, self-trained up to length 16: L = {lengths[-1]}: {acc:.3f} (ε {eps:.4f})")
    print("Judged by `lemmata check lego/separation` (Theorem 1.2) and `lego/thm-5.1-doubling` (Theorem 5.1).")


if __name__ == "__main__":
    main()
