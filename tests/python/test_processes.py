"""Threads that share an engine, and processes that are forked from one that has used it."""

import os
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tessera as ts
from pictures import PHOTOS, photo, small_photo


def test_threads_share_an_engine(engine):
    frames = [small_photo(name)[:30 + shift] for name in PHOTOS for shift in range(3)]
    expected = [ts.histogram(frame, engine=engine).counts for frame in frames]
    with ThreadPoolExecutor(6) as threads:
        for _ in range(3):
            results = threads.map(lambda frame: ts.histogram(frame, engine=engine).counts, frames)
            for counts, wanted in zip(results, expected):
                np.testing.assert_array_equal(counts, wanted)


def test_threads_share_what_is_prepared(engine):
    graph = ts.Graph()
    graph.histogram(graph.input(small_photo()))
    prepared = engine.prepare(graph)
    frames = [np.roll(small_photo(), shift) + np.uint8(shift) for shift in range(12)]
    expected = [ts.histogram(frame, engine=engine).counts for frame in frames]
    with ThreadPoolExecutor(6) as threads:
        for counts, wanted in zip(threads.map(lambda frame: prepared(frame).counts, frames), expected):
            np.testing.assert_array_equal(counts, wanted)


def test_threads_prepare_and_run_apart(engine):
    def count(shift):
        graph = ts.Graph()
        frame = np.roll(small_photo(), shift)[:, :20 + shift]
        graph.histogram(graph.input(frame))
        return engine.prepare(graph)(frame).l.sum()

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(count, range(8))) == [60 * (20 + shift) for shift in range(8)]


def test_the_default_engine_is_opened_once():
    ts.set_default_engine(None)
    with ThreadPoolExecutor(8) as threads:
        engines = set(threads.map(lambda _: ts.default_engine(), range(32)))
    assert len(engines) == 1


def test_other_threads_run_while_pixels_are_counted(cpu):
    # No thread is interrupted here: this one goes on only once the other gives up Python's lock,
    # which it must do between the two states. How fast anything is does not matter: a call that is
    # over before this thread has woken up is tried again.
    frame = np.tile(photo(PHOTOS[0]), (8, 8, 1))
    state = ""

    def work():
        nonlocal state
        state = "counting"
        ts.histogram(frame, engine=cpu)
        state = "done"

    ts.histogram(frame[:10], engine=cpu)  # what is imported late is imported now
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e6)
    try:
        for _ in range(200):
            worker = threading.Thread(target=work)
            worker.start()
            seen = state
            worker.join()
            if seen == "counting":
                break
    finally:
        sys.setswitchinterval(interval)
    assert seen == "counting"


# --- Processes ------------------------------------------------------------------------------------


def run_python(program):
    """In a process of its own, so that nothing is forked from this one."""
    head = "import multiprocessing, os, sys\nimport numpy as np\nimport tessera as ts\n"
    done = subprocess.run([sys.executable, "-c", head + textwrap.dedent(program)], text=True,
                          capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1]


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


@needs_fork
def test_a_forked_child_counts_on_the_cpu_engine():
    assert run_python("""
        # Large enough for all threads.
        picture = np.full((1000, 1500, 3), 9, np.uint8)
        engine = ts.Engine("cpu")
        ts.histogram(picture, engine=engine)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            counted = pool.apply(ts.histogram, (picture,))
        print(counted.l[9], flush=True)
        child = os.fork()
        if child == 0:
            print(ts.histogram(picture, engine=engine).l[9])
            sys.exit()
        os.waitpid(child, 0)
    """) == ["1500000", "1500000"]


@needs_fork
def test_a_child_does_not_use_its_parent_s_gpu(gpu):
    lines = run_python("""
        picture = np.full((20, 30, 3), 9, np.uint8)
        engine = ts.Engine("gpu")
        ts.set_default_engine(engine)
        graph = ts.Graph()
        graph.histogram(graph.input(picture))
        prepared = engine.prepare(graph)
        print(ts.histogram(picture).l[9], prepared(picture).l[9], flush=True)

        def attempt(name, work):
            try:
                print(name, work())
            except ts.DeviceError as refusal:
                print(name, refusal)

        child = os.fork()
        if child == 0:
            attempt("engine:", lambda: ts.histogram(picture, engine=engine))
            attempt("prepared:", lambda: prepared(picture))
            attempt("prepare:", lambda: engine.prepare(graph))
            attempt("gpu:", lambda: ts.Engine("gpu"))
            attempt("adapter:", lambda: ts.Engine(adapter=0))
            attempt("devices:", ts.devices)
            attempt("auto:", lambda: ts.Engine().is_cpu)
            attempt("default:", lambda: ts.default_engine().is_cpu)
            attempt("counted:", lambda: ts.histogram(picture).l[9])
            del engine, prepared  # which closes nothing of the parent's
            sys.stdout.flush()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        print(ts.histogram(picture).l[9], prepared(picture).l[9])
    """)
    refusal = ("this process was forked from one that has used a GPU, which it cannot use itself: "
               "start it with multiprocessing's 'spawn', or use Engine('cpu')")
    assert lines == ["600 600", f"engine: {refusal}", f"prepared: {refusal}", f"prepare: {refusal}",
                     f"gpu: {refusal}", f"adapter: {refusal}", f"devices: {refusal}", "auto: True",
                     "default: True", "counted: 600", "600 600"]


@needs_fork
def test_a_pool_of_forked_children_works_on_the_cpu_after_a_gpu_was_used(gpu):
    assert run_python("""
        picture = np.full((20, 30, 3), 9, np.uint8)
        ts.histogram(picture, engine=ts.Engine("gpu"))
        with multiprocessing.get_context("fork").Pool(2) as pool:
            print([counted.l[9] == 600 for counted in pool.map(ts.histogram, [picture] * 6)])
    """) == [str([np.True_] * 6)]


def test_results_travel_between_processes(cpu):
    import pickle

    histogram = ts.histogram(small_photo(), engine=cpu)
    statistics = ts.statistics(small_photo(), engine=cpu)
    counted, looked_at = pickle.loads(pickle.dumps((histogram, statistics)))
    np.testing.assert_array_equal(counted.counts, histogram.counts)
    assert (counted.range, looked_at) == (histogram.range, statistics)
