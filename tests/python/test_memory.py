"""Calling again and again takes no more memory."""

import os
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import tessera as ts
from pictures import small_photo

STATM = Path("/proc/self/statm")
needs_statm = pytest.mark.skipif(not STATM.exists(), reason="this system has no /proc/self/statm")


def resident():
    """Bytes of this process that are in memory."""
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(work, times, warm_up):
    for _ in range(warm_up):
        work()
    before = resident()
    for _ in range(times):
        work()
    return resident() - before


def calls(engine):
    """How often, and before that to warm up: a software GPU is slow."""
    return (3000, 500) if engine.is_cpu else (200, 50)


# A call that kept its picture would keep 50 kB or more each time.
PICTURE = np.ascontiguousarray(np.tile(small_photo(), (2, 2, 1))[:96, :180])
ALLOWED = 6 << 20
assert PICTURE.nbytes * 200 > ALLOWED


@needs_statm
@pytest.mark.parametrize("function", [ts.histogram, ts.statistics, ts.histogram_overlay])
def test_calls_keep_nothing(engine, function):
    assert growth(lambda: function(PICTURE, engine=engine), *calls(engine)) < ALLOWED


@needs_statm
def test_copies_of_strided_pictures_are_given_back(engine):
    strided = PICTURE[:, ::-1]
    assert growth(lambda: ts.histogram(strided, engine=engine), *calls(engine)) < ALLOWED


@needs_statm
def test_refused_calls_keep_nothing(cpu):
    def refused():
        with pytest.raises(ValueError):
            ts.histogram(PICTURE[:, ::-1], roi=(0, 0, 1000, 1000), engine=cpu)

    assert growth(refused, 3000, 300) < ALLOWED


@needs_statm
def test_many_forms_of_picture_do_not_pile_up(engine):
    # An engine keeps what it prepared for the last few forms, and no more.
    widths = iter(range(10, 10000))

    def other_form():
        ts.histogram_overlay(PICTURE[:, :next(widths) % 170 + 1], engine=engine)

    times = 1000 if engine.is_cpu else 100
    assert growth(other_form, times, times // 3) < 2 * ALLOWED


@needs_statm
def test_prepared_graphs_are_given_back(cpu):
    def prepare():
        graph = ts.Graph()
        graph.histogram_overlay(graph.input(PICTURE))
        cpu.prepare(graph)(PICTURE)

    assert growth(prepare, 500, 100) < ALLOWED


@needs_statm
def test_prepared_runs_keep_nothing(engine):
    graph = ts.Graph()
    picture = graph.input(PICTURE)
    graph.histogram(picture)
    graph.histogram_overlay(picture)
    prepared = engine.prepare(graph)
    assert growth(lambda: prepared(PICTURE), *calls(engine)) < ALLOWED


def test_a_prepared_run_with_out_allocates_no_array(engine):
    graph = ts.Graph()
    graph.histogram_overlay(graph.input(PICTURE))
    prepared = engine.prepare(graph)
    out = np.empty_like(PICTURE)
    address = out.ctypes.data

    def peak(work):
        """Of what Python and NumPy allocate meanwhile."""
        work()
        tracemalloc.start()
        try:
            work()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(lambda: prepared(PICTURE)) > PICTURE.nbytes  # it is seen when there is one
    assert peak(lambda: prepared(PICTURE, out=out)) < PICTURE.nbytes // 4
    assert prepared(PICTURE, out=out) is out and out.ctypes.data == address


def test_results_do_not_hold_the_picture(cpu):
    import weakref

    picture = PICTURE.copy()
    watched = weakref.ref(picture)
    results = ts.histogram(picture, engine=cpu), ts.statistics(picture, engine=cpu)
    del picture
    assert watched() is None and results
