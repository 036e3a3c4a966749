# The service as a container, for a Postgres of your own. compose.yaml brings one along.
#
#   docker build -t cardscape .
#   docker run --rm cardscape --help

FROM rust:1.95-bookworm AS build
WORKDIR /build
COPY Cargo.toml Cargo.lock askama.toml build.rs ./
COPY crates crates
# The service serves its guides.
COPY docs docs
COPY migrations migrations
COPY src src
RUN cargo build --release --locked --features jemalloc --bin cardscape
COPY seed-data share/cardscape/seed-data
COPY LICENSE LICENSE-APACHE LICENSE-MIT share/doc/cardscape/
# The files have the modes of the checkout, which a strict umask makes unreadable for the user below.
RUN chmod -R a+rX share

FROM debian:bookworm-slim
# The authorities whose certificates webhooks and connections to the database trust, and the emoji of pictures that are drawn as PNG.
RUN apt-get update \
    && apt-get install -qy --no-install-recommends ca-certificates fonts-noto-color-emoji \
    && rm -rf /var/lib/apt/lists/*
# The directory of the key file. A new named volume that is mounted here takes over owner and mode.
RUN useradd --uid 10001 --user-group --home-dir /var/lib/cardscape --no-create-home --shell /usr/sbin/nologin cardscape \
    && install -d -o cardscape -g cardscape -m 0700 /var/lib/cardscape
COPY --from=build /build/target/release/cardscape /usr/local/bin/cardscape
COPY --from=build /build/share /usr/local/share
# As a number, so that an orchestrator can tell that it is not root.
USER 10001:10001
WORKDIR /var/lib/cardscape
# There is no PostgreSQL in here: DATABASE_URL must be set when the container is run, and the key file must exist
# (docs/OPERATIONS.md, "Docker").
ENV CARDSCAPE_LISTEN=0.0.0.0:8080 \
    CARDSCAPE_DATA_DIR=/var/lib/cardscape \
    CARDSCAPE_KEYS_FILE=/var/lib/cardscape/keys.json \
    CARDSCAPE_SEED_DATA=/usr/local/share/cardscape/seed-data
EXPOSE 8080
# The slim image has no HTTP client, but its bash can open a connection. The address is the container's own, the port the one that
# CARDSCAPE_LISTEN names.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/${CARDSCAPE_LISTEN##*:} && printf 'GET /readyz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r -u 3 _ status _ && [ \"$status\" = 200 ]"]
ENTRYPOINT ["cardscape"]
CMD ["serve"]
