"""What the first large step of the attention matrix can do (Lemma 10), by one exact gradient.

The setting of the lemma: A = 0, and the first step on the neurons has made class d answer o, nothing else. Every
prompt holds o, so d is answered everywhere, and the gradient of A moves attention away from o. At a prompt of L tokens
with attention 1/L the scores of its tokens change in proportion to (1 - L) for o and to 1 for each other token.

With scores x_last A x_l and orthogonal embeddings, the change of r A r is a sum over all n_r sentences with
template r, that of r A s_j over one of them only. So while the score of o falls by 2, that of r rises by 1 and that of
s by 1/n_r: attention to the subject is lost with that to o, as its cube root, and Lemma 10's pair of statements,
alpha_1 <= 1/(2d) and alpha_2/alpha_3 in [.8, 1.2], cannot both hold unless n_r = 1.

With scores that depend on the key alone (one query for all prompts), o is pushed down by every prompt, a subject or a
template is pushed up by its own prompts only; then both can hold once |R| and N are large against log d.
"""


def subject_share(first_share: float, sentences: float) -> float:
    """alpha_2 / alpha_3 at [o s r] when alpha_1 / alpha_3 is `first_share` and the template has n_r sentences:
    the power (1 - 1/n_r) / 3 of it. Exact for one step from A = 0 with orthogonal embeddings of one length."""
    return first_share ** ((1 - 1 / sentences) / 3)
