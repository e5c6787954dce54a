"""Lifecycles drawn and told: what `explain` shows, as text, Mermaid, DOT and SVG.

Reads compiled guards, knows no terminal and no file.
"""
