"""Tests of the spam of single pages."""
