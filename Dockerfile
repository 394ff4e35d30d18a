# Plumbline in a container. This file was not built where it was written, because there was no container engine; a test runs
# its commands in a bare folder (test/deploy/container.test.ts).
#
#   docker build -t plumbline .
#   docker run -p 127.0.0.1:8080:8080 -v plumbline:/data plumbline
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-progress

FROM node:24-bookworm-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATA_DIR=/data/data \
    LOG_HEAD_DIR=/data/heads \
    NODE_COMPILE_CACHE=/tmp/compile-cache \
    LOG_FORMAT=json
WORKDIR /app
# `plumbline notary` asks this program for a second opinion on certificates; the slim image has only the library.
RUN apt-get update && apt-get install -y --no-install-recommends openssl && rm -rf /var/lib/apt/lists/*
COPY --from=packages /app/node_modules node_modules
# The lock file is part of the code hash of every run.
COPY package.json package-lock.json LICENSE CHANGELOG.md ./
COPY core core
COPY plugins plugins
COPY runtime runtime
COPY http http
COPY mcp mcp
COPY fixtures fixtures
RUN mkdir -p /data node_modules/.cache && chown node:node /data node_modules/.cache
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Not npm: signals must reach the service.
ENTRYPOINT ["node", "runtime/bin.ts"]
CMD ["serve"]
