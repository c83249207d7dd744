"""Theorem 3's flow with the right rates of (42), in x = e^a and y = e^b: identities that decide its course.

With S = 1 + (n-1) x + y the probabilities are 1/S, x/S, y/S, and nS a' and nS b' are polynomials in x, y and alpha of
degree one in each, so that an identity which holds at two values of each variable holds everywhere; four are tried.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import product

from lemmata.proofs import Exact, Step

VALUES = (Fraction(1, 7), Fraction(2, 5), Fraction(1), Fraction(11, 3))


def rate_a(x: Fraction, y: Fraction, alpha: Fraction, n: int = 2) -> Fraction:
    """nS da/dt, from da/dt = (-P_wrong - (1 - alpha - P_correct))/n."""
    return -x - ((1 - alpha) * (1 + (n - 1) * x + y) - 1)


def rate_b(x: Fraction, y: Fraction, alpha: Fraction, n: int = 2) -> Fraction:
    """nS db/dt, from db/dt = (alpha - P_noise - (1 - alpha - P_correct))/n."""
    return alpha * (1 + (n - 1) * x + y) - y - ((1 - alpha) * (1 + (n - 1) * x + y) - 1)


def _always(identity: Callable[[Fraction, Fraction, Fraction], bool]) -> bool:
    return all(identity(x, y, alpha) for x, y, alpha in product(VALUES, repeat=3))


def constant_steps(constant: Fraction) -> tuple[Step, ...]:
    """d(e^-a)/dt tends to constant (1 - alpha): the identities, and that the flow begins with a falling."""
    return (
        Exact(
            f"2S b' = 2 (2S a') + {4 * constant} x",
            lambda: _always(lambda x, y, alpha: rate_b(x, y, alpha) == 2 * rate_a(x, y, alpha) + 4 * constant * x),
        ),
        Exact(
            "at x = 0: 2S b' = 2 (alpha - (1 - alpha) y)",
            lambda: _always(lambda _, y, alpha: rate_b(Fraction(0), y, alpha) == 2 * (alpha - (1 - alpha) * y)),
        ),
        Exact(
            "at x = y = 1: 2S a' = -3 (1 - alpha)",
            lambda: _always(lambda x, y, alpha: rate_a(Fraction(1), Fraction(1), alpha) == -3 * (1 - alpha)),
        ),
    )


def order_steps(sign: int) -> tuple[Step, ...]:
    """a < b < 0 at every t > 0 (sign 1), so that the signal's singular value, -a, exceeds the noise's."""
    return (
        Exact(
            "where a = b: 2S (a' - b') = -alpha (1 + 2x)",
            lambda: _always(
                lambda x, _, alpha: sign * (rate_a(x, x, alpha) - rate_b(x, x, alpha)) == -alpha * (1 + 2 * x)
            ),
        ),
        Exact(
            "where b = 0: 2S b' = -(1 - 2 alpha)(2 + x)",
            lambda: _always(lambda x, _, alpha: rate_b(x, Fraction(1), alpha) == -(1 - 2 * alpha) * (2 + x)),
        ),
        Exact("3 (2b - a)^2/9 < a^2 for a < b < 0: 1/3 < 1", lambda: Fraction(1, 3) < 1),
    )


def turn_steps(sign: int) -> tuple[Step, ...]:
    """b turns upwards wherever b' = 0 (sign 1), for alpha < 1/2: then it turns once at most."""

    def bends(x: Fraction, y: Fraction, alpha: Fraction) -> bool:
        """With B = 2S b', 2S x' = x (2S a') and 2S y' = y B."""
        found = rate_b(x, y, alpha)
        in_x = rate_b(x + 1, y, alpha) - found
        in_y = rate_b(x, y + 1, alpha) - found
        moved = in_x * x * rate_a(x, y, alpha) + in_y * y * found
        return moved == sign * (1 - 2 * alpha) * x * (3 * x - found) / 2 - 2 * (1 - alpha) * y * found

    return (
        Exact("2S B' = (1 - 2 alpha) x (3x - B)/2 - 2 (1 - alpha) y B for B = 2S b'", lambda: _always(bends)),
        Exact(
            "at x = y = 1: B = -3 (1 - 2 alpha)",
            lambda: _always(lambda x, y, alpha: rate_b(Fraction(1), Fraction(1), alpha) == -3 * (1 - 2 * alpha)),
        ),
    )


def flow_is_alike(n: int) -> bool:
    """nS b' = 2 (nS a') + (n + 1) x, and a falls at first: as for n = 2, a tends to -oo and b to its limit."""
    falls = all(rate_a(Fraction(1), Fraction(1), alpha, n) == -(n + 1) * (1 - alpha) for alpha in VALUES)
    return falls and _always(lambda x, y, alpha: rate_b(x, y, alpha, n) == 2 * rate_a(x, y, alpha, n) + (n + 1) * x)


def gram_is_as_argued(n: int) -> bool:
    """W^T W has eigenvalues (s - w)^2 and, on (1, ..., 1), (n + 1) v^2, if s + (n - 1) w + v = 0."""
    for s, w in product(VALUES, repeat=2):
        v = -s - (n - 1) * w
        diagonal, off = s * s + (n - 1) * w * w + v * v, 2 * s * w + (n - 2) * w * w + v * v
        if diagonal - off != (s - w) ** 2 or diagonal + (n - 1) * off != (n + 1) * v * v:
            return False
    return True


def noise_is_the_smaller(n: int) -> int:
    """The sign of 1 - (n-1)/sqrt(n+1), the limit of the noise's singular value over the signal's, in integers."""
    return (n + 1 > (n - 1) ** 2) - (n + 1 < (n - 1) ** 2)


def singular_steps(most: int, last_smaller: int) -> tuple[Step, ...]:
    """For every n from 2 to `most`: the noise's singular value ends smaller up to last_smaller, equal at the next."""
    sizes = range(2, most + 1)
    expected = {n: 1 if n <= last_smaller else 0 if n == last_smaller + 1 else -1 for n in sizes}
    return (
        Exact(f"nS b' = 2 (nS a') + (n+1) x for n = 2 ... {most}", lambda: all(map(flow_is_alike, sizes))),
        Exact(f"singular values for n = 2 ... {most}", lambda: all(map(gram_is_as_argued, sizes))),
        Exact(
            f"(n-1)^2 against n+1 for n = 2 ... {most}", lambda: {n: noise_is_the_smaller(n) for n in sizes} == expected
        ),
    )
