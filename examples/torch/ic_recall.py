"""In-context factual recall in PyTorch: the task, the dense transformer with its constructed memory, fine-tuning.

    python examples/torch/ic_recall.py        # about half a minute on two cores

The model of `lemmata plain ic-recall`, whose names it has, for a whole batch at once. `make test-lm` compares the two,
and the benchmark races this file against the reduced model. It needs torch alone.
"""

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy


# ---- Section 2.1: subjects 0 ... n-1, then n answers, then m relations, then EoS; table[r, s] = r(s)
def random_bijections(n: int, m: int) -> Tensor:
    """m distinct random bijections from n subjects to n answers."""
    rows: set[tuple[int, ...]] = set()
    while len(rows) < m:
        rows.add(tuple(torch.randperm(n).tolist()))
    return torch.tensor(sorted(rows))


def draw_sequences(table: Tensor, num: int, k: int) -> tuple[Tensor, Tensor]:
    """Definition 2.1: tokens (s_1, a_1, ..., s_k, a_k, s_{k+1}, EoS, r*) and, as tokens, the answers a_{k+1}."""
    m, n = table.shape
    r, s = torch.randint(m, (num, 1)), torch.rand(num, n).argsort(dim=1)[:, : k + 1]
    a = table[r, s]
    pairs = torch.stack([s, n + a], dim=2).flatten(1)[:, :-1]  # without the last answer
    return torch.cat([pairs, torch.full((num, 1), 2 * n + m), 2 * n + r], dim=1), n + a[:, -1]


def orthonormal_embeddings(size: int) -> Tensor:
    """phi(u) is row u."""
    return torch.linalg.qr(torch.randn(size, size, dtype=torch.float64))[0]


def associative_memory(table: Tensor, phi: Tensor) -> tuple[Tensor, Tensor]:
    """Lemma 3.1, W and V: three hidden units for each pair (s, a)."""
    (m, n), W, V = table.shape, [], []
    for s in range(n):
        for a in range(n):
            subject, answer = phi[s], phi[n + a]
            relations = phi[2 * n : 2 * n + m][table[:, s] == a].sum(dim=0)  # R(s, a)
            W += [subject + relations, answer + subject, answer + relations]
            V += [answer, relations, subject]
    return torch.stack(W), torch.stack(V)


# ---- The transformer on a batch: one attention head with W^KQ, then f_MLP(h) = V^T (W h)^2
class FineTuning:
    """The loss (1) of W^KQ on one batch. W, V, phi and the sequences stay, so what they make is made once."""

    def __init__(
        self, W: Tensor, V: Tensor, phi: Tensor, tokens: Tensor, answers: Tensor, n: int, temperature: float
    ) -> None:
        m, self.W, self.T = len(phi) - 2 * n - 1, W, temperature
        self.embedded, length = phi[tokens], tokens.shape[1]
        positions = torch.eye(length, dtype=phi.dtype).expand(len(tokens), length, length)
        self.z = torch.cat([positions, self.embedded], dim=2)  # z_i = (e_i; phi(u_i))
        self.to_relations, self.to_answers = V @ phi[2 * n : 2 * n + m].T, V @ phi[n : 2 * n].T
        self.relation, self.answer = tokens[:, -1] - 2 * n, answers - n

    def attention(self, W_KQ: Tensor, query: int) -> Tensor:
        """softmax(Z^T W^KQ z_query) over all tokens up to the query."""
        return torch.einsum("bid,bd->bi", self.z[:, : query + 1], self.z[:, query] @ W_KQ.T).softmax(1)

    def logits(self, W_KQ: Tensor, query: int, out: Tensor) -> Tensor:
        mixed = torch.einsum("bi,bid->bd", self.attention(W_KQ, query), self.embedded[:, : query + 1])
        return ((self.embedded[:, query] + mixed) @ self.W.T) ** 2 @ out

    def both_logits(self, W_KQ: Tensor) -> tuple[Tensor, Tensor]:
        """Section 2.3: of the relations at EoS, then of the answers at the relation."""
        eos = self.z.shape[1] - 2
        return self.logits(W_KQ, eos, self.to_relations), self.logits(W_KQ, eos + 1, self.to_answers)

    def loss(self, W_KQ: Tensor) -> Tensor:
        first, second = self.both_logits(W_KQ)
        return cross_entropy(first / self.T, self.relation) + cross_entropy(second / self.T, self.answer)

    @torch.inference_mode()
    def accuracy(self, W_KQ: Tensor) -> list[float]:
        """How often argmax decoding finds r*, and a_{k+1} given r*; ties are split evenly."""
        shares = []
        for logits, truth in zip(self.both_logits(W_KQ), (self.relation, self.answer), strict=True):
            best = (logits >= logits.amax(dim=1, keepdim=True) - 1e-6).double()
            shares.append(float((best.gather(1, truth[:, None])[:, 0] / best.sum(dim=1)).mean()))
        return shares


