"""When a page was published: spellings of dates, where they stand, which one wins."""
