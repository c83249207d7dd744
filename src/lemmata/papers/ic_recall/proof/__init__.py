"""What is proved of the warm-up and of full worlds, step by step; docs/proofs.md has the arguments that join the steps.

line        the loss on the pairwise line in balls
transitions where the pairwise optimum exists and is the best, as steps
reduction   why the best attention lies on the pairwise line: exact algebra of Table 2 and eq. (16)
pairs       k pairs: the attention with the largest smallest gap, by integers
"""
