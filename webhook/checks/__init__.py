"""The named rules that the profile language cannot say, one subject a module.

A check is a factory: parameters in, judge out. It reads views, never a whole decoded object, and
yields Marks; the rule id and the severity come from the profile. ``webhook.catalog`` lists them.
"""
