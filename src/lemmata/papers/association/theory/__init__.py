"""Closed forms of "Distributional associations vs in-context reasoning". Symbols as in the paper: N ordinary tokens and
a noise token N+1, trigger q, correct token ȳ, noise level α, context length T; β, a, b of appendix G for the memory.
All are explained in `glossary.GLOSSARY`."""

from lemmata.papers.association.theory import attention_logits, chain, margins, memory, noise_logit, one_step, useful
from lemmata.papers.association.theory.chain import RecallChain
