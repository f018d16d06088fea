import itertools
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from similearn.data import Pairwise
from similearn.errors import InputError, MissingExtraError
from similearn.experiments import pictures
from similearn.experiments.pictures import heat_map, spectrum_picture
from tests.experiments.data import small_problem


@pytest.fixture
def drawn(monkeypatch):
    """Figures as they were when they were saved."""
    kept = []
    saved = pictures.saved
    monkeypatch.setattr(
        pictures, "saved", lambda figure, path: kept.append(figure) or saved(figure, path)
    )
    return kept


def test_samples_are_ordered_by_class_and_dark_is_near(tmp_path, drawn):
    block, y = small_problem()
    shuffled = np.random.default_rng(0).permutation(len(y))
    path = heat_map(block[np.ix_(shuffled, shuffled)], y[shuffled], tmp_path / "new" / "heat.png")
    assert path.read_bytes().startswith(b"\x89PNG")
    image = drawn[0].axes[0].images[0]
    by_class = shuffled[np.argsort(y[shuffled], kind="stable")]
    assert_allclose(image.get_array(), block.values[np.ix_(by_class, by_class)])
    assert image.cmap.name == "gray_r"
    off_diagonal = block.values[~np.eye(len(y), dtype=bool)]
    assert image.get_clim() == (min(0, off_diagonal.min()), off_diagonal.max())
    edges = np.cumsum(np.unique(y, return_counts=True)[1])[:-1]
    assert list(drawn[0].axes[0].get_xticks()) == list(edges)
    names = [label.get_text() for label in drawn[0].axes[0].get_yticklabels(minor=True)]
    assert names == sorted(set(y))


def test_dissimilarities_are_dark_where_near_and_say_so(tmp_path, drawn):
    block, y = small_problem(kind="dissimilarity")
    heat_map(block, y, tmp_path / "heat.png")
    axes, bar = drawn[0].axes
    assert axes.images[0].cmap.name == "gray"
    assert bar.get_ylabel() == "dissimilarity (dark = near)"


def test_many_samples_are_averaged_and_the_picture_says_so(tmp_path, drawn, monkeypatch):
    monkeypatch.setattr(pictures, "_MOST_CELLS", 20)
    values = np.arange(50.0 * 50).reshape(50, 50)
    heat_map(Pairwise(values, "similarity"), None, tmp_path / "heat.png")
    axes = drawn[0].axes[0]
    shown = np.asarray(axes.images[0].get_array())
    assert shown.shape == (17, 17)
    assert shown[0, 0] == values[:3, :3].mean()
    assert shown[-1, -1] == values[48:, 48:].mean()  # the last ones are fewer, not padded
    assert "mean of 3 × 3 values" in axes.get_xlabel()


def test_long_and_strange_names_are_shortened_and_drawn_as_they_are(tmp_path, drawn):
    names = ["x" * 100_000, "$\\frac", "\x1b[31m"]
    heat_map(
        Pairwise(np.eye(6), "similarity"), np.repeat(names, 2), tmp_path / "s.png", "t" * 10**5
    )
    (axes,) = (a for a in drawn[0].axes if a.get_title(loc="left"))
    shown = [tick.get_text() for tick in axes.xaxis.get_ticklabels(minor=True)]
    assert max(map(len, shown)) <= 30 and len(axes.get_title(loc="left")) <= 100
    assert r"\$\frac" in shown and r"\x1b[31m" in shown


@pytest.mark.parametrize(
    "y",
    [
        [f"family {i} of thirty" for i in range(30) for _ in range(2)],
        ["large"] * 55 + ["small one"] * 2 + ["small two"] * 2 + ["tiny"],
        ["a rather long name"] * 20 + ["another long name"] * 20 + ["x"] * 20,
    ],
    ids=["thirty", "uneven", "three"],
)
def test_names_of_classes_never_overprint(tmp_path, drawn, y):
    block, _ = small_problem()
    heat_map(block, np.array(y), tmp_path / "heat.png")
    figure, axes = drawn[0], drawn[0].axes[0]
    figure.draw_without_rendering()
    for labels in (axes.get_xticklabels(minor=True), axes.get_yticklabels(minor=True)):
        boxes = [t.get_window_extent() for t in labels if t.get_text()]
        assert boxes
        assert not any(one.overlaps(other) for one, other in itertools.pairwise(boxes))
    listed = [t.get_text().split("  ", 1)[1] for one in figure.legends for t in one.get_texts()]
    assert listed == ([] if len(set(y)) == 3 else sorted(set(y)))


