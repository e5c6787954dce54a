"""The engine: a review in, a verdict out. No sockets, no files, no clock of its own.

``wire`` and ``decode`` turn bytes into a typed envelope around raw objects, ``verdict`` asks the
rules and applies the policy, ``answer`` turns a verdict into the response that the API server
expects. Server and command line call the same three.
"""
