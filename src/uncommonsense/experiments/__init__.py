"""Runs of several models on one corpus, resumable, cell by cell."""