@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
def test_sparse_and_constant_blocks_can_be_drawn(tmp_path, kind):
    csr = sparse.random_array((40, 40), density=0.1, format="csr", rng=np.random.default_rng(0))
    heat_map(Pairwise(csr, kind), None, tmp_path / "sparse.png")
    heat_map(Pairwise(np.ones((5, 5)), kind), list("aabbb"), tmp_path / "constant.png")
    spectrum_picture(Pairwise(np.ones((5, 5)), "similarity"), tmp_path / "spectrum.png")


def test_eigenvalues_of_both_signs_are_all_there(tmp_path, drawn):
    block, _ = small_problem()
    path = spectrum_picture(block, tmp_path / "spectrum.png")
    assert path.read_bytes().startswith(b"\x89PNG")
    above = drawn[0].axes[0]
    positive, negative = (dots.get_offsets()[:, 1] for dots in above.collections)
    expected = np.linalg.eigvalsh(block.values)[::-1]
    assert_allclose(np.concatenate([positive, negative]), expected)
    assert (negative < 0).all() and len(negative) > 0
    assert f"Negative: {len(negative)} of 60 eigenvalues" in above.texts[0].get_text()


def test_zero_eigenvalues_are_left_out_and_counted(tmp_path, drawn):
    spectrum_picture(
        Pairwise(np.kron(np.eye(2), np.ones((3, 3))), "similarity"), tmp_path / "s.png"
    )
    above, below = drawn[0].axes
    assert "4 zero ones left out" in below.get_xlabel()
    assert above.texts[0].get_text() == "No eigenvalue is negative: the matrix is a kernel."


def test_spectrum_of_dissimilarities_is_that_of_inner_products(tmp_path, drawn):
    block, _ = small_problem(kind="dissimilarity")
    spectrum_picture(block, tmp_path / "spectrum.png")
    above, below = drawn[0].axes
    positive, negative = (dots.get_offsets()[:, 1] for dots in above.collections)
    assert (len(positive), len(negative)) == (3, 0)  # points in three dimensions
    assert above.texts[0].get_text().startswith("Of -½JD²J. No eigenvalue is negative")
    assert "57 zero ones left out" in below.get_xlabel()


def test_spectrum_of_many_samples_is_of_some(tmp_path, drawn, monkeypatch):
    monkeypatch.setattr(pictures, "_MOST_EIGENVALUES", 20)
    block, _ = small_problem()
    spectrum_picture(block, tmp_path / "spectrum.png")
    assert drawn[0].axes[0].texts[0].get_text().startswith("20 random samples. ")


def test_unknown_dissimilarities_have_no_spectrum(tmp_path):
    block = Pairwise(sparse.eye_array(5, format="csr"), "dissimilarity")
    with pytest.raises(InputError, match="Unknown dissimilarities have no eigenvalues"):
        spectrum_picture(block, tmp_path / "spectrum.png")


def test_without_matplotlib_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    block, y = small_problem()
    with pytest.raises(MissingExtraError, match=r"similearn\[plot\]"):
        heat_map(block, y, tmp_path / "heat.png")


@pytest.mark.thinned
@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
@pytest.mark.parametrize("value", [0.0, 5e-324, 1e-300, 1e300, 1.7e308])
@pytest.mark.filterwarnings("error")
def test_zeros_and_numbers_of_any_scale_are_drawn(tmp_path, kind, value):
    values = value * np.eye(5) if kind == "similarity" else value * (1 - np.eye(5))
    block = Pairwise(values, kind)
    assert heat_map(block, None, tmp_path / "heat.png").is_file()
    assert spectrum_picture(block, tmp_path / "spectrum.png").is_file()
