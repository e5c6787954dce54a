"""The forms in which results are printed for other tools: one printer a module."""
