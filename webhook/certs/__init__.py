"""Certificates: where they come from, what TLS presents, and who trusts them.

The only home of `cryptography` and `kubernetes`; imports nothing else of ours.

Every mode: `bundle` (the words, and the checks of a pair), `serving` (what the listener presents),
`clock` and `observer` (time and metrics from outside).
A folder: `folder`, and `development` for a machine without a cluster.
Self-signed: `authority` makes CA and leaf, `keyring` is what the replicas share and each step of a
rotation, `secret` and `store` keep it, `replicas` looks at who shows what, `selfsigned` drives it.
What API servers trust: `cabundle` (pure), `keeper` (one target), `inject` (all of them).
The API server: `cluster` (what is needed of it) and `apiclient`. `shared` puts it together.
"""
