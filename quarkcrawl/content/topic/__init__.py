"""Whether a page is about something, or only leads to other pages."""
