# Galen in one image: the server, the bundled documents already indexed, and the embedding model. Needs no network.
#
#   docker build -t galen .
#   docker run -p 7860:7860 -v galen-data:/data galen

FROM python:3.13-slim-trixie AS build
WORKDIR /app
ENV PATH=/opt/venv/bin:$PATH PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 ORT_DISABLE_TELEMETRY=1

COPY requirements-runtime.lock ./
RUN python -m venv /opt/venv && \
    pip install --require-hashes --requirement requirements-runtime.lock

COPY pyproject.toml README.md LICENSE NOTICE ./
COPY app app/
COPY rag rag/
COPY safety safety/
COPY evals evals/
COPY scripts scripts/
COPY data data/
COPY web web/

# Editable, as data/ and web/ are found beside the packages. What only builds is then removed; what runs is compiled
# here, because the running user cannot write beside the code.
RUN pip install --no-deps --no-build-isolation --editable . && \
    pip uninstall --yes setuptools pip && \
    python -m compileall -q app rag safety evals scripts && \
    galen assess "compiles the safety tables" >/dev/null

# The embedding graph and the database that an empty DB_PATH starts from. A -wal file left beside it would mean that
# the one file is not the whole database.
RUN DB_PATH=/app/seed/galen.db CACHE_DIR=/app/cache galen corpus publish && \
    DB_PATH=/app/seed/galen.db CACHE_DIR=/app/cache galen corpus check && \
    test ! -s /app/seed/galen.db-wal && \
    rm -f /app/seed/*.lock /app/seed/*-wal /app/seed/*-shm && \
    chmod -R a+rX /app /opt/venv


FROM python:3.13-slim-trixie
LABEL org.opencontainers.image.title="Galen" \
      org.opencontainers.image.description="Answers health questions from a versioned corpus, with the evidence" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
# onnxruntime sends usage data to its maker unless told otherwise before it is imported.
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 ORT_DISABLE_TELEMETRY=1 \
    SEED_DB=/app/seed/galen.db CACHE_DIR=/app/cache DATA_DIR=/data

COPY --from=build /opt/venv /opt/venv
COPY --from=build /app /app

# Uid 1000 is what Spaces run as. It owns one folder, for a database when /data is absent.
RUN useradd --uid 1000 --no-create-home --home-dir /app/var galen && \
    mkdir -p /app/var && \
    chown 1000:1000 /app/var
USER 1000:1000

EXPOSE 7860
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as u; u.build_opener(u.ProxyHandler({})).open('http://127.0.0.1:%s/api/health' % (os.environ.get('PORT') or 7860), timeout=4)"]
ENTRYPOINT ["/app/scripts/container-entry"]
CMD ["serve"]
