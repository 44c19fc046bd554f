"""A simulated list of hosts with a known truth, for `select`."""
