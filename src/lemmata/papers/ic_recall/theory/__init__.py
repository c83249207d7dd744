"""Closed forms of "Fine-Tuning Dynamics of In-Context Factual Recall in Transformers".

Where a printed formula is wrong, its name starts with `printed_` (or `PRINTED_`) and the right one stands beside it;
`symbolic` derives the right ones again with SymPy from Table 2 and `symbolic_errata` sets them beside the printed ones.
Symbols are explained in the paper's `glossary`.

relations       Table 1, Table 2, eq. (16), how many relations can match; ceilings
gradients       eqs. (2)-(8), Appendix C's general gradients
saddle          where Stage 1 ends, and its curvature (Lemmas B.4, B.5)
pairing         why attention becomes pairwise (Lemma B.7)
pairwise_line   the one-variable loss, its critical points and low-temperature limit (Theorem B.3)
low_temperature one large step, curvature and growth after it (Lemmas C.1-C.3)
second_step     the answer given the relation (Appendix D)
smoothness      Propositions B.2 and E.1
descent         Lemma E.2
phase           beyond the paper: the temperatures at which the pairwise optimum exists and wins
"""
