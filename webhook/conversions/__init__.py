"""Between versions of one kind: objects in raw JSON, and the CRD that carries both versions."""
