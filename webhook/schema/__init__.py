"""The structural schema of our own CRDs, for files: there no API server has checked the types.

``check_structure`` says what the API server would refuse of an object, and which fields it would
drop. Only the command line uses it; behind the API server it would repeat what was checked.
"""

from webhook.schema.repeats import without_repeats
from webhook.schema.structure import check_structure, guards

__all__ = ["check_structure", "guards", "without_repeats"]
