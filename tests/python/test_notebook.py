"""The tour runs from its first cell to its last."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

TOUR = Path(__file__).parents[2] / "docs/tour.ipynb"


@pytest.fixture
def tour():
    return nbformat.read(TOUR, as_version=4)


# Jupyter's own affairs are not ours to mend.
@pytest.mark.filterwarnings("default")
def test_the_tour_runs(tour, tmp_path, monkeypatch):
    # The kernel of this Python, and none that a user has registered under the same name.
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    NotebookClient(tour, kernel_name="python3", timeout=120,
                   resources={"metadata": {"path": str(TOUR.parent)}}).execute()
    outputs = [output for cell in tour.cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output.get("name") == "stderr"]
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    assert len(pictures) >= 4


def test_the_tour_is_committed_without_outputs(tour):
    for cell in tour.cells:
        if cell.cell_type == "code":
            assert cell.outputs == [] and cell.execution_count is None
