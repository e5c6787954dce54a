"""A Helm chart of the same objects: what the values choose is marked in them, all else stays as rendered.

A test lets Helm's own engine render the chart and compares with `render`, for many values.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from webhook.documents import dump_yaml
from webhook.manifests.access import evidence
from webhook.manifests.issuing import issuing
from webhook.manifests.options import METRICS_SERVICE, NAME, SETTINGS_FILE, Object, Options, Tls
from webhook.manifests.render import SPARE_SECONDS, render
from webhook.manifests.template import If, Template
from webhook.manifests.values import schema_text, values_text
from webhook.manifests.webhooks import configuration_annotations
from webhook.manifests.workload import SETTINGS_DIGEST, deployment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FOLDER: Final = f"charts/{NAME}"
_MADE: Final = "Made by `skyhook-webhook manifests --format helm`; a test compares. Change the program, not the file."
_SELF_SIGNED: Final = 'eq .Values.tls "self-signed"'
_ASKS: Final = f"or ({_SELF_SIGNED}) .Values.crossCheck"
_MOUNTED: Final = 'ne .Values.tls "self-signed"'
_NAMESPACE: Final = "{{ .Release.Namespace }}"
_IMAGE: Final = (
    "{{ .Values.image.repository }}"
    "{{ with .Values.image.digest }}@{{ . }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}"
)
_ANNOTATIONS: Final = (
    f'{{{{ dict "{SETTINGS_DIGEST}" (toJson .Values.settings | sha256sum)'
    " | merge .Values.podAnnotations | toJson }}"
)
# The chart's `default` would take 0 for nothing.
_TERMINATION: Final = (
    '{{ add (dig "shutdown_delay" 5 .Values.settings | ceil)'
    f' (dig "shutdown_grace" 20 .Values.settings | ceil) {SPARE_SECONDS} }}}}'
)
_CONDITIONS: Final[Mapping[str, str]] = {
    "ResourceQuota": ".Values.quota",
    "PodDisruptionBudget": "gt (int .Values.replicas) 1",
    "NetworkPolicy": ".Values.networkPolicy",
    "clusterrole-nodes.yaml": f"and .Values.crossCheck ({_MOUNTED})",
    "clusterrolebinding-nodes.yaml": f"and .Values.crossCheck ({_MOUNTED})",
    "ClusterRole": _SELF_SIGNED,
    "ClusterRoleBinding": _SELF_SIGNED,
    "Role": _SELF_SIGNED,
    "RoleBinding": _SELF_SIGNED,
    "Issuer": 'eq .Values.tls "cert-manager"',
    "Certificate": 'eq .Values.tls "cert-manager"',
    "ServiceMonitor": ".Values.monitoring",
    "PrometheusRule": ".Values.monitoring",
    "configmap-dashboard.yaml": ".Values.monitoring",
}
"""On which value an object depends, by kind or by file."""


def tree(options: Options) -> dict[str, str]:
    """The chart's files, by their path from the root of the repository. Raises as `render`."""
    files = {
        "Chart.yaml": _about(options),
        "values.yaml": values_text(options),
        "values.schema.json": schema_text(options),
        "templates/NOTES.txt": _NOTES,
    }
    for obj in _objects(options):
        if obj["kind"] != "Namespace":  # Helm's --create-namespace makes it
            files[f"templates/{_file(obj)}"] = _template(obj, options)
    return {f"{FOLDER}/{path}": text for path, text in files.items()}


def _objects(options: Options) -> list[Object]:
    """Every object of every choice, once."""
    everything = replace(options, tls=Tls.SELF_SIGNED, conversion=True, monitoring=True)
    return [*render(everything), *issuing(options), *evidence(options)]


def _file(obj: Object) -> str:
    return f"{obj['kind'].lower()}{obj['metadata']['name'].removeprefix(NAME)}.yaml"


