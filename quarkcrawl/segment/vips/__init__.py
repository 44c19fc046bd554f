"""Blocks by VIPS: what looks like one on the screen."""

from quarkcrawl.segment.vips.options import VipsOptions
from quarkcrawl.segment.vips.segmenter import VipsSegmenter, VisualBlock, VisualSegmentation

__all__ = ["VipsOptions", "VipsSegmenter", "VisualBlock", "VisualSegmentation"]
