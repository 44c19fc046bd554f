"""Blocks by the rules of the Quark thesis."""

from quarkcrawl.segment.quark.options import SegmentOptions
from quarkcrawl.segment.quark.recognizer import QuarkRecognizer

__all__ = ["QuarkRecognizer", "SegmentOptions"]
