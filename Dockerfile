# The gateway as an image: `docker build .`, with the sandbox `docker build --target sandbox .`. See docs/deployment.md.
#
# What runs is a root file system with Node, the system libraries that Node loads, and the gateway: no shell, no package
# manager. Everything is built in the stages before it, from one base.
ARG NODE_IMAGE=node:24-bookworm-slim

# Manifests and lock files of the parts, cut from the repository's own. They change when a dependency does, and with
# them the layers below.
FROM ${NODE_IMAGE} AS manifests
WORKDIR /build
COPY package.json package-lock.json LICENSE ./
COPY packages/console/package.json packages/console/
COPY packages/contract/package.json packages/contract/
COPY packages/sandbox/package.json packages/sandbox/
COPY packages/server/package.json packages/server/
COPY packages/tokens/package.json packages/tokens/
COPY tools/write-part.ts tools/
COPY tools/production tools/production
RUN for part in gateway sandbox build; do node tools/write-part.ts "$part" "/parts/$part"; done

# The pages, and the gateway's programs, each with all that it loads at its start in few files.
#
# npm's settings, such as another registry, come as a secret (`--secret id=npmrc,src=FILE`) and stay in no layer. No
# package runs a script of its own.
FROM ${NODE_IMAGE} AS build
ENV NODE_ENV=production NPM_CONFIG_USERCONFIG=/run/secrets/npmrc
WORKDIR /build
COPY --from=manifests /parts/build ./
RUN --mount=type=secret,id=npmrc npm ci --include=dev --ignore-scripts --no-audit --no-fund
COPY tsconfig.base.json ./
COPY packages/contract packages/contract
COPY packages/console packages/console
COPY docs/*.md docs/
RUN cd packages/console && node ../../node_modules/vite/bin/vite.js build --logLevel warn
COPY packages/tokens packages/tokens
COPY packages/server/build packages/server/build
COPY packages/server/src packages/server/src
RUN node packages/server/build/bundle.mjs

# Programs that have the sandbox, too.
FROM build AS sandbox-build
COPY packages/sandbox/src packages/sandbox/src
RUN node packages/server/build/bundle.mjs

# Of a package's files Node loads neither types and sources in TypeScript nor maps. What describes it is not read here
# either; its licence stays.
FROM ${NODE_IMAGE} AS gateway-packages
ENV NODE_ENV=production NPM_CONFIG_USERCONFIG=/run/secrets/npmrc
WORKDIR /opt/svc
COPY --from=manifests /parts/gateway ./
RUN --mount=type=secret,id=npmrc npm ci --ignore-scripts --no-audit --no-fund \
 && npm sbom --package-lock-only --sbom-format cyclonedx >sbom.cdx.json \
 && find . -path '*/node_modules/*' -type f \
    \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' -o -name '*.tsbuildinfo' \
    -o -iname 'readme*.md' -o -iname 'changelog*.md' -o -iname 'history.md' \) -delete

FROM ${NODE_IMAGE} AS sandbox-packages
ENV NODE_ENV=production NPM_CONFIG_USERCONFIG=/run/secrets/npmrc
WORKDIR /opt/svc
COPY --from=manifests /parts/sandbox ./
RUN --mount=type=secret,id=npmrc npm ci --ignore-scripts --no-audit --no-fund \
 && npm sbom --package-lock-only --sbom-format cyclonedx >sbom.cdx.json \
 && find . -path '*/node_modules/*' -type f \
    \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' -o -name '*.tsbuildinfo' \
    -o -iname 'readme*.md' -o -iname 'changelog*.md' -o -iname 'history.md' \) -delete

# Node and what it loads, with the licence of each library and its entry for scanners.
FROM ${NODE_IMAGE} AS system
COPY deploy/image/collect-system.sh /
RUN sh /collect-system.sh /system

# What both images have: the gateway's data, its pages, and how it is started and asked.
FROM scratch AS gateway-files
COPY --from=system /system /
COPY CHANGELOG.md LICENSE /opt/svc/
COPY packages/server/data /opt/svc/packages/server/data
COPY packages/server/migrations /opt/svc/packages/server/migrations
COPY --from=build /build/packages/console/dist /opt/svc/packages/console/dist
WORKDIR /opt/svc
ENV PATH=/usr/local/bin \
    NODE_ENV=production \
    NODE_OPTIONS=--disable-warning=ExperimentalWarning \
    SVC_HOST=0.0.0.0 \
    SVC_DATA_DIR=/var/lib/svc/data \
    SVC_ADMIN_PORT=9787
USER 10001:10001
VOLUME /var/lib/svc
EXPOSE 8787 9787
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=90s --retries=3 \
    CMD ["/usr/local/bin/node", "packages/server/dist/probe.js"]
ENTRYPOINT ["/usr/local/bin/node", "packages/server/dist/main.js"]
ARG SVC_VERSION=0.1.0
ARG SVC_REVISION=unknown
LABEL org.opencontainers.image.title="SVC" \
      org.opencontainers.image.description="Prepaid inference gateway" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${SVC_VERSION}" \
      org.opencontainers.image.revision="${SVC_REVISION}"

# With the built-in upstream and its media, to try clients against. It is test money.
FROM gateway-files AS sandbox
COPY --from=sandbox-packages /opt/svc /opt/svc
COPY --from=sandbox-build /build/packages/server/dist /opt/svc/packages/server/dist

# The last stage is what `docker build` makes without a target.
FROM gateway-files AS gateway
COPY --from=gateway-packages /opt/svc /opt/svc
COPY --from=build /build/packages/server/dist /opt/svc/packages/server/dist
