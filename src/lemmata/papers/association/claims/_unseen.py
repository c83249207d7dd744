"""Seeds that nobody had looked at when the rules were written: settings were found on seeds 0 to 99."""


def unseen(seeds: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(100 + seed for seed in seeds)
