"""Appendix B.2's two-layer transformer, built by hand: what each matrix is said to hold, and nothing else."""

import math

import jax.numpy as jnp
import numpy as np

from lemmata.core import named_generator, to_jax
from lemmata.papers.association.model.transformer import Block, Linear, Transformer, TransformerConfig

MATCH = 16.0  # the score by which attention finds what it matches: e^16 outweighs any context here
GAIN = 8.0  # of W_V^2: the answer's logit


def constructed(vocab: int, length: int, trigger: int, noise: int, alpha: float, avoid: float) -> Transformer:
    """W_QK^1 = sum p_{t-1} p_t^T, W_QK^2 = (W_V^1 W_E(q) - c W_E(N+1)) W_E(q)^T, W_V^2 = sum W_U(z) W_E(z)^T over
    z in [N], and F_2 writes the noise at the trigger; `avoid` is c.

    Embeddings are orthonormal, W_O is the identity, F_1 is none."""
    width = 3 * vocab + length
    basis = np.linalg.qr(named_generator(0, "constructed").normal(size=(width, width)))[0]
    tokens, carried, output = (basis[i * vocab : (i + 1) * vocab] for i in range(3))
    positions = basis[3 * vocab :]
    scale = MATCH * math.sqrt(width)  # scores are over sqrt(d)
    previous = scale * positions[1:].T @ positions[:-1]
    match = scale * np.outer(tokens[trigger], carried[trigger] - avoid * tokens[noise])
    answers = [token for token in range(vocab) if token != noise]
    recall = GAIN * output[answers].T @ tokens[answers]
    said = (GAIN + math.log(alpha / (1 - alpha))) * np.outer(output[noise], tokens[trigger])
    eye = np.eye(width)
    config = TransformerConfig(vocab=vocab, length=length, width=width, feeds=("none", "linear"))
    blocks = (_block(previous, carried.T @ tokens, eye, None), _block(match, recall, eye, said))
    return Transformer(_array(tokens), _array(positions), blocks, _array(output), config)


def _block(key: np.ndarray, value: np.ndarray, output: np.ndarray, feed: np.ndarray | None) -> Block:
    return Block(_array(key), _array(value), _array(output), None if feed is None else Linear(_array(feed)))


def _array(x: np.ndarray) -> jnp.ndarray:
    return to_jax(x, dtype=jnp.float32)
