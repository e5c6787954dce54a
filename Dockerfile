# Three stages: wheels by their hashes and our own; an environment of them alone, without network; and an image
# that holds the environment and nothing else of ours. The last one runs no command, so it needs no shell, no
# pip and no compiler, and works with a read-only root and any user.
#
# A release gives the digest of its base:  docker build --build-arg PYTHON=python@sha256:… .
ARG PYTHON=python:3.11-slim-bookworm

FROM ${PYTHON} AS wheels
WORKDIR /src
COPY image/requirements.lock image/build.lock ./image/
RUN python -m pip download --no-cache-dir --no-deps --only-binary=:all: --require-hashes \
      --dest /wheels --requirement image/requirements.lock
RUN python -m venv /build \
    && /build/bin/python -m pip install --no-cache-dir --no-deps --only-binary=:all: --require-hashes \
      --requirement image/build.lock
COPY pyproject.toml README.md LICENSE ./
COPY webhook ./webhook
RUN /build/bin/python -m hatchling build --target wheel --directory /wheels

FROM ${PYTHON} AS environment
COPY --from=wheels /wheels /wheels
RUN python -m venv /opt/skyhook-webhook \
    && /opt/skyhook-webhook/bin/python -m pip install --no-cache-dir --no-index --find-links /wheels skyhook-webhook \
    && /opt/skyhook-webhook/bin/python -m pip check \
    && /opt/skyhook-webhook/bin/python -m pip uninstall --yes setuptools pip

FROM ${PYTHON}
LABEL org.opencontainers.image.title="skyhook-webhook" \
      org.opencontainers.image.description="Keeps the lifecycle of Skyhook and NodeWright objects honest" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=environment /opt/skyhook-webhook /opt/skyhook-webhook
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER 65532:65532
EXPOSE 9443 8080 8081
ENTRYPOINT ["/opt/skyhook-webhook/bin/skyhook-webhook"]
CMD ["serve", "--cert-dir", "/var/run/skyhook-webhook/certs"]
