"""What a spec must be like: the rules of the operator's own webhook, on spec changes only, and beyond.

What upstream lets through warns: mistakes (``beyond``) and the traps that its own pages describe.
Checks as in ``webhook.checks`` (parameters in, judge out), one subject a module, and the words of
Kubernetes that they need: label selectors, quantities, glob patterns. ``SPEC_CHECKS`` lists them;
``examples.yaml`` holds a write that each rule denies and one that passes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from webhook.specs.amounts import odd_amounts
from webhook.specs.budgets import interruption_budget, policy_or_budget
from webhook.specs.compartments import compartment_names, compartment_selectors
from webhook.specs.config import config_globs, config_keys, switch_value
from webhook.specs.cycles import dependency_cycles
from webhook.specs.deletion import deletion_erring, deletion_held, deletion_refused
from webhook.specs.dependencies import depends_on
from webhook.specs.images import package_image, package_label
from webhook.specs.interrupts import config_interrupts
from webhook.specs.naming import name_length, taint_collision
from webhook.specs.packages import package_key, package_name, package_version, uninstall_enabled
from webhook.specs.policies import policy_budget, policy_strategy
from webhook.specs.reading import is_object
from webhook.specs.releases import not_older
from webhook.specs.rename import old_group
from webhook.specs.resources import package_resources
from webhook.specs.selection import compartments_select, selects_all, selects_nothing
from webhook.specs.selectors import label_selector
from webhook.specs.traps import (
    finalizer_stripped,
    interrupt_removed,
    never_installed,
    policy_cleared,
    serial_packages,
    version_in_uninstall,
)
from webhook.specs.uninstalls import package_downgrade, package_removal, uninstall_cancelled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webhook.lifecycle.rule import CheckFactory

SPEC_CHECKS: Final[Mapping[str, CheckFactory]] = {
    "compartment_names": compartment_names,
    "compartment_selectors": compartment_selectors,
    "config_interrupts": config_interrupts,
    "depends_on": depends_on,
    "interruption_budget": interruption_budget,
    "is_object": is_object,
    "label_selector": label_selector,
    "package_downgrade": package_downgrade,
    "package_key": package_key,
    "package_name": package_name,
    "package_removal": package_removal,
    "package_resources": package_resources,
    "package_version": package_version,
    "policy_budget": policy_budget,
    "policy_or_budget": policy_or_budget,
    "policy_strategy": policy_strategy,
    "uninstall_cancelled": uninstall_cancelled,
    "uninstall_enabled": uninstall_enabled,
}
"""Name in a profile's ``use`` -> factory."""

WARNING_CHECKS: Final[Mapping[str, CheckFactory]] = {
    "compartments_select": compartments_select,
    "config_globs": config_globs,
    "config_keys": config_keys,
    "deletion_erring": deletion_erring,
    "deletion_held": deletion_held,
    "deletion_refused": deletion_refused,
    "dependency_cycles": dependency_cycles,
    "finalizer_stripped": finalizer_stripped,
    "interrupt_removed": interrupt_removed,
    "name_length": name_length,
    "never_installed": never_installed,
    "not_older": not_older,
    "odd_amounts": odd_amounts,
    "old_group": old_group,
    "package_image": package_image,
    "package_label": package_label,
    "policy_cleared": policy_cleared,
    "selects_all": selects_all,
    "selects_nothing": selects_nothing,
    "serial_packages": serial_packages,
    "switch_value": switch_value,
    "taint_collision": taint_collision,
    "version_in_uninstall": version_in_uninstall,
}
"""As SPEC_CHECKS, for what upstream lets through."""
