"""Tests of repeats inside and between texts."""
