# The targets people and scripts rely on; the build itself is CMake and Ninja.
BUILD    ?= build
DATA_DIR ?= $(CURDIR)/.keelson
JOBS     ?= $(shell nproc)
FUZZ_SECONDS ?= 600
CONCURRENT = admission_test audit_test auth_test base_test etcd_test flow_control_test net_test registry_client_test storage_cacher_test storage_direct_test \
  storage_embedded_test storage_memory_test tracing_test
space := $(subst ,, )
CMAKE = cmake -G Ninja -S . -Wno-dev
# $(call ninja,folder,what): a terminal sees one line that moves, a log what is built and what went wrong.
ninja = [ -t 1 ] || { quiet=--quiet; echo 'building $(2)'; }; \
	NINJA_STATUS='building $(2): %p (%f/%t) ' ninja -C $(1) -j$(JOBS) $$quiet
ctest = { [ ! -t 1 ] || progress=--progress; } && cd $(1) && ctest --output-on-failure -j$(JOBS) $$progress

.PHONY: run build test cluster day diff swap faults rolling hostile damage conformance envtest definitions operators clients commands soak bench check lint format release asan tsan races fuzz deps deps-dev clean

run: build
	exec $(BUILD)/keelson serve --data-dir $(DATA_DIR)

# Keelson with upstream's controllers and scheduler and two real nodes, until Ctrl-C (needs Go and root); BACKEND=etcd3 for
# etcd, PORT= where this machine reaches it, RUN='a command' that it lasts as long as.
cluster: build
	@scripts/install-deps.sh --cluster
	@python3 tests/cluster/run.py --build $(BUILD) --backend $(or $(BACKEND),embedded) $(if $(PORT),--port $(PORT)) $(if $(RUN),--run '$(RUN)')

# A day in the life of that cluster: a chart is installed, scaled, upgraded and rolled back, a node is drained, and is lost, and
# in between Keelson is restarted and killed, while a pod asks a service (needs Go and root); BACKEND=etcd3 for etcd, which is
# killed, too.
day: build
	@scripts/install-deps.sh --cluster
	@python3 tests/cluster/day.py --build $(BUILD) --backend $(or $(BACKEND),embedded)

deps:
	@scripts/install-deps.sh
deps-dev:
	@scripts/install-deps.sh --dev

build: deps
	@$(CMAKE) -B $(BUILD) >/dev/null
	@$(call ninja,$(BUILD),keelson) keelson

test: deps
	@$(CMAKE) -B $(BUILD) >/dev/null
	@$(call ninja,$(BUILD),keelson and its tests)
	@$(call ctest,$(BUILD))

# Against a real kube-apiserver; ONLY=regex for some scenarios, RECORD=1 to store its answers for `make test`.
diff: build
	@python3 tests/compat/diff.py --build $(BUILD) $(if $(ONLY),--only '$(ONLY)') $(if $(RECORD),--record) $(if $(SEED),--seed $(SEED))
	$(if $(ONLY),,@python3 tests/compat/audit.py --build $(BUILD))
	$(if $(ONLY),,@python3 tests/compat/flow_control.py --build $(BUILD))

# kube-apiserver and Keelson on one etcd; ONLY=regex for some resources.
swap: build
	@python3 tests/swap/swap.py --build $(BUILD) $(if $(ONLY),--only '$(ONLY)')

# Servers, etcd, connections, disks and clocks fail ROUNDS (50) times each under load, and what clients saw is judged.
faults: build
	@KEELSON_BINARY=$(abspath $(BUILD))/keelson KEELSON_FAULT_ROUNDS=$(or $(ROUNDS),50) \
	  python3 tests/robustness/faults_test.py -v $(if $(ONLY),-k '$(ONLY)')

# Three servers behind one address on three members of etcd are restarted in turn, ROUNDS (100) times, under load that is
# judged; SERVERS=mixed for two beside a kube-apiserver, SERVERS=peers where those pass on what only another one serves (both
# need Go), SERVERS=versions where one serves all versions, SEED=; MINUTES= after which no round begins, PAUSE= seconds between
# two requests of a client.
rolling: build
	$(if $(filter mixed peers,$(SERVERS)),@tests/conformance/build.sh $(BUILD) kube-apiserver)
	@KUBE_APISERVER=$(or $(KUBE_APISERVER),$(abspath $(BUILD))/conformance/bin/kube-apiserver) \
	  python3 tests/robustness/rolling_restart.py --binary $(BUILD)/keelson --rounds $(or $(ROUNDS),100) \
	  --servers $(or $(SERVERS),keelson) $(if $(SEED),--seed $(SEED)) $(if $(MINUTES),--minutes $(MINUTES)) \
	  $(if $(PAUSE),--pause $(PAUSE))

# Thousands of idle, half-open, slow and flooding connections at once, and what an innocent client notices of them;
# SCALE=0.1 for a tenth of them, SECONDS=60 for longer, ONLY=regex for some of the costly requests.
hostile: build
	@python3 tests/robustness/hostile_clients.py --binary $(BUILD)/keelson $(if $(SCALE),--scale $(SCALE)) \
	  $(if $(SECONDS),--seconds $(SECONDS)) $(if $(ONLY),--only '$(ONLY)')

# DAMAGES (10,000) places in the files of an embedded store are flipped, zeroed, cut or removed, and it is opened.
damage: deps
	@$(CMAKE) -B $(BUILD) >/dev/null
	@$(call ninja,$(BUILD),damage_test) damage_test
	@KEELSON_DAMAGES=$(or $(DAMAGES),10000) $(if $(SEED),KEELSON_DAMAGE_SEED=$(SEED)) \
	  $(BUILD)/tests/robustness/damage_test

