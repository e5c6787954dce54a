"""`manifests crd`: the operator's CRDs with our second version, and back; also Helm's post-renderer."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webhook.catalog import Catalog
from webhook.cli.dumps import objects, reach
from webhook.cli.failures import CallerError
from webhook.conversions.crd import CrdError
from webhook.documents import dump_yaml
from webhook.manifests.access import CRDS
from webhook.manifests.crds import Step, converted_kinds, is_ours, require_bundle, stepped
from webhook.manifests.options import NAMESPACE

if TYPE_CHECKING:
    from collections.abc import Iterable

CLUSTER = "cluster"


@click.command()
@click.option(
    "--from",
    "source",
    required=True,
    metavar="FILE|-|cluster",
    help="A file or stream of any objects, or the CRDs of the cluster.",
)
@click.option(
    "--serve",
    "step",
    flag_value=Step.SERVE.value,
    help="Serve v1beta1; from the cluster only when its caBundle is there.",
)
@click.option(
    "--unserve",
    "step",
    flag_value=Step.UNSERVE.value,
    help="Serve v1alpha1 alone: nothing calls /convert any more.",
)
@click.option(
    "--remove",
    "step",
    flag_value=Step.REMOVE.value,
    help="Take v1beta1 out and put the conversion back that was there.",
)
@click.option("--cert-manager", is_flag=True, help="Let cert-manager write the caBundle.")
@click.option("-n", "--namespace", default=NAMESPACE, show_default=True, help="Of our Service.")
@click.option(
    "--kubeconfig",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Default: KUBECONFIG, or the Pod's own.",
)
@click.option("--context", help="Context of the kubeconfig.")
def crd(
    source: str,
    step: str | None,
    cert_manager: bool,
    namespace: str,
    kubeconfig: Path | None,
    context: str | None,
) -> int:
    """Add v1beta1 to the operator's CRDs, not served yet; everything else of a stream passes as it is.

    \b
    skyhook-webhook manifests crd --from cluster            | kubectl replace -f -
    skyhook-webhook manifests crd --from cluster --serve    | kubectl replace -f -
    skyhook-webhook manifests crd --from cluster --unserve  | kubectl replace -f -
    skyhook-webhook manifests crd --from cluster --remove   | kubectl replace -f -
    helm upgrade … --post-renderer skyhook-webhook --post-renderer-args manifests,crd,--from,-
    """  # noqa: D301 - click reads it
    kinds = converted_kinds(Catalog.default())
    live = source == CLUSTER
    found = asyncio.run(_stored(namespace, kubeconfig, context)) if live else list(objects(source))
    wanted = Step(step or Step.ADD)
    changed = 0
    texts = []
    for obj in found:
        if is_ours(obj, kinds):
            changed += 1
            obj = _after(obj, wanted, namespace, kinds, cert_manager, live)  # noqa: PLW2901
        texts.append(dump_yaml(obj))
    if not changed:
        message = f"{source}: none of {', '.join(CRDS)} is there"
        if live:
            raise CallerError(message)
        click.echo(f"skyhook-webhook: {message}; everything passes as it is", err=True)
    click.echo("---\n".join(texts), nl=False)
    return 0


def _after(
    obj: dict[str, Any],
    step: Step,
    namespace: str,
    kinds: frozenset[tuple[str, str]],
    inject: bool,
    live: bool,
) -> dict[str, Any]:
    try:
        if live and step is Step.SERVE:
            require_bundle(obj)
        return stepped(obj, step, namespace=namespace, kinds=kinds, inject=inject)
    except CrdError as error:
        raise CallerError(str(error)) from None


async def _stored(
    namespace: str, kubeconfig: Path | None, context: str | None
) -> Iterable[dict[str, Any]]:
    from webhook.certs.cluster import ClusterError, Kind

    async with reach(namespace, kubeconfig, context) as cluster:
        try:
            return [one for name in CRDS for one in await cluster.get(f"{Kind.CRD.path}/{name}")]
        except ClusterError as error:
            raise CallerError(str(error)) from None
