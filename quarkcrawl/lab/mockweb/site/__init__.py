"""Sites of the mock web: layouts, texts, link farms, faults, the truth about them."""
