"""Reviews written down as they come, beside the server: bounded in memory and on disk, never in the way."""
