"""Similarities of images, colours and sets of image features."""
