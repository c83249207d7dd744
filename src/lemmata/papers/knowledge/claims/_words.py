"""Words of statements that name what a run may have otherwise."""

from lemmata.core import Configs, Word


def halves(run: str) -> dict[str, Word]:
    """Of the subjects: those that fine-tuning asks about, and the held-out ones."""

    def asked(configs: Configs) -> float:
        return 1 - configs[run].facts.held_out

    return {
        "half of the subjects": lambda configs: f"{asked(configs):g} of the subjects",
        "the other half": lambda configs: f"the other {1 - asked(configs):g}",
    }