def _template(obj: Object, options: Options) -> str:
    template = Template()
    change = _CHANGES.get(obj["kind"])
    if change is not None:
        change(template, obj, options)
    text = template.text(obj)
    for old, new in (
        (f"namespace: {options.namespace}", f"namespace: {_NAMESPACE}"),
        (f'namespace="{options.namespace}"', f'namespace="{_NAMESPACE}"'),
        (f"doctor -n {options.namespace}", f"doctor -n {_NAMESPACE}"),
        (f"managed-by: {NAME}", "managed-by: {{ .Release.Service }}"),
        (f"version: {options.version}", "version: {{ .Chart.AppVersion | quote }}"),
        (f"{NAME}.{options.namespace}.svc", f"{NAME}.{_NAMESPACE}.svc"),
    ):
        text = text.replace(old, new)
    condition = _CONDITIONS.get(_file(obj)) or _CONDITIONS.get(obj["kind"])
    if condition is None:
        return f"{{{{- /* {_MADE} */ -}}}}\n{text}"
    return f"{{{{- /* {_MADE} */ -}}}}\n{{{{- if {condition} }}}}\n{text}{{{{- end }}}}\n"


def _deployment(template: Template, obj: Object, options: Options) -> None:
    mounted = deployment(replace(options, tls=Tls.MOUNTED))["spec"]["template"]["spec"]
    say = template.expression
    obj["spec"]["replicas"] = say("{{ .Values.replicas }}")
    obj["spec"]["template"]["metadata"]["annotations"] = say(_ANNOTATIONS)
    pod = obj["spec"]["template"]["spec"]
    secrets = say("{{ toJson .Values.imagePullSecrets }}")
    obj["spec"]["template"]["spec"] = {
        "imagePullSecrets": If(".Values.imagePullSecrets", secrets),
        "nodeSelector": If(".Values.nodeSelector", say("{{ toJson .Values.nodeSelector }}")),
        "hostNetwork": If(".Values.hostNetwork", then=True),
        **pod,
        "automountServiceAccountToken": say(f"{{{{ {_ASKS} }}}}"),
        "priorityClassName": say("{{ .Values.priorityClassName }}"),
        "dnsPolicy": say(
            '{{ ternary "ClusterFirstWithHostNet" "ClusterFirst" .Values.hostNetwork }}'
        ),
        "terminationGracePeriodSeconds": say(_TERMINATION),
        **{
            name: say(f"{{{{ toJson .Values.{name} }}}}")
            for name in ("tolerations", "topologySpreadConstraints", "affinity")
        },
    }
    _container(template, pod["containers"][0], mounted["containers"][0])
    pod["volumes"] += _further(pod["volumes"], mounted["volumes"])


def _container(template: Template, container: Object, mounted: Object) -> None:
    say = template.expression
    container["image"] = say(_IMAGE)
    container["imagePullPolicy"] = say("{{ .Values.image.pullPolicy }}")
    container["resources"] = say("{{ toJson .Values.resources }}")
    # Quoted: YAML takes a colon at the end for a map's.
    every = say(
        '{{ ternary "--bind-address=::" "--bind-address=0.0.0.0" .Values.ipv6Only | quote }}'
    )
    host = say('{{ ternary "[::]" "" .Values.ipv6Only }}')
    ports = {
        "https": say("{{ .Values.port }}"),
        "metrics": say("{{ .Values.metricsPort }}"),
        "health": say("{{ .Values.healthPort }}"),
    }
    container["args"] = [
        *container["args"][:2],
        every,
        f"--port={ports['https']}",
        f"--metrics-bind-address={host}:{ports['metrics']}",
        f"--health-probe-bind-address={host}:{ports['health']}",
    ]
    for port in container["ports"]:
        port["containerPort"] = ports[port["name"]]
    container["env"] = [
        *(one for one in container["env"] if one["name"] != "SKYHOOK_WEBHOOK_TLS"),
        {
            "name": "SKYHOOK_WEBHOOK_TLS",
            "value": say(f'{{{{ ternary "self-signed" "folder" ({_SELF_SIGNED}) }}}}'),
        },
        *_further(container["env"], mounted["env"]),
    ]
    container["volumeMounts"] += _further(container["volumeMounts"], mounted["volumeMounts"])


def _further(here: list[Object], mounted: list[Object]) -> list[If]:
    """What only mounted certificates need."""
    names = {item["name"] for item in here}
    return [If(_MOUNTED, item) for item in mounted if item["name"] not in names]


