# Run `make` to list the targets; CONTRIBUTING.md describes them.
PREFIX ?= /usr/local
DESTDIR ?=
# Statically linked, the programs run on a machine without Swift, and inside the service test's container.
STATIC = -c release --static-swift-stdlib
RELEASE = .build/release
TEST = swift test --skip-build
RX_TESTS = ^Rx(Blocking|Test|Foundation|Traits|Action|Reactor|Todo)?Tests
DAEMON_TESTS = TodoDaemonTests|RxProcessTests|RxJqTests|RxConfigurationTests
# What waits on Swift's own threads, which tests that compute would hold.
CLIENT_TESTS = rxctlTests|^JqTests|^RxClientTests
SUDO = $(if $(filter 0,$(shell id -u)),,sudo)
# Builds need the first two lines, tests the third.
PACKAGES = make g++ libsimdjson-dev libtomlplusplus-dev libsystemd-dev libsqlite3-dev \
	libre2-dev libjq-dev libonig-dev libjemalloc-dev \
	procps systemd systemd-container systemd-journal-remote dbus socat jq python3 python3-jsonpatch python3-pip \
	tzdata mandoc tmux less
BENCH_PACKAGES = redis-server redis-tools

.PHONY: help deps bench-deps build build-tests release demo examples test long-test unit-test test-rx \
	test-host test-daemon test-commands test-programs effort check recipes cycles docs service-test protocol \
	streams-page long-builds build-tsan build-examples man compatibility vocabulary migration migration-test \
	patches python oracle overflow schema-suite chaos chaos-disk chaos-log chaos-streams chaos-fair soak bench \
	instructions install uninstall tsan tsan-rx release-test trace clean

help: ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

deps: ## install the Debian packages that are missing
	@.ci/packages $(PACKAGES)

bench-deps:
	@.ci/packages $(PACKAGES) $(BENCH_PACKAGES)

build: ## the programs, for development
	swift build

release: ## the programs, as they are installed
	swift build $(STATIC) --product rxd
	swift build $(STATIC) --product rxctl

demo: deps ## see it work, on a private socket
	examples/demo/demo.sh

recipes: deps build ## follow the recipes in docs/recipes, and run the scripts in examples/jobs, with a real daemon
	BIN=.build/debug Tests/recipes/run
	.ci/jobs

build-examples:
	swift build --package-path Examples/EmbeddedDaemon --scratch-path .build-examples

examples: deps ## build and run the example daemons, and packages that use the products
	.ci/examples
	.ci/third-package
	.ci/rx-alone

test: deps build-tests unit-test check recipes demo ## all tests in Swift, the checks, the recipes, and the demo

# Needs builds of its own (DocC, ThreadSanitizer, release, a package that uses the products) or more time.
long-test: export RX_KILLS ?= 10
long-test: export RX_RELOADS ?= 50
long-test: export RX_FLIPS ?= 150
long-test: export RX_CRON ?= 500
long-test: export RX_CALENDAR ?= 25
long-test: export RX_FILES ?= 200000
long-test: deps docs long-builds compatibility patches python oracle examples ## what else CI runs
long-test: chaos chaos-disk chaos-log chaos-streams tsan-rx service-test

# A build leaves most of a second core unused, because modules wait for those that they import. So two run at a time,
# each in a folder of its own.
long-builds: deps ## what long-test builds for later, `migration`, and `vocabulary`
	swift package resolve
	$(MAKE) --jobs=2 --output-sync=target release migration build-tsan vocabulary build-examples

# Everything for development in one build, which also checks that modules import only what they depend on.
build-tests:
	swift build --build-tests --explicit-target-dependency-import-check error

# Several processes: tests that compute would slow down those that wait for programs, and jq is for one thread.
# Tests that start threads or programs run a few at a time: see OwnThreads in Tests/TestSupport.
unit-test: build-tests test-rx test-host test-daemon test-commands test-programs ## all tests in Swift

# Each of these runs the tests as they were last built; .ci/repeat runs them many times.
test-rx:
	$(TEST) --filter "$(RX_TESTS)"
test-host:
	$(TEST) --skip "$(RX_TESTS)" --skip "$(DAEMON_TESTS)" --skip "$(CLIENT_TESTS)|EndToEndTests"
test-daemon:
	$(TEST) --filter "$(DAEMON_TESTS)"
test-commands:
	$(TEST) --filter "$(CLIENT_TESTS)"
test-programs:
	$(TEST) --filter EndToEndTests

# Those that use Effort (Tests/TestSupport); each is in a file with its name.
effort: build-tests ## the tests with random or very many cases, on five times as many as in `make test`
	RX_EFFORT=$${RX_EFFORT:-5} $(TEST) --filter \
	  "$$(grep -rl 'Effort\.' Tests | sed -nE 's|.*/([A-Za-z]+Tests)\.swift|\1|p' | sort -u | paste -sd '|')"

check: build-tests ## format, wording, imports, cycles, the configurations, the diagrams, paths in the documents, man/
	swift format lint --strict --recursive --parallel Package.swift Sources Tests Examples
	.build/debug/rxd --check --config config
	.build/debug/rxd --check --config examples/demo
	.ci/toml-examples
	.ci/columns
	.ci/wording
	.ci/own-threads
	.ci/outside
	.ci/front-pages Rx RxReactor RxTraits RxBlocking
	.ci/modules --check
	.ci/cycles
	.ci/doc-coverage
	.ci/document-code docs/library.md
	.ci/marbles --check
	.ci/man --check
	.ci/man-names
	.ci/rx-alone --manifest
	.ci/migration --check

# Reads the index that the last build wrote; the script states how it counts.
cycles: ## the largest dependency cycle between the files of each module
	.ci/cycles

