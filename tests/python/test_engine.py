"""Devices, which engine is taken, and graphs that are prepared once and run often."""

import numpy as np
import pytest

import tessera as ts
from pictures import PHOTOS, photo, small_photo


@pytest.fixture
def default_engine_kept():
    yield
    ts.set_default_engine(None)


def test_the_cpu_engine_is_the_last_device():
    devices = ts.devices()
    assert [device.is_cpu_engine for device in devices] == [False] * (len(devices) - 1) + [True]
    assert [device.index for device in devices] == list(range(len(devices)))


def test_devices_say_what_they_are():
    for device in ts.devices():
        assert device.name and device.backend and device.type and device.driver
        assert str(device).startswith(f"{device.index}: {device.name} ({device.backend}, ")
        if not device.is_cpu_engine:
            # What every WebGPU device has, at least.
            assert device.max_buffer_size >= 256 << 20
            assert device.max_storage_buffer_binding_size >= 128 << 20
            assert device.max_compute_workgroup_storage_size >= 16 << 10


def test_cpu_and_gpu_insist(cpu, gpu):
    assert cpu.is_cpu and cpu.reason == "asked for"
    assert not gpu.is_cpu
    assert gpu.name in [device.name for device in ts.devices() if not device.is_cpu_engine]
    assert repr(gpu) == f"<tessera.Engine on {gpu.name} (Vulkan): {gpu.reason}>" or "Vulkan" not in repr(gpu)


def test_auto_takes_hardware_or_else_the_cpu():
    hardware = [device.name for device in ts.devices()
                if not device.is_cpu_engine and not device.is_software]
    engine = ts.Engine()
    assert engine.is_cpu == (not hardware)
    assert engine.is_cpu or engine.name in hardware


def test_an_adapter_is_chosen_by_index_or_by_part_of_its_name():
    for device in ts.devices():
        by_index = ts.Engine(adapter=device.index)
        assert (by_index.name, by_index.reason) == (device.name, "asked for by number")
        by_name = ts.Engine(adapter=device.name[2:].upper())
        assert (by_name.name, by_name.reason) == (device.name, "asked for by name")


def test_functions_run_on_the_default_engine(default_engine_kept):
    first = ts.default_engine()
    assert ts.default_engine() is first
    mine = ts.Engine("cpu")
    ts.set_default_engine(mine)
    assert ts.default_engine() is mine
    np.testing.assert_array_equal(ts.histogram(small_photo()).counts,
                                  ts.histogram(small_photo(), engine=mine).counts)
    ts.set_default_engine(None)
    assert ts.default_engine() not in (mine, first)


def test_engines_are_independent(cpu, gpu):
    for name in PHOTOS:
        picture = photo(name)[::7, ::7]
        np.testing.assert_array_equal(ts.histogram(picture, engine=cpu).counts,
                                      ts.histogram(picture, engine=gpu).counts)


def prepared_histogram(engine, like):
    graph = ts.Graph()
    graph.histogram(graph.input(like))
    return engine.prepare(graph)


def test_a_prepared_graph_runs_on_many_frames(engine):
    prepared = prepared_histogram(engine, small_photo())
    for shift in range(20):
        frame = np.roll(small_photo(), shift, axis=1)[..., ::(-1) ** shift] + np.uint8(shift)
        np.testing.assert_array_equal(prepared(frame).counts,
                                      ts.histogram(frame, engine=engine).counts)


def test_results_are_the_callers_own(engine):
    prepared = prepared_histogram(engine, small_photo())
    first = prepared(small_photo())
    counts = first.counts.copy()
    prepared(np.zeros_like(small_photo()))
    np.testing.assert_array_equal(first.counts, counts)


def test_what_is_prepared_outlives_its_engine(engine):
    prepared = prepared_histogram(ts.Engine("cpu" if engine.is_cpu else "gpu"), small_photo())
    np.testing.assert_array_equal(prepared(small_photo()).counts,
                                  ts.histogram(small_photo(), engine=engine).counts)


def test_frames_may_lie_anywhere_in_memory(engine):
    prepared = prepared_histogram(engine, small_photo())
    expected = prepared(small_photo()).counts
    np.testing.assert_array_equal(prepared(np.asfortranarray(small_photo())).counts, expected)
    np.testing.assert_array_equal(prepared(small_photo()[::-1]).counts, expected)


def test_prepared_results_go_where_out_says(engine):
    graph = ts.Graph()
    picture = graph.input(small_photo())
    graph.output(graph.histogram_plot(graph.histogram(picture), size=(64, 16)), "plot")
    prepared = engine.prepare(graph)
    out = np.zeros((16, 64, 4), np.uint8)
    assert prepared(small_photo(), out=out) is out
    np.testing.assert_array_equal(out, prepared(small_photo()))


def test_histograms_too_go_where_out_says(engine):
    prepared = prepared_histogram(engine, small_photo())
    counts, value_range = np.zeros((257, 4), np.uint64), np.zeros(2, np.float32)
    histogram = prepared(small_photo(), out=(counts, value_range))
    assert np.shares_memory(histogram.counts, counts)
    assert value_range.tolist() == [0, 1]
    np.testing.assert_array_equal(counts[:-1], ts.histogram(small_photo(), engine=engine).counts)


@pytest.mark.parametrize("out, problem", [
    ((np.zeros((257, 4), np.float64), np.zeros(2, np.float32)), "'out' must hold uint64"),
    ((np.zeros((4, 257), np.uint64), np.zeros(2, np.float32)), r"'out' has the shape \(4, 257\)"),
    ((np.zeros((257, 4), np.uint64), np.zeros(3, np.float32)), r"the result has \(2,\)"),
    ((np.zeros((257, 4), np.uint64),), "this graph gives 2 arrays, and 'out' holds 1"),
])
def test_a_prepared_out_that_does_not_fit_is_refused(cpu, out, problem):
    with pytest.raises(ValueError, match=problem):
        prepared_histogram(cpu, small_photo())(small_photo(), out=out)


@pytest.mark.parametrize("frame", [small_photo()[1:], small_photo()[..., :2], small_photo()[..., 0],
                                   small_photo().astype(np.uint16)])
def test_a_frame_of_another_form_is_refused(cpu, frame):
    with pytest.raises(ValueError, match="this graph was prepared for uint8 of shape "):
        prepared_histogram(cpu, small_photo())(frame)


def test_the_number_of_inputs_must_be_right(cpu):
    prepared = prepared_histogram(cpu, small_photo())
    for frames in ((), (small_photo(), small_photo())):
        with pytest.raises(ValueError, match=f"this graph takes 1 inputs, not {len(frames)}"):
            prepared(*frames)


def test_passes_are_timed_when_asked_for(engine):
    timed = ts.Engine("cpu" if engine.is_cpu else "gpu", timestamps=True)
    prepared = prepared_histogram(timed, small_photo())
    prepared(small_photo())
    assert prepared.timings
    assert all(isinstance(label, str) and time >= 0 for label, time in prepared.timings)
    untimed = prepared_histogram(engine, small_photo())
    untimed(small_photo())
    assert untimed.timings == []


def test_notes_say_what_was_chosen(engine):
    notes = prepared_histogram(engine, small_photo()).notes
    assert notes and all(isinstance(note, str) for note in notes)
