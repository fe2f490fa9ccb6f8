"""Where the tests run: on the CPU engine, and on the GPU engine where there is an adapter."""

from __future__ import annotations

import pytest

import tessera as ts


@pytest.fixture(scope="session")
def has_gpu() -> bool:
    return any(not device.is_cpu_engine for device in ts.devices())


@pytest.fixture(scope="session")
def cpu() -> ts.Engine:
    return ts.Engine("cpu")


@pytest.fixture(scope="session")
def gpu(has_gpu: bool) -> ts.Engine:
    if not has_gpu:
        pytest.skip("this machine has no WebGPU adapter: install mesa-vulkan-drivers")
    return ts.Engine("gpu")


@pytest.fixture(scope="session", params=["cpu", "gpu"])
def engine(request: pytest.FixtureRequest) -> ts.Engine:
    return request.getfixturevalue(request.param)