# PEER=upstream measures kube-apiserver + etcd beside it and writes docs/performance.md (needs Go).
bench: build
ifeq ($(PEER),upstream)
	@python3 tests/bench/compare.py --build $(BUILD)
else
	@scripts/install-deps.sh --bench
	@python3 tests/bench/bench.py $(BUILD)/keelson
endif

# SERVER=upstream runs kube-apiserver + etcd instead, BACKEND=etcd3 Keelson on etcd, FOCUS=regex a few specs;
# CONTROLLERS=own leaves kube-controller-manager out, CONTROLLERS=workloads lets it make pods and nothing else; NODES=real for
# the nodes of `make cluster`, on which every spec runs (needs root); MERGE=1 with FOCUS puts the results into those that are kept.
conformance: $(if $(filter upstream,$(SERVER)),,build)
	$(if $(filter real,$(NODES)),@scripts/install-deps.sh --cluster)
	@python3 tests/conformance/run.py --build $(BUILD) --server $(or $(SERVER),keelson) --nodes $(or $(NODES),simulated) \
	  --backend $(or $(BACKEND),embedded) --controllers $(or $(CONTROLLERS),manager) $(if $(FOCUS),--focus '$(FOCUS)' $(if $(MERGE),--merge))

# Upstream's kubectl scripts on kube-apiserver and on Keelson (needs Go); ONLY="role certificates" for run_role_tests and
# so on, SERVER=keelson or upstream for one of them.
commands: build
	@python3 tests/conformance/commands.py --build $(BUILD) $(if $(SERVER),--server $(SERVER)) $(if $(ONLY),--only '$(ONLY)')

# Suites of controller-runtime and of operators, which start Keelson where they expect kube-apiserver (needs Go); ETCD=FILE for
# that etcd instead of Keelson's, ONLY=regex for some suites, FOCUS=regex for some specs, MISSING=1 for those without a result,
# SERVER=upstream for kube-apiserver itself.
envtest: build
	@python3 tests/envtest/run.py --build $(BUILD) --server $(or $(SERVER),keelson) --etcd $(or $(ETCD),keelson) \
	  $(if $(ONLY),--only '$(ONLY)') $(if $(FOCUS),--focus '$(FOCUS)') $(if $(MISSING),--missing)

# The CustomResourceDefinitions of real projects (needs Go); SERVER=both compares with kube-apiserver, ONLY=regex for some.
definitions: build
	@python3 tests/envtest/definitions.py --build $(BUILD) --server $(or $(SERVER),keelson) $(if $(ONLY),--only '$(ONLY)')

# cert-manager, metrics-server and Cluster API at work (needs Go, and root for the last two); SERVER=upstream for
# kube-apiserver, SERVER=both compares, ONLY=regex for some.
operators: build
	@python3 tests/envtest/operators.py --build $(BUILD) --server $(or $(SERVER),keelson) $(if $(ONLY),--only '$(ONLY)')

# Clients that openapi-generator makes of the OpenAPI documents, compiled and used (needs Java, Maven and Go);
# SERVER=upstream for kube-apiserver, SERVER=both compares.
clients: build
	@python3 tests/clients/run.py --build $(BUILD) --server $(or $(SERVER),keelson)

# Upstream's controllers and scheduler at work for MINUTES (60) on Keelson and on kube-apiserver (needs Go).
soak: build
	@python3 tests/conformance/soak.py --build $(BUILD) --minutes $(or $(MINUTES),60)

# What a change must pass before it is built: format, one version, lint of the files that changed since SINCE.
check: deps-dev
	@scripts/check-format.sh
	@scripts/check-version.sh
	@$(CMAKE) -B $(BUILD) >/dev/null
	@scripts/lint.sh $(BUILD) --since $(or $(SINCE),HEAD~1)

lint: deps-dev
	@$(CMAKE) -B $(BUILD) >/dev/null
	@scripts/lint.sh $(BUILD)
format: deps-dev
	@git ls-files '*.h' '*.cc' | xargs -P $(JOBS) -n 32 clang-format-19 -i

# Instrumented frames are several times as large: a body of 10,000 levels needs a larger stack.
asan tsan: deps-dev
	@$(CMAKE) -B build-$@ -DKEELSON_SANITIZE=$(if $(filter asan,$@),address,thread) >/dev/null
	@$(call ninja,build-$@,keelson and its tests for $@)
	@ulimit -s 65536 && $(call ctest,build-$@)

# build-release/keelson: optimized across all sources and for the paths that a training run takes (needs Go).
release: deps-dev
	@scripts/release.sh $(JOBS)

# The unit tests of everything that several threads use at once, under ThreadSanitizer.
races: deps-dev
	@$(CMAKE) -B build-tsan -DKEELSON_SANITIZE=thread >/dev/null
	@$(call ninja,build-tsan,the concurrent tests for tsan) $(CONCURRENT)
	@ulimit -s 65536 && $(call ctest,build-tsan) -R '^($(subst $(space),|,$(CONCURRENT)))$$'

fuzz: deps-dev
	@$(CMAKE) -B build-fuzz -DKEELSON_FUZZ=ON >/dev/null
	@$(call ninja,build-fuzz,fuzzers) fuzzers
	@tests/fuzz/run.sh build-fuzz $(FUZZ_SECONDS)

clean:
	rm -rf build build-asan build-tsan build-fuzz build-train build-release
