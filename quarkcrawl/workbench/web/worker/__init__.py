"""The process that reads pages for the workbench."""
