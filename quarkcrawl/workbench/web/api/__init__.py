"""The workbench's JSON endpoints."""
