"""Numbers from arrays: retrieval metrics and their uncertainty."""
