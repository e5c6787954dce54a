"""``python -m webhook`` is ``skyhook-webhook``."""

from webhook.cli import main

raise SystemExit(main())
