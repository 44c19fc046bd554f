"""The Tianwang format of page.dat: records, compression, reading at an offset."""
