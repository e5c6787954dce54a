"""The profile language: models of a profile, and the compiler that turns one into plain functions.

What belongs here holds for any lifecycle. What only Skyhook (or Machine, or OperatorCondition)
knows is data in ``webhook/profiles`` or, where the language ends, a named check in
``webhook/checks``.
"""
