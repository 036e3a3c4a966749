# Everything a person or a CI machine does with Cardscape. `make help` lists it.

CARGO ?= cargo
VENV  := .venv
# Cards in the catalogues that `make bench` measures: sizes with commas between them.
CARDS := 20000,1000000
# Only the rows of the cost table whose names contain this.
ROW   :=
# `make browser`: only the checks of CI, and only the pages of these names.
QUICK :=
ONLY  :=
# One target directory for everything; honour one that is set from outside.
TARGET := $(or $(CARGO_TARGET_DIR),target)
# The programs of the repository, with the features that tests need as well: what these build is not built again for them.
BUILD  := $(CARGO) build --workspace --locked --bins --examples
# Features of the shipped program; they take minutes to compile.
SHIPPED := --features jemalloc
# The sources with marks on all words of the pages.
PSEUDO := $(TARGET)/pseudo
# The seconds of each test of the last `make test`.
TIMES  := $(abspath $(TARGET))/test-times
# Runs tests and adds their seconds to that file.
TESTS  := $(CARGO) test --workspace --locked --no-fail-fast --config 'target."cfg(unix)".runner = ["scripts/timed-tests.sh", "$(TIMES)"]'

# 1: clippy builds the programs, and the libraries with their tests, and refuses what it warns of, so that nothing is compiled once for it and once to be run.
LINTED ?=
# Only what tests run: clippy's compiler leaves some optimisations out.
ifneq ($(LINTED),)
test fuzz clients browser programs: export RUSTC_WORKSPACE_WRAPPER := $(abspath scripts/lint.sh)
# How cargo passes the arguments of `cargo clippy -- -D warnings` on.
test fuzz clients browser programs: export CLIPPY_ARGS := -D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
endif

# Many tests wait for locks, time limits or the disk: with one thread for each core, a third of the processors' time is unused.
test: export RUST_TEST_THREADS ?= $(shell echo $$((2 * $$(nproc))))

.PHONY: help run release programs test bench bench-paths bench-import bench-pages tour fuzz clients browser browser-words openapi pages schema fmt postgres pgbouncer tools

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 16

run:  ## build and run the service with its own private Postgres, seeded
	@echo "Step 1 of 3: PostgreSQL, which is installed if it is missing"
	@scripts/install-postgres.sh
	@echo "Step 2 of 3: building the service"
	@scripts/build.sh '$(CARGO)'
	@echo "Step 3 of 3: starting the service: the first time it makes its database, migrates it and loads seed-data/; then it shows its address"
	@$(TARGET)/quick/cardscape serve

release:  ## build the program as it is shipped, optimised across crates: target/release/cardscape
	$(CARGO) build --release --locked $(SHIPPED) --bin cardscape

programs:
	@# The tests in the same call: otherwise a core has nothing to do while the front end of the compiler reads the large library. No test runs the benchmarks: they
	@# are only built where that is how they are linted.
	$(BUILD) --tests $(if $(LINTED),--benches)

test: postgres pgbouncer  ## everything that must hold: formatting, lints, all tests; prints the ten slowest
	$(CARGO) fmt --all --check
	$(if $(LINTED),,$(CARGO) clippy --workspace --all-targets --locked -- -D warnings)
	@# Empty, and there also if no program of tests can print times.
	@mkdir -p '$(dir $(TIMES))' && : >'$(TIMES)'
	@# One of the tests plays the tour, an example.
	@$(MAKE) --no-print-directory programs
	@# One after the other: tests that wait for services and time limits fail on processors that other tests use, and those of processes,
	@# which start many, take fewer threads. A failure does not end the others. The tests of the documentation come last, so that the output ends with the closing lines of the test runner.
	@failed=0; \
	$(TESTS) --lib --bins --test '[!p]*' || failed=$$?; \
	RUST_TEST_THREADS=$$(nproc) $(TESTS) --test 'p*' || failed=$$?; \
	scripts/timed-tests.sh '$(TIMES)' || failed=$$?; \
	$(CARGO) test --workspace --locked --doc || failed=$$?; \
	exit $$failed

fuzz: postgres $(VENV)/bin/schemathesis  ## fuzz a running service from its own OpenAPI document
	$(BUILD)
	$(VENV)/bin/python scripts/fuzz.py $(TARGET)/debug/cardscape

clients: postgres $(VENV)/bin/schemathesis  ## generate clients from the OpenAPI document, and play the tour's story with them
	@scripts/install-node.sh
	$(BUILD)
	$(VENV)/bin/python scripts/clients.py $(TARGET)/debug/cardscape $(TARGET)/clients

