"""Tests of labels of texts."""
