"""Content by the Quark thesis: words shared with the longest block, and naive Bayes."""
