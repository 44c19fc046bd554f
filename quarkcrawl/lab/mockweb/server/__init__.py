"""The HTTP server of the mock web, and replay of stored pages."""
