"""Tests of what texts have of benchmarks."""
