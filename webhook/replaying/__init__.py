"""Recorded writes judged again: reviews and audit logs as streams, in bounded memory, on all cores."""