def position_block(size: int, width: int) -> Tensor:
    """Ones where partial fine-tuning (Section 2.3) moves W^KQ."""
    block = torch.zeros(width, width, dtype=torch.float64)
    block[:size, :size] = 1
    return block


def descend(task: FineTuning, W_KQ: Tensor, eta: float, steps: int, block: Tensor) -> Tensor:
    """Gradient descent on the block."""
    W_KQ = W_KQ.clone().requires_grad_()
    for _ in range(steps):
        (slope,) = torch.autograd.grad(task.loss(W_KQ), W_KQ)
        with torch.no_grad():
            W_KQ.sub_(eta * slope * block)
    return W_KQ.detach()


def by_adam(task: FineTuning, W_KQ: Tensor, learning_rate: float, steps: int, block: Tensor) -> Tensor:
    W_KQ = W_KQ.clone().requires_grad_()
    optimizer = torch.optim.Adam([W_KQ], lr=learning_rate)
    for _ in range(steps):
        (slope,) = torch.autograd.grad(task.loss(W_KQ), W_KQ)
        W_KQ.grad = slope * block
        optimizer.step()
    return W_KQ.detach()


# ---- Section 4: three subjects, all six bijections; every sequence has the same gradient, in theta alone
def warm_up(theta: Tensor, temperature: float, eta: float, steps: int) -> Tensor:
    """Gradient descent on L_1. A relation's logit is a quadratic form of v = softmax(theta): it sums 2 v_s v_a over
    the pairs (s, a) in which it agrees with the context s_1 a_1 s_2 a_2 s_3 EoS, r* first."""
    pairs = (((0, 1), (2, 3)), ((0, 3), (2, 1)), ((0, 1), (4, 3)), ((0, 3), (4, 1)), ((2, 1), (4, 3)), ((2, 3), (4, 1)))
    forms = torch.zeros(6, 6, 6, dtype=torch.float64)
    for r, matches in enumerate(pairs):
        for s, a in matches:
            forms[r, s, a] = forms[r, a, s] = 1
    theta = theta.clone().requires_grad_()
    for _ in range(steps):
        v = theta.softmax(0)
        scaled = (forms @ v) @ v / temperature
        (slope,) = torch.autograd.grad(scaled.logsumexp(0) - scaled[0], theta)
        with torch.no_grad():
            theta.sub_(eta * slope)
    return theta.detach()


def main() -> None:
    torch.manual_seed(0)
    torch.set_printoptions(precision=3, sci_mode=False)
    n, m, k, T = 8, 64, 2, 0.05
    table, phi = random_bijections(n, m), orthonormal_embeddings(2 * n + m + 1)
    W, V = associative_memory(table, phi)
    train, test = (FineTuning(W, V, phi, *draw_sequences(table, num, k), n, T) for num in (8, 1000))
    width = 2 * k + 3 + len(phi)
    zero, block = torch.zeros(width, width, dtype=torch.float64), position_block(2 * k + 3, width)
    W_KQ = by_adam(train, zero, 1e-3, 6000, block)
    print("Figure 2, attention of EoS and of the decoded relation")
    for name, query in (("v", 2 * k + 1), ("q", 2 * k + 2)):
        print(f"  {name}", test.attention(W_KQ, query).mean(dim=0))
    first, second = test.accuracy(W_KQ)
    print(f"Figure 3, 8 sequences: the relation in {first:.3f} of fresh ones, the answer given it in {second:.3f}")
    print("Judged by `lemmata check ic-recall/fig-2 ic-recall/few-samples`.")


if __name__ == "__main__":
    main()
