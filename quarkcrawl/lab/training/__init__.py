"""How the shipped models were trained."""
