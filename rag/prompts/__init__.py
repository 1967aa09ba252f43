"""The prompt files, as data."""
