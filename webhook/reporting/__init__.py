"""Reports for people: one HTML page that needs no network and shows what a replay came to."""
