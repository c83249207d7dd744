"""Stored facts and question fine-tuning in PyTorch: data, the one-layer model, its losses, both trainings.

    python examples/torch/knowledge.py        # about half a minute on two cores

The model of `lemmata plain knowledge`, whose names it has, written with care for speed: the prefix [o] is one row with
its weight, and all neurons are one product. `make test-lm` compares the two, and the benchmark races this file. It
needs torch alone. Tokens: o, p, d, then R relations, N subjects, N answers; classes: d, the relations, the answers.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

START, ASK = 0, 1  # o and p


# ---- Data
def draw_templates(N: int, R: int, K: int) -> Tensor:
    """Each subject's K templates, uniform without replacement: [subject, slot]."""
    return torch.rand(N, R).argsort(dim=1)[:, :K]


def draw_sentences(templates: Tensor, batch: int) -> tuple[Tensor, Tensor]:
    """Subject and relation of fresh sentences `o s r a`."""
    s = torch.randint(len(templates), (batch,))
    return s, templates[s, torch.randint(templates.shape[1], (batch,))]


# ---- Model
class OneLayer(nn.Module):
    """A and w are trained; the embeddings E stay. `query`: whose embedding asks, the last token's or the first's."""

    def __init__(self, N: int, R: int, width: int, m: int, lam: float, sigma_0: float, query: str = "last") -> None:
        super().__init__()
        self.R, self.m, self.gain, self.query = R, m, lam / m, query
        self.register_buffer("E", torch.randn(3 + R + 2 * N, width))
        self.A = nn.Parameter(torch.zeros(width, width))
        self.w = nn.Parameter(sigma_0 * torch.randn(width, m, 1 + R + N))

    def mixed(self, *tokens: Tensor) -> Tensor:
        """Xi = x_last + Σ α_l x_l of prompts of several tokens, each [prompt, width]."""
        asks = (tokens[-1] if self.query == "last" else tokens[0]) @ self.A
        alpha = torch.stack([(asks * x).sum(1) for x in tokens], dim=1).softmax(dim=1)
        total = tokens[-1] * (1 + alpha[:, -1:])
        for place, x in enumerate(tokens[:-1]):
            total = total + alpha[:, place : place + 1] * x
        return total

    def logits(self, Xi: Tensor) -> Tensor:
        """(λ / m) Σ_k relu(<w_{c,k}, Xi>) of every class c."""
        hidden = torch.relu(Xi @ self.w.flatten(1))
        return self.gain * hidden.view(len(Xi), self.m, -1).sum(1)

    def prompts(self, s: Tensor, r: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        o = self.E[START].expand(len(s), -1)
        return o, self.E[3 + self.R + s], self.E[3 + r]

    def pretraining_loss(self, s: Tensor, r: Tensor) -> Tensor:
        """The mean over sentences and their three prefixes: [o] -> d, [o s] -> r, [o s r] -> a."""
        o, x_s, x_r = self.prompts(s, r)
        rows = torch.cat([2 * o[:1], self.mixed(o, x_s), self.mixed(o, x_s, x_r)])  # at [o] attention has no choice
        targets = torch.cat([torch.zeros(1, dtype=torch.long), 1 + r, 1 + self.R + s])
        weights = torch.full((len(rows),), 1 / (3 * len(s)), dtype=rows.dtype)
        weights[0] = 1 / 3
        return (cross_entropy(self.logits(rows), targets, reduction="none") * weights).sum()

    def asked(self, s: Tensor) -> Tensor:
        """Logits after the questions `o s p`."""
        o, x_s, _ = self.prompts(s, s.new_zeros(len(s)))
        return self.logits(self.mixed(o, x_s, self.E[ASK].expand(len(s), -1)))

    def question_loss(self, s: Tensor, a: Tensor) -> Tensor:
        return cross_entropy(self.asked(s), 1 + self.R + a)

    @torch.inference_mode()
    def extraction(self, s: Tensor) -> float:
        """The share of questions about these subjects that get the right answer."""
        return float((self.asked(s).argmax(dim=1) == 1 + self.R + s).double().mean())


# ---- Training
def adamw(model: OneLayer, of_A: float, of_w: float, weight_decay: float = 1e-4) -> torch.optim.Optimizer:
    groups = [{"params": [model.w], "lr": of_w}, {"params": [model.A], "lr": of_A}]
    return torch.optim.AdamW(groups, weight_decay=weight_decay, fused=True)


def step(optimizer: torch.optim.Optimizer, loss: Callable[..., Tensor], *batch: Tensor) -> None:
    optimizer.zero_grad(set_to_none=True)
    loss(*batch).backward()
    optimizer.step()


def leading_part(G: Tensor, rank: int) -> Tensor:
    """RA_rank(G): the part along the first left singular vectors."""
    u = torch.linalg.svd(G.flatten(1), full_matrices=False)[0][:, :rank]
    return (u @ (u.T @ G.flatten(1))).view_as(G)


def fine_tune(model: OneLayer, s: Tensor, a: Tensor, eta_A: float, eta_w: float, steps: int, rank: int = 0) -> None:
    """Gradient descent on questions about subjects s; `rank` of the neurons' gradient, 0: all of it."""
    for _ in range(steps):
        of_A, of_w = torch.autograd.grad(model.question_loss(s, a), (model.A, model.w))
        with torch.no_grad():
            model.A -= eta_A * of_A
            model.w -= eta_w * (leading_part(of_w, rank) if rank else of_w)


def main() -> None:
    torch.manual_seed(0)
    N, R, K, width, m, lam = 64, 20, 5, 50, 8, 8.0
    templates, order = draw_templates(N, R, K), torch.randperm(N)
    asked, held_out = order[: N // 2], order[N // 2 :]
    model = OneLayer(N, R, width, m, lam, sigma_0=0.01)
    optimizer = adamw(model, 1e-4, 1e-3)
    for _ in range(1000):
        step(optimizer, model.pretraining_loss, *draw_sentences(templates, 128))
    loss = float(model.pretraining_loss(torch.arange(N).repeat_interleave(K), templates.flatten()).detach())
    print(f"pre-training with AdamW: loss {loss:.3f} nats, the least possible {math.log(K) / 3:.3f}")
    before, unit = model.extraction(held_out), m / (lam**2 * width)
    fine_tune(model, asked, asked, 0.1 * unit, 3 * unit, 120)
    after = model.extraction(held_out)
    print(f"facts of the other half: {before:.2f} before, {after:.2f} after questions about half of the subjects")
    print("Judged by `lemmata check knowledge/extraction-unseen-facts`.")


if __name__ == "__main__":
    main()
