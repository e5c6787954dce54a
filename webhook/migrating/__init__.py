"""From skyhook.nvidia.com to nodewright.nvidia.com in texts: what is renamed, and what is left to a person.

Upstream's rename touches apiVersion and kind, and nothing else (docs/getting-started/migration.md): a
key under the old prefix in a selector names somebody's own label.
"""
