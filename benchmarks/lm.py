"""Twenty ranks of one matrix: our one exact decomposition against an SVD of PyTorch's for each rank.

    python benchmarks/lm.py            # a table
    python benchmarks/lm.py --json     # the same numbers as JSON

The matrices have the shapes of real models' MLPs. Both sides end with the twenty cut matrices in float32, PyTorch by
its SVD in float32, which is the faster: where singular values lie close at the cut it is wrong by up to 1e-3, while
ours agree with its SVD in float64 to 1e-5 (asserted here). "first time" decomposes and writes the spectrum to disk;
"again" reads it, as every later edit of that matrix does. Shares count the products, not the decompositions.
"""

import argparse
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
import torch
from matrix_work import operations, rows_times
from side_by_side import Row, median_ms, show

from lemmata.lm.keep import Largest
from lemmata.lm.place import VARIABLE
from lemmata.lm.spectra import spectrum_of

THREADS = 2
RANKS = tuple(0.05 * share for share in range(1, 21))
SHAPES = {"SmolLM2-135M": (1536, 576), "GPT-2 small": (3072, 768)}


def ours(matrix: np.ndarray) -> list[np.ndarray]:
    spectrum = spectrum_of(matrix)
    return [Largest(rank).cut(matrix, lambda: spectrum) for rank in RANKS]


def theirs(matrix: torch.Tensor) -> list[torch.Tensor]:
    cuts = []
    for rank in RANKS:
        count = Largest(rank).count(min(matrix.shape))
        u, s, vt = torch.linalg.svd(matrix, full_matrices=False)
        cuts.append((u[:, :count] * s[:count]) @ vt[:count])
    return cuts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args().json
    torch.set_num_threads(THREADS)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ[VARIABLE] = folder
        for name, shape in SHAPES.items():
            matrix = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
            same = torch.from_numpy(matrix)

            def first(matrix: np.ndarray = matrix) -> None:
                shutil.rmtree(Path(folder) / "spectra", ignore_errors=True)
                ours(matrix)

            for mine, yours in zip(ours(matrix), theirs(same.double()), strict=True):
                np.testing.assert_allclose(mine, yours.numpy(), atol=1e-5)
            other = median_ms(lambda same=same: theirs(same), 1)  # forty decompositions with the warm run
            size, (large, small) = f"{shape[0]} x {shape[1]}", (max(shape), min(shape))
            counts = [Largest(rank).count(small) for rank in RANKS]
            cuts = operations([rows_times(large, min(count, small - count), small) for count in counts])
            made = operations([rows_times(small, large, small), rows_times(large, small, small)])
            against = ("torch", other, 8.0)
            by_torch = operations([rows_times(large, count, small) for count in counts])
            times = median_ms(first, 3), median_ms(lambda m=matrix: ours(m), 3)
            rows.append(Row(f"{name}, first time", size, times[0], *against, made + cuts, by_torch, THREADS))
            rows.append(Row(f"{name}, again", size, times[1], *against, cuts, by_torch, THREADS))
    show(rows, f"twenty ranks of one matrix, ms, {THREADS} threads", as_json=as_json)


if __name__ == "__main__":
    main()
