"""Noisy in-context recall in PyTorch: data, the two-layer transformer, training, what is left without F_2.

    python examples/torch/association.py        # about half a minute on two cores

The model of `lemmata plain association`, whose names it has, written with care for speed: a whole batch at once, fused
attention, the last feed-forward layer only where the loss is taken. `make test-lm` compares the two, and the benchmark
races this file. It needs torch and numpy alone. Tokens count from 0 where the paper counts from 1.
"""

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, linear, relu, scaled_dot_product_attention

# The paper: N = 65 characters, T = 256, d = 256, batches of 512, 2,000 steps (Section 3, Appendix B.6).
N, T, D, BATCH, STEPS = 16, 48, 64, 32, 600
ALPHA = 0.5  # how often the noise token follows a trigger
Q, TAU = 1, 2  # the trigger (the space) and the noise token
LEARNING_RATE, MOMENTUM, DECAY = 0.03, 0.9, 1e-4  # of plain SGD
SHOWN = 3  # earlier triggers in the context, from which on it has shown the answer
COUNTS = Path(__file__).parents[2] / "src/lemmata/papers/association/task/counts_65.json"


# ---- Data (Section 3)
def statistics(symbols: int = N) -> tuple[Tensor, Tensor]:
    """π_u and π_b of tiny Shakespeare's most frequent characters (without their counts: uniform)."""
    if not COUNTS.is_file():
        return torch.full((symbols,), 1 / symbols), torch.full((symbols, symbols), 1 / symbols)
    found = json.loads(COUNTS.read_text())
    first, pairs = np.array(found["first"], float), np.array(found["pairs"], float)
    kept = np.sort(np.argsort(-first, kind="stable")[:symbols])
    unigram, bigram = first[kept], pairs[np.ix_(kept, kept)]
    bigram = np.where(bigram.sum(axis=1, keepdims=True) > 0, bigram, unigram)
    return tuple(torch.from_numpy(one / one.sum(axis=-1, keepdims=True)) for one in (unigram, bigram))


def draw(pi_u: Tensor, pi_b: Tensor, alpha: float, count: int, length: int = T) -> tuple[Tensor, Tensor, Tensor]:
    """`count` sequences: z_1 ... z_T, the token after each position, and each sequence's own output ȳ."""
    symbols = len(pi_u)
    possible = torch.tensor([token for token in range(symbols) if token not in (Q, TAU)])
    y_bar = possible[torch.randint(len(possible), (count,))]
    answer = torch.where(torch.rand(length + 1, count) < alpha, TAU, y_bar)  # what would follow a trigger
    z = torch.empty(length + 1, count, dtype=torch.long)
    z[0] = torch.multinomial(pi_u, count, replacement=True)
    for t in range(1, length - 1):
        usual = torch.multinomial(pi_b[z[t - 1]], 1)[:, 0]
        z[t] = torch.where(z[t - 1] == Q, answer[t], usual)
    z[length - 1], z[length] = Q, answer[length]
    return z[:-1].T, z[1:].T, y_bar


def loss_positions(z: Tensor) -> Tensor:
    """At the triggers. One at T - 1 is left out, for the trigger at T was put there."""
    return (z == Q) & (torch.arange(z.shape[1]) != z.shape[1] - 2)


# ---- The two-layer transformer (equation 1)
class Layer(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        shapes = {"W_QK": (d, d), "W_V": (d, d), "W_O": (d, d), "U_in": (4 * d, d), "U_out": (d, 4 * d)}
        for name, shape in shapes.items():
            self.register_parameter(name, nn.Parameter(uniform(*shape)))

    def forward(self, x: Tensor, kept: Tensor | None = None) -> Tensor:
        """x_t + h_t + F(x_t + h_t), at the positions that are kept."""
        # One head with x for queries and W_QK x for keys: fused attention divides by √d, as the authors do.
        keys, values = linear(x, self.W_QK), linear(x, self.W_V)
        mixed = scaled_dot_product_attention(x[:, None], keys[:, None], values[:, None], is_causal=True)[:, 0]
        x = x + linear(mixed, self.W_O)
        if kept is not None:
            x = x[kept]
        return x + linear(relu(linear(x, self.U_in)), self.U_out)


class Transformer(nn.Module):
    """Only the layers are learned; W_E, p and W_U stay as drawn."""

    def __init__(self, symbols: int = N, length: int = T, d: int = D) -> None:
        super().__init__()
        self.register_buffer("W_E", torch.randn(symbols, d))
        self.register_buffer("p", torch.randn(length, d))
        self.register_buffer("W_U", uniform(symbols, d))
        self.layers = nn.ModuleList([Layer(d), Layer(d)])

    def forward(self, z: Tensor, kept: Tensor | None = None) -> Tensor:
        """Logits [sequence, position, token], or those of the kept positions [kept, token]."""
        x = self.W_E[z] + self.p[: z.shape[1]]
        first, last = self.layers
        return last(first(x), kept) @ self.W_U.T

    def loss(self, z: Tensor, following: Tensor, kept: Tensor) -> Tensor:
        return cross_entropy(self(z, kept), following[kept])


def uniform(rows: int, columns: int) -> Tensor:
    return (2 * torch.rand(rows, columns) - 1) / columns**0.5


def optimizer_of(parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
    return torch.optim.SGD(parameters, lr=LEARNING_RATE, momentum=MOMENTUM, weight_decay=DECAY)


def step(model: Transformer, optimizer: torch.optim.Optimizer, z: Tensor, following: Tensor, kept: Tensor) -> float:
    optimizer.zero_grad(set_to_none=True)
    loss = model.loss(z, following, kept)
    loss.backward()
    optimizer.step()
    return float(loss.detach())


# ---- What is left without the second feed-forward layer (Figure 3)
def of_rank(W: Tensor, k: int) -> Tensor:
    """The best approximation of rank k."""
    left, values, right = torch.linalg.svd(W, full_matrices=False)
    return (left[:, :k] * values[:k]) @ right[:k]


@torch.inference_mode()
def answers(model: Transformer, z: Tensor, y_bar: Tensor) -> tuple[float, float]:
    """Mean probability of ȳ and of τ, at triggers after which the context has shown the answer several times."""
    p = model(z).softmax(dim=2)
    kept = (z == Q) & (torch.cumsum(z == Q, dim=1) > SHOWN)
    correct = torch.gather(p, 2, y_bar[:, None, None].expand(-1, z.shape[1], 1))[..., 0]
    return float(correct[kept].mean()), float(p[..., TAU][kept].mean())


def main() -> None:
    torch.manual_seed(0)
    model, (pi_u, pi_b) = Transformer(), statistics()
    optimizer = optimizer_of(model.parameters())
    for number in range(STEPS):
        z, following, _ = draw(pi_u, pi_b, ALPHA, BATCH)
        value = step(model, optimizer, z, following, loss_positions(z))
        if number % 100 == 0:
            print(f"step {number:4d}   loss {value:.3f}")
    z, _, y_bar = draw(pi_u, pi_b, 0.0, 512)  # clean test data
    U_in = model.layers[1].U_in.detach().clone()
    print("U_in of F_2 kept   P(correct)   P(noise)")
    for rho in (1.0, 0.4, 0.1, 0.0):
        model.layers[1].U_in.data = of_rank(U_in, int(rho * D + 1e-9))
        correct, noise = answers(model, z, y_bar)
        print(f"ρ = {rho:<14g} {correct:10.3f} {noise:10.3f}")
    print("Judged by `lemmata check association/fig-3`.")


if __name__ == "__main__":
    main()
