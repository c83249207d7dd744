"""Seeds that nobody had looked at when the rules were written: settings were found on seeds 0 to 99."""

from lemmata.core import Scale, Size


def unseen(scale: Scale, count: Size[int]) -> tuple[int, ...]:
    """As many as the user asked for, else the experiment's own number at this scale."""
    seeds = scale.seeds(smoke=count.smoke, laptop=count.laptop, paper=count.paper)
    return tuple(100 + seed for seed in seeds)
