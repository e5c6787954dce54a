"""Git, asked through its plumbing: what changed between two states of a repository, and the texts."""