browser: postgres $(VENV)/bin/playwright  ## look at the pages with Chromium: screenshots, axe, keyboard, paper; QUICK=1 makes fewer checks, ONLY=home,card takes some pages
	@scripts/install-browser.sh
	$(BUILD)
	$(VENV)/bin/python scripts/browser.py $(if $(QUICK),--quick) $(if $(ONLY),--only $(ONLY)) $(TARGET)/debug/cardscape $(TARGET)/browser
	$(if $(QUICK)$(ONLY),,$(MAKE) browser-words)

browser-words: postgres $(VENV)/bin/playwright  ## find text of pages that stands in no file of words: all words have marks there
	@scripts/install-browser.sh
	$(VENV)/bin/python scripts/pseudo_words.py . $(PSEUDO)
	@# A wrapper makes cargo rebuild only the crates of the workspace.
	cd $(PSEUDO) && RUSTC_WORKSPACE_WRAPPER=/usr/bin/env $(BUILD) --target-dir $(abspath $(TARGET))
	@# The next build puts the program back that is made of the sources as they are.
	mv $(TARGET)/debug/cardscape $(PSEUDO)/cardscape
	$(VENV)/bin/python scripts/browser.py --words $(if $(ONLY),--only $(ONLY)) $(PSEUDO)/cardscape $(PSEUDO)/screenshots

bench: postgres  ## what every operation costs, into docs/PERFORMANCE.md; ROW="submit a serial" prints some rows, CARDS=20000 takes one size
	$(CARGO) bench --locked -p cardscape $(SHIPPED) --bench service -- --cards $(CARDS) $(if $(ROW),--only "$(ROW)")
	$(if $(ROW),,$(MAKE) bench-pages)

bench-paths: postgres  ## the engine, the effect-text tools, and the main reads beside the very statements that the service runs
	$(CARGO) bench --locked -p cardscape-engine --bench validate
	$(CARGO) bench --locked -p cardscape $(SHIPPED) --bench effects
	$(CARGO) bench --locked -p cardscape $(SHIPPED) --bench service -- --paths --cards 20000

bench-import: postgres  ## seconds that imports of 100,000 and 1,000,000 cards take
	$(CARGO) bench --locked -p cardscape $(SHIPPED) --bench service -- --import 100000,1000000

bench-pages: postgres $(VENV)/bin/playwright  ## pages beside the answers of the API that they are made of, and how soon a phone shows them, into docs/PERFORMANCE.md
	$(CARGO) bench --locked -p cardscape $(SHIPPED) --bench service -- --pages --cards 20000
	@scripts/install-browser.sh
	@# Reported, and never a reason to fail.
	-$(VENV)/bin/python scripts/browser.py --times docs/PERFORMANCE.md $(TARGET)/release/cardscape $(TARGET)/browser

tour: postgres  ## play the main job against a running service, or one started for it
	$(BUILD)
	@$(TARGET)/debug/examples/tour

openapi:  ## write openapi/openapi.json and the table of scopes in docs/API.md
	CARDSCAPE_UPDATE=1 $(CARGO) test --quiet --locked --test api -- the_committed_document the_scope_table

pages:  ## write the generated parts of docs/GAMES.md, docs/VIOLATIONS.md and crates/engine/schema
	CARDSCAPE_UPDATE=1 $(CARGO) test --quiet --locked -p cardscape-engine --test engine games_page::the_generated_parts
	CARDSCAPE_UPDATE=1 $(CARGO) test --quiet --locked -p cardscape-engine --test engine violations_page
	CARDSCAPE_UPDATE=1 $(CARGO) test --quiet --locked -p cardscape-engine --test engine json_schema::the_shipped_schema
	CARDSCAPE_UPDATE=1 $(CARGO) test --quiet --locked --test cli deck::the_output_in_the_documentation

schema: postgres  ## write src/store/db/schema.rs from the migrations
	CARDSCAPE_UPDATE=1 $(CARGO) test --quiet --locked --test api schema_rs_is

fmt:  ## format the code
	$(CARGO) fmt --all

postgres:  ## install PostgreSQL when it is missing
	@# What needs this target starts a private Postgres, whatever DATABASE_URL says (the tour: if no service runs).
	@env -u DATABASE_URL scripts/install-postgres.sh

tools: postgres pgbouncer $(VENV)/bin/schemathesis $(VENV)/bin/playwright  ## install what tests and the checks of the service need, when it is missing
	@scripts/install-node.sh
	@scripts/install-browser.sh

pgbouncer:  ## install PgBouncer, which tests run the service through, when it is missing
	@scripts/install-pgbouncer.sh

$(VENV)/bin/schemathesis: scripts/requirements.txt
	scripts/install-python.sh $(VENV)
	touch $@

$(VENV)/bin/playwright: scripts/requirements-browser.txt
	scripts/install-python.sh $(VENV) $<
	touch $@
