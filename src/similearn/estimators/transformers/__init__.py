"""Steps before a classifier: from objects to blocks, from blocks to others or to features."""
