"""Names of output columns, and frames instead of arrays, for every public transformer."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import TransformerMixin

import similearn
from similearn import (
    DissimilarityCombiner,
    DissimilarityToSimilarity,
    GaussianSimilarity,
    KernelCombiner,
    NeighborsClassifier,
    NystromFeatures,
    Pairwise,
    PairwiseSimilarity,
    PrototypeFeatures,
    PseudoEuclideanEmbedding,
    RowRBFSimilarity,
    SpectrumTransformer,
)

N = 12
Y = np.arange(N) % 2
IDS = [f"s{i}" for i in range(N)]
PREFIXED = (NystromFeatures, PairwiseSimilarity, PseudoEuclideanEmbedding)
TRANSFORMERS = [
    DissimilarityCombiner(ridge=0.1),
    DissimilarityToSimilarity(),
    GaussianSimilarity(),
    KernelCombiner(),
    PairwiseSimilarity(),
    PrototypeFeatures([3, 1]),
    NystromFeatures(3, random_state=0),
    PseudoEuclideanEmbedding(3),
    RowRBFSimilarity(),
    SpectrumTransformer(),
]
all_transformers = pytest.mark.parametrize(
    "transformer", TRANSFORMERS, ids=lambda t: type(t).__name__
)


def matrix(transformer):
    points = np.random.default_rng(0).normal(size=(N, 2)) + 3 * Y[:, None]
    D = np.linalg.norm(points[:, None] - points, axis=2)
    return D if transformer.__class__.__name__.startswith("Dissimilarity") else np.exp(-D)


def kind_of(transformer):
    return getattr(transformer, "kind", None) or "similarity"


def test_no_transformer_is_forgotten():
    public = [getattr(similearn, name) for name in similearn.__all__]
    found = {c for c in public if isinstance(c, type) and issubclass(c, TransformerMixin)}
    found -= {similearn.SimilaritySources}  # what it gives, Sources, is no frame
    assert found == {type(t) for t in TRANSFORMERS}


@all_transformers
def test_names_are_as_many_as_columns(transformer):
    X = matrix(transformer)
    made = np.asarray(transformer.fit(X, Y).transform(X[:4]))
    names = transformer.get_feature_names_out()
    assert names.dtype == object and len(set(names)) == len(names) == made.shape[1]
    prefix = type(transformer).__name__.lower() if isinstance(transformer, PREFIXED) else "x"
    assert all(name.startswith(prefix) for name in names)


@all_transformers
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(transformer, library):
    pytest.importorskip(library)
    X = matrix(transformer)
    expected = np.asarray(transformer.set_output(transform="default").fit(X, Y).transform(X[:4]))
    given = [X] if isinstance(transformer, PairwiseSimilarity) else [X, None]
    for x in given:
        x = Pairwise(X, kind_of(transformer), column_ids=IDS) if x is None else x
        frame = transformer.set_output(transform=library).fit(x, Y).transform(x[:4])
        assert type(frame).__module__.startswith(library)
        assert_array_equal(np.asarray(frame), expected)
        assert_array_equal(list(frame.columns), transformer.get_feature_names_out())
        square = transformer.fit_transform(x, Y)
        assert type(square).__module__.startswith(library) and len(square) == N
    transformer.set_output(transform="default")


@pytest.mark.parametrize("transformer", [t for t in TRANSFORMERS if not isinstance(t, PREFIXED)])
def test_names_of_samples_become_names_of_columns(transformer):
    pandas = pytest.importorskip("pandas")
    X = matrix(transformer)
    expected = ["s3", "s1"] if isinstance(transformer, PrototypeFeatures) else IDS
    transformer.fit(pandas.DataFrame(X, columns=IDS), Y)
    assert list(transformer.get_feature_names_out()) == expected
    transformer.fit(Pairwise(X, kind_of(transformer), column_ids=IDS), Y)
    assert list(transformer.get_feature_names_out()) == expected


def test_frames_of_a_pipeline_keep_rows_and_names():
    pandas = pytest.importorskip("pandas")
    X = matrix(SpectrumTransformer())
    frame = pandas.DataFrame(X, index=IDS, columns=IDS)
    clipped = SpectrumTransformer().set_output(transform="pandas").fit_transform(frame)
    assert list(clipped.index) == list(clipped.columns) == IDS
    block = Pairwise(X, "similarity", row_ids=IDS, column_ids=IDS)
    pandas.testing.assert_frame_equal(
        SpectrumTransformer().set_output(transform="pandas").fit_transform(block), clipped
    )
    model = NeighborsClassifier(3).fit(clipped, Y)
    assert_array_equal(model.predict(clipped), NeighborsClassifier(3).fit(X, Y).predict(X))
