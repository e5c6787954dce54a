"""Kubernetes objects as plain dicts, built from catalog and settings; a Helm chart and kustomize files of them.

Nothing is read from disk: what `manifests/` and `certs/` hold is what this package renders, and a test
compares them. No object carries a caBundle: that field has one owner (`webhook.certs.keeper`).
"""
