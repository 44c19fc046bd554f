"""What is looked at: the web workbench and the static reports."""
