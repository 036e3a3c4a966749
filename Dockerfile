# The service as a container, for a Postgres of your own. compose.yaml brings one along.
#
#   docker build -t cardscape .
#   docker run --rm cardscape --help

FROM rust:1.95-bookworm AS build
WORKDIR /build
COPY Cargo.toml Cargo.lock build.rs ./
COPY crates crates
COPY migrations migrations
COPY src src
RUN cargo build --release --locked --bin cardscape

FROM debian:bookworm-slim
# The directory of the key file. A new named volume that is mounted here takes over owner and mode.
RUN useradd --system --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin cardscape \
    && install -d -o cardscape -g cardscape -m 0700 /var/lib/cardscape
COPY --from=build /build/target/release/cardscape /usr/local/bin/cardscape
COPY seed-data /usr/local/share/cardscape/seed-data
COPY LICENSE LICENSE-APACHE LICENSE-MIT /usr/local/share/doc/cardscape/
USER cardscape
WORKDIR /var/lib/cardscape
# There is no PostgreSQL in here: DATABASE_URL must be set when the container is run, and the key file must exist
# (docs/OPERATIONS.md, "Docker").
ENV CARDSCAPE_LISTEN=0.0.0.0:8080 \
    CARDSCAPE_KEYS_FILE=/var/lib/cardscape/keys.json \
    CARDSCAPE_SEED_DATA=/usr/local/share/cardscape/seed-data
EXPOSE 8080
# The slim image has no HTTP client, but its bash can open a connection.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /readyz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r -u 3 _ status _ && [ \"$status\" = 200 ]"]
ENTRYPOINT ["cardscape"]
CMD ["serve"]
