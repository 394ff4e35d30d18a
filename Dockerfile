# Plumbline in a container. Where it was written it was built and started by Buildah of Debian, on a base with the same Node
# (.ci/image-debian): the registry of the base below cannot be reached there. A test runs its commands in a bare folder
# (test/deploy/container.test.ts).
#
#   docker build --build-arg REVISION=$(git rev-parse HEAD) -t plumbline .
#   docker run -p 127.0.0.1:8080:8080 -v plumbline:/data -v heads:/heads plumbline
#
# The base is the Node of package.json, by its exact version. Which bytes a version has only a registry can say: a release reads their
# digest there, builds from it (BASE), and writes it into release.json.
ARG BASE=node:24.21.0-bookworm-slim

FROM ${BASE} AS service
WORKDIR /source
COPY package.json package-lock.json ./
# Peers are what others of our packages can work with and we do not use (Redis).
RUN npm ci --omit=dev --omit=peer --ignore-scripts --no-progress --no-audit --no-fund
COPY LICENSE CHANGELOG.md ./
COPY core core
COPY plugins plugins
COPY runtime runtime
COPY http http
COPY mcp mcp
# One file for each program in place of two thousand modules: it starts in two thirds of the processor time and holds a quarter less
# memory. What holds machine code is not part of it (`native` in runtime/release/service.ts, and DuckDB with what it needs).
RUN node runtime/release/service.ts /app && cp -RL node_modules/@electric-sql node_modules/@resvg node_modules/@duckdb node_modules/detect-libc /app/node_modules/

FROM ${BASE}
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Plumbline" \
    org.opencontainers.image.description="A verifiable data service for decentralized physical infrastructure networks and the physical world" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATA_DIR=/data/data \
    LOG_HEAD_DIR=/heads \
    NODE_COMPILE_CACHE=/tmp/compile-cache \
    LOG_FORMAT=json
WORKDIR /app
# `plumbline notary` asks this program for a second opinion on certificates; the slim image has only the library.
RUN apt-get update && apt-get install -y --no-install-recommends openssl && rm -rf /var/lib/apt/lists/*
COPY --from=service /app ./
COPY README.md SECURITY.md ./
# What the demo plays.
COPY fixtures fixtures
RUN mkdir -p /data /heads node_modules/.cache && chown node:node /data /heads node_modules/.cache
USER node
# Two: a copy of the data that takes the heads with it cannot tell that it is old.
VOLUME ["/data", "/heads"]
EXPOSE 8080
# By the shell: a Node that starts every ten seconds costs more than the service at rest.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["bash", "-c", "exec 3<> /dev/tcp/127.0.0.1/$PORT && printf 'GET /health HTTP/1.1\\r\\nHost: 127.0.0.1:%s\\r\\nConnection: close\\r\\n\\r\\n' $PORT >&3 && read -r _ status _ <&3 && [[ $status == 200 ]]"]
# Not npm: signals must reach the service.
ENTRYPOINT ["node", "runtime/plumbline.js"]
CMD ["serve"]