def _network(template: Template, obj: Object, options: Options) -> None:
    del template, options
    obj["spec"]["egress"] = If(_ASKS, obj["spec"]["egress"], [])


def _metrics(template: Template, obj: Object, options: Options) -> None:
    if obj["metadata"]["name"] == METRICS_SERVICE:
        del options
        obj["spec"]["ports"][0]["port"] = template.expression("{{ .Values.metricsPort }}")


def _quota(template: Template, obj: Object, options: Options) -> None:
    del options
    match = obj["spec"]["scopeSelector"]["matchExpressions"][0]
    match["values"] = [template.expression("{{ .Values.priorityClassName }}")]


def _settings(template: Template, obj: Object, options: Options) -> None:
    del options
    if SETTINGS_FILE in obj["data"]:
        text = template.expression("|\n{{ toYaml .Values.settings | indent 4 }}")
        obj["data"][SETTINGS_FILE] = text


def _cluster_role(template: Template, obj: Object, options: Options) -> None:
    del template, options
    verbs = obj["rules"][1]["verbs"]
    obj["rules"][1]["verbs"] = [
        If(".Values.conversion", verb) if verb == "patch" else verb for verb in verbs
    ]


def _webhooks(template: Template, obj: Object, options: Options) -> None:
    namespace = template.expression(_NAMESPACE)
    everything = replace(options, tls=Tls.CERT_MANAGER, namespace=namespace)
    annotations = configuration_annotations(everything)
    obj["metadata"]["annotations"] = {
        name: If(_CONDITIONS["Issuer"], value) if name.startswith("cert-manager") else value
        for name, value in annotations.items()
    }
    for webhook in obj["webhooks"]:
        webhook["timeoutSeconds"] = template.expression("{{ .Values.timeoutSeconds }}")
        webhook["clientConfig"]["service"]["namespace"] = namespace
        if webhook["name"].startswith("validate-spec."):
            fail = '{{ ternary "Fail" "Ignore" .Values.failSpecs }}'
            webhook["failurePolicy"] = template.expression(fail)


def _rule(template: Template, obj: Object, options: Options) -> None:
    """The one threshold that a value decides."""
    slow = "{{ divf .Values.timeoutSeconds 3 }}"
    for alert in obj["spec"]["groups"][0]["rules"]:
        if alert["alert"].endswith("Slow"):
            fixed = f"> {options.timeout_seconds / 3:g}"
            alert["expr"] = alert["expr"].replace(fixed, f"> {template.expression(slow)}")


_CHANGES: Final[Mapping[str, Callable[[Template, Object, Options], None]]] = {
    "ClusterRole": _cluster_role,
    "ConfigMap": _settings,
    "Deployment": _deployment,
    "MutatingWebhookConfiguration": _webhooks,
    "NetworkPolicy": _network,
    "PrometheusRule": _rule,
    "ResourceQuota": _quota,
    "Service": _metrics,
    "ValidatingWebhookConfiguration": _webhooks,
}


def _about(options: Options) -> str:
    about = {
        "apiVersion": "v2",
        "name": NAME,
        "description": "Keeps the lifecycle of Skyhook and NodeWright objects honest",
        "type": "application",
        "version": options.version,
        "appVersion": options.version,
        # Optional fields in matchConditions: CEL's optional types.
        "kubeVersion": ">=1.29.0-0",
        "keywords": ["admission-webhook", "skyhook", "nodewright"],
    }
    return f"# {_MADE}\n{dump_yaml(about)}"


_NOTES: Final = """\
skyhook-webhook {{ .Chart.AppVersion }} in {{ .Release.Namespace }}, mode {{ .Values.settings.mode | default "enforce" }}.

  kubectl -n {{ .Release.Namespace }} rollout status deployment/skyhook-webhook
  skyhook-webhook doctor -n {{ .Release.Namespace }}

Before `helm uninstall`, where v1beta1 was switched on, put the CRDs back: docs/removal.md.
{{- if gt 2 (int .Values.replicas) }}

One replica: while it is away nothing is guarded, and with v1beta1 served plain reads fail. Two are better.
{{- end }}
"""
