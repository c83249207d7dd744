"""What is proved of Theorem 3's flow and of Theorem 2's first step; docs/proofs.md has the arguments.

memory_flow  the flow of the linear associative memory: identities of its rates, its singular values
first_gap    the exact chain in closed form: where the first step of W_QK sends attention
restated     Theorem 2 with ȳ other than the trigger, for every N
"""
