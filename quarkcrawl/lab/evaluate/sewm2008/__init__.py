"""The two tasks of SEWM 2008: finding topic pages, and their content."""
