"""Whose settings a verdict is about: the paper's own, or ours."""

from dataclasses import dataclass

from lemmata.core.scale import Scale


@dataclass(frozen=True)
class Protocol:
    """Exact where setting, metric and size are the paper's, or a theorem's hypotheses hold; else what is ours, and why.

    It qualifies every verdict: what fails under settings of ours does not fail in the paper.
    """

    ours: str = ""  # what is not the paper's; empty: nothing
    why: str = ""  # why it is ours
    below_paper: bool = False  # at the smaller scales alone

    def at(self, scale: Scale) -> str:
        """What is ours at this scale; empty where the protocol is exact."""
        return "" if self.below_paper and scale.name == "paper" else self.ours


EXACT = Protocol()
