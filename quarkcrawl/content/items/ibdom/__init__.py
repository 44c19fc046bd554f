"""IB-DOM to the letter: blocks, their weights, the rules of the paper."""
