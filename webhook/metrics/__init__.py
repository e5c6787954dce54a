"""What the server counts, for Prometheus. No label holds a name, a user, a uid or an error text."""

from __future__ import annotations

from webhook.metrics.certificates import CertificateMetrics, CrossCheckMetrics
from webhook.metrics.series import CONTENT_TYPE, Metrics

__all__ = ["CONTENT_TYPE", "CertificateMetrics", "CrossCheckMetrics", "Metrics"]
