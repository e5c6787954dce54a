"""The words of the house: pure values and small functions; no I/O, no clock, no settings."""
