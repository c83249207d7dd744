"""What is proved of Theorem 3's flow and of Theorem 2's first step; docs/proofs.md has the arguments.

memory_flow  the flow of the linear associative memory, n = 2: identities of its rates; singular values for every n
"""
