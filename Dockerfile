# The wheel is built in one stage and installed alone in the next: no source, no compiler, no shell needed.
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY webhook ./webhook
RUN python -m pip wheel --no-cache-dir --wheel-dir /wheels .

FROM python:3.11-slim-bookworm
LABEL org.opencontainers.image.title="skyhook-webhook" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /wheels /wheels
RUN python -m pip install --no-cache-dir --no-index --find-links /wheels skyhook-webhook \
    && rm -rf /wheels
USER 65532:65532
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
EXPOSE 9443 8080 8081
ENTRYPOINT ["skyhook-webhook"]
CMD ["serve", "--cert-dir", "/var/run/skyhook-webhook/certs"]
