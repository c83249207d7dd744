"""What is proved of the warm-up and of full worlds, step by step; docs/proofs.md has the arguments that join the steps.

line        the loss on the pairwise line in balls
transitions where the pairwise optimum exists and is the best, as steps
reduction   why the best attention lies on the pairwise line: exact algebra of Table 2 and eq. (16)
pairs       k pairs: the attention with the largest smallest gap, by integers
one_step    Lemma C.1: the population's one large step
appendix_c  constants of Lemmas C.2 and C.3
stage_one   Lemma B.4: from theta = 0 to the saddle
escape      Theorem 4.2's second stage: from the saddle to the minimum
limit       the limit of T log n;  line_order  what a rise of T does on the pairwise line
pair_temperature  k pairs: up to which temperature some attention tells them apart
"""
