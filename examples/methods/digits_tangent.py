"""Handwritten digits by tangent distance
======================================

Images: handwritten digits by the tangent distance, from few examples of each.

Small shifts, turns, shears and changes of thickness of a digit cost nothing, so that one example
stands for many. The picture shows queries that the Euclidean distance gets wrong and the tangent
distance gets right, beside their nearest neighbours.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from similearn import NeighborsClassifier, PairwiseSimilarity
from similearn.similarities import Euclidean, FuzzyImageMetric, TangentDistance

digits = load_digits()
train, test, y, truth = train_test_split(
    digits.data, digits.target, train_size=100, stratify=digits.target, random_state=0
)
nearest, right = [], []
tangent = [TangentDistance(sides, smoothing=0.5) for sides in (1, 2)]
for function in (Euclidean(), FuzzyImageMetric(high=16), *tangent):
    compare = PairwiseSimilarity(function)
    model = NeighborsClassifier(1, kind="dissimilarity").fit(compare.fit_transform(train), y)
    block = compare.transform(test)  # queries by training images, compared once
    right.append(model.predict(block) == truth)
    nearest.append(block.values.argmin(axis=1))
    print(f"{function!s:45} {100 * np.mean(~right[-1]):5.1f} % wrong")

figure, axes = plt.subplots(3, 8, figsize=(9, 4), layout="constrained")
for column, query in zip(axes.T, np.flatnonzero(~right[0] & right[-1]), strict=False):
    images = (test[query], train[nearest[0][query]], train[nearest[-1][query]])
    for axis, image, title in zip(column, images, ("query", "Euclidean", "tangent"), strict=True):
        axis.imshow(image.reshape(8, 8), cmap="gray_r")
        axis.set(title=title, xticks=[], yticks=[])
plt.show()
