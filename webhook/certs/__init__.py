"""Certificates: where they come from, what TLS presents, and who trusts them.

The only home of `cryptography` and `kubernetes`; imports nothing else of ours. `bundle` holds the
words, each source is one module (`folder`, `selfsigned`), `serving` is what the listener presents,
`inject` is what the API server trusts, `cluster` is the API client behind both.
"""
