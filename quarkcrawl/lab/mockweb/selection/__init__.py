"""A simulated list of hosts with a known truth, for `select`."""

from quarkcrawl.lab.mockweb.selection.plan import SimHost, plan_selection
from quarkcrawl.lab.mockweb.selection.web import SelectionWeb

__all__ = ["SelectionWeb", "SimHost", "plan_selection"]
