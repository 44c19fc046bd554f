"""The ways in which sites of the mock web write their pages."""
