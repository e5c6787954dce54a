"""skyhook-webhook: keeps the lifecycle of Kubernetes custom resources honest.

The map of the house, from the inside out; arrows only point to the left:

    core < lifecycle < checks < catalog < reviews < server, cli
           conversions, mutations ----^    manifests, certs, documents serve the two edges

``core`` holds the words (field paths, findings, views of raw JSON), ``lifecycle`` the profile
language and its compiler, ``profiles`` the profiles themselves (YAML), ``checks`` the few named
rules that the language cannot say, ``reviews`` the engine: review in, verdict out.
"""
