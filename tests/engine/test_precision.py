"""Which type and which device a run's numbers have."""

import os

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.cli import gpu
from lemmata.core import named_key, platform, precision
from lemmata.models.matmul import contract_stored, in_full


def test_double_precision_ends_with_its_block() -> None:
    with precision("float64"):
        assert jnp.zeros(1).dtype == jnp.float64
        with precision("float32"):
            assert jnp.zeros(1).dtype == jnp.float32
    assert jnp.zeros(1).dtype == jnp.float32


def test_double_precision_is_computed_on_the_cpu_where_there_is_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert platform() == "gpu"
    with precision("float64"):
        assert platform() == "cpu"
        assert jnp.zeros(1).device.platform == "cpu"
    with precision("float32"):
        assert platform() == "gpu"


def test_a_machine_that_offers_its_gpu_alone_computes_everything_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(backend: str) -> list[jax.Device]:
        raise RuntimeError(f"Unknown backend {backend}")

    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    monkeypatch.setattr(jax, "local_devices", absent)
    with precision("float64"):
        assert platform() == "gpu"


def test_products_of_halves_stay_halves_and_so_do_their_gradients() -> None:
    left, right = (jax.random.normal(named_key(seed, "factor"), (4, 4)) for seed in (0, 1))
    kept = contract_stored("ij,jk->ik", left, right, "bfloat16")
    assert kept.dtype == jnp.bfloat16
    np.testing.assert_allclose(in_full(kept), left @ right, atol=0.05)
    slope = jax.make_jaxpr(jax.grad(lambda w: in_full(contract_stored("ij,jk->ik", left, w, "bfloat16")).sum()))(right)
    operands = [v.aval.dtype for line in slope.eqns if line.primitive.name == "dot_general" for v in line.invars]
    assert operands
    assert all(kind == jnp.bfloat16 for kind in operands)
    assert contract_stored("ij,jk->ik", left, right, "float32").dtype == jnp.float32


def test_settings_of_a_gpu_leave_what_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "has_gpu", lambda: True)
    monkeypatch.setenv(gpu.FLAGS, "--xla_dump_to=x")
    monkeypatch.delenv(gpu.MEMORY, raising=False)
    gpu.prepare_gpu()
    assert os.environ[gpu.FLAGS] == "--xla_dump_to=x"
    assert os.environ[gpu.MEMORY] == "false"
    monkeypatch.delenv(gpu.FLAGS)
    gpu.prepare_gpu()
    assert os.environ[gpu.FLAGS] == gpu.LIBRARY_PRODUCTS
