"""`manifests policy`: a profile as ValidatingAdmissionPolicies, for a guard that needs no server."""

from __future__ import annotations

import click

from webhook.building import profile_of
from webhook.manifests.policy import Choices, policy_set, policy_text


@click.command()
@click.argument("profile", metavar="NAME|FILE")
@click.option("--exempt", multiple=True, metavar="USER", help="Never judged. Repeatable.")
@click.option("--odd/--no-odd", default=True, help="Also warn people of what is unusual.")
@click.option("--fail", is_flag=True, help="Refuse writes while a policy cannot be evaluated.")
def policy(profile: str, exempt: tuple[str, ...], odd: bool, fail: bool) -> int:
    """Print a profile as policies that the API server evaluates itself (Kubernetes 1.30 and later).

    What CEL cannot see, such as JSON inside an annotation, is listed at the top and on stderr.
    """
    found = profile_of(profile)
    made = policy_set(found, Choices(exempt, odd, fail))
    click.echo(policy_text(made, found), nl=False)
    click.echo(f"{len(made.covered)} rules covered, {len(made.left_out)} left out", err=True)
    for part in made.left_out:
        click.echo(f"left out: {part.rule}: {part.why}", err=True)
    return 0
