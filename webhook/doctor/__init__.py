"""What is wrong with a live installation: pure checks over the objects of a cluster, and safe repairs.

`snapshot` is what was fetched, `fetching` fetches it, each module of checks looks at one subject, `checks`
lists them, `repairs` carries out what is safe.
"""