docs: build-tests ## DocC archives of the library products in .build/docs; a warning fails
	.ci/docs

protocol: ## the generated parts of docs/protocol.md, from the description in Sources/RxProtocol
	RX_WRITE_PROTOCOL=1 swift test --filter ProtocolPageTests

streams-page: ## the generated parts of docs/streams.md, from the tables in Sources/RxStreams
	RX_WRITE_STREAMS=1 swift test --filter StreamsPageTests

man: build ## the generated parts of the manual pages in man/, from the programs' own descriptions
	.ci/man

compatibility: deps ## the transcripts and the rxctl of the last release against this daemon
	.ci/compatibility

service-test: release ## the service under a real systemd, in a container (as root)
	swift build $(STATIC) --product SourceProbe
	Tests/service/run $(RELEASE)

vocabulary: deps ## programs that use every name of the Rx vocabulary, in both language modes
	Tests/Vocabulary/run

# In a build folder of its own. `vocabulary` runs programs with the trait.
MIGRATION = --traits Migration --scratch-path .build-migration
migration: deps ## builds all libraries and programs with the package trait Migration
	swift build $(MIGRATION)

migration-test: ## the same with all tests, and runs those of Rx: about ten minutes
	swift build --build-tests $(MIGRATION)
	$(TEST) $(MIGRATION) --filter "$(RX_TESTS)"

patches: deps ## applies patches with Python's jsonpatch and compares the states; RX_SEED, RX_EDITS
	/usr/bin/python3 Tests/patches/patches.py

python: deps build ## the Python client with a daemon that is killed and restarted, and its types; pip installs mypy
	python3 Tests/python/rxd_test.py
	.ci/python-types

oracle: deps overflow ## compares slots with those of cronsim and systemd-analyze; RX_SEED, RX_CRON, RX_CALENDAR
	swift build --product TimeOracle
	python3 Tests/oracle/oracle.py

overflow: build-tests ## files that come while the kernel's queue overflows: none is missed; RX_FILES, RX_FILES_IN
	RX_FILES=$${RX_FILES:-1000000} RX_FILES_IN=$${RX_FILES_IN:-/dev/shm} \
		$(TEST) --filter "RxSourcesTests.PathSourceTests/overflow"

schema-suite: deps ## every answer of the official JSON Schema suite for draft 7, which pip downloads
	.ci/schema-suite

chaos: deps ## hostile clients for a minute; RX_SEED repeats its decisions, RX_SECONDS
	python3 Tests/chaos/chaos.py

chaos-disk: deps ## kills and damaged state files, 1000 of each; RX_SEED, RX_KILLS, RX_FLIPS
	python3 Tests/chaos/disk.py

chaos-log: deps ## kills of the daemon and of its readers: each failure is reported once; RX_SEED, RX_KILLS
	python3 Tests/chaos/log.py

chaos-streams: deps ## kills and reloads while streams run: each firing once; RX_SEED, RX_KILLS, RX_SLOTS, RX_RELOADS
	python3 Tests/chaos/streams.py
	python3 Tests/chaos/reloads.py

chaos-fair: deps release ## what one greedy user costs the others, in ms and MiB (as root); ATTACKS, RX_SECONDS
	python3 Tests/chaos/fair.py $(ATTACKS)

soak: export RX_SECONDS ?= 1800
soak: chaos ## half an hour of it

bench: bench-deps ## the figures of the design, beside those of others
	Benchmarks/run

instructions: ## instructions per request of the daemon under valgrind; BASE_RXD and BASE_TODO to compare with
	swift build $(STATIC) --product rxd
	swift build $(STATIC) --product TodoDaemon
	Benchmarks/instructions $(CASES)

install: ## programs, manual pages, units and a first configuration, below PREFIX
	test -x $(RELEASE)/rxd || $(MAKE) release
	DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" systemd/install $(RELEASE)

uninstall: ## take them away again
	DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" systemd/uninstall

# Without the tests that start processes: ThreadSanitizer's runtime does not survive how swift-subprocess forks.
TSAN_BUILD = --sanitize=thread -Xswiftc -DRX_TSAN --scratch-path .build-tsan
TSAN = .ci/tsan --no-parallel $(TSAN_BUILD)
tsan: ## the unit tests under ThreadSanitizer, in a build of their own
	$(TSAN) --skip EndToEndTests --skip TodoDaemonTests --skip RxProcessTests --skip RxJqTests

# RX_TARGETS, which Package.swift explains, leaves out half of the build. The resolved versions are forced because
# SwiftPM would otherwise drop those of packages that only other targets use.
TSAN_TARGETS = RxTests RxBlockingTests RxTestTests RxFoundationTests RxTraitsTests RxActionTests RxReactorTests \
	RxTodoTests RxHostTests
build-tsan:
	swift package resolve
	RX_TARGETS="$(TSAN_TARGETS)" swift build --build-tests $(TSAN_BUILD) --force-resolved-versions

tsan-rx: build-tsan ## the part of it that is about Rx and hosted reactors, which CI runs
	RX_TARGETS="$(TSAN_TARGETS)" $(TSAN) --force-resolved-versions --skip-build \
		--filter "$(RX_TESTS)" --filter "^RxHostTests[.][A-Za-z]*Reactor"

release-test: ## the unit tests as they are compiled for release
	swift test -c release -Xswiftc -enable-testing --scratch-path .build-reltest --skip EndToEndTests

trace: ## the unit tests in a build that counts what Rx keeps alive; a test of Rx that leaves something behind fails
	swift test --no-parallel -Xswiftc -DTRACE_RESOURCES --scratch-path .build-trace --skip EndToEndTests

clean:
	rm -rf .build .build-vocabulary .build-vocabulary-migration .build-migration .build-examples \
		.build-tsan .build-reltest .build-trace .build-compatibility
