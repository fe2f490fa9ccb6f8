#!/usr/bin/env python3
"""Prints what Google Benchmark wrote as JSON as a Markdown table.

`GPU ms` is the counter `gpu_ms`, the time that the GPU itself measured. `real ms` is the time of an
iteration as the caller sees it. The counter `baseline_ms`, where a benchmark sets it, is what to
compare with; below 1 is faster than that. Of repeated runs the medians are shown.

usage: table.py RESULTS.json
"""

import json
import sys

MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}


def shown(number, digits):
    return "" if number is None else f"{number:.{digits}f}"


def rows(runs):
    repeated = {run["run_name"] for run in runs if run.get("aggregate_name") == "median"}
    for run in runs:
        if run.get("aggregate_name", "median") != "median":
            continue
        if run["run_type"] == "iteration" and run["run_name"] in repeated:
            continue
        # How the time was taken is said by the columns.
        name = run["run_name"].removesuffix("/manual_time").removesuffix("/real_time")
        if run.get("error_occurred"):
            yield name, run.get("error_message", "failed"), "", ""
            continue
        gpu = run.get("gpu_ms")
        real = run["real_time"] * MILLISECONDS[run["time_unit"]]
        baseline = run.get("baseline_ms")
        ratio = (real if gpu is None else gpu) / baseline if baseline else None
        yield name, shown(gpu, 4), shown(real, 4), shown(ratio, 2)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        runs = json.load(file)["benchmarks"]
    print("| benchmark | GPU ms | real ms | of baseline |")
    print("|---|---:|---:|---:|")
    for row in rows(runs):
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
