# Every target works in a fresh clone; what is missing is built or installed.
GO        ?= go
PROGRAMS  := internal/lab/supply/programs
CALL      := internal/call/program/built
STATIC    := CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w -buildid='
SCENARIOS := TestScenarios|TestLabPage
READERS   := bin/readers
LINT      := $(GO) tool -modfile=hack/tools/go.mod golangci-lint

.PHONY: help
help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

.PHONY: quickstart
quickstart: prerequisites build ## install what is missing, build, compare two Flannel datapaths, show the result
	bin/cnibench run

.PHONY: prerequisites
prerequisites: ## install the Debian packages that labs need
	hack/prerequisites.sh

.PHONY: test-tools
test-tools: prerequisites ## install the Debian packages that tests look at results with
	hack/prerequisites.sh --tests

.PHONY: build
build: programs ## build bin/cnibench
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o bin/cnibench ./cmd/cnibench

# The static programs that run inside labs and pods are embedded in cnibench,
# so they come first.
.PHONY: programs
programs:
	$(STATIC) -o $(PROGRAMS)/cnibench-node ./cmd/cnibench-node
	$(STATIC) -o $(PROGRAMS)/cnibench-probe ./cmd/cnibench-probe
	$(STATIC) -o $(CALL)/cnibench-call ./cmd/cnibench-call

.PHONY: test
test: test-tools unit lint e2e ## unit tests, linters, and labs with Flannel end to end

.PHONY: test-all
test-all: test test-readers e2e-page e2e-probe e2e-scenarios e2e-cilium test-vm ## also the exports' readers, the report in a browser, the probe, all scenarios, Cilium, and labs on a stock kernel; what CI runs

.PHONY: test-readers
test-readers: build test-tools $(READERS)/installed ## what export writes, read by benchstat, DuckDB and promtool
	$(GO) test -count=1 -timeout 10m -tags e2e -run Readers -v ./internal/export

$(READERS)/installed: hack/readers/requirements.txt | test-tools
	python3 -m venv --clear $(READERS)
	$(READERS)/bin/pip install --quiet --disable-pip-version-check --only-binary=:all: -r hack/readers/requirements.txt
	touch $@

.PHONY: unit
unit: programs ## unit tests, without a machine
	$(GO) test -short ./...

.PHONY: lint
lint: programs ## linters, layer rules included; what reads files must build anywhere
	$(LINT) run ./...
	GOOS=darwin $(GO) vet ./...

.PHONY: e2e
e2e: build ## end-to-end tests on the real lab; need root
	$(GO) test -count=1 -timeout 60m -tags e2e -skip 'TestCilium|$(SCENARIOS)' -v ./e2e
	$(GO) test -count=1 ./internal/lab/supply

.PHONY: e2e-page
e2e-page: programs test-tools ## the HTML report in Chromium: console, network, axe-core, keyboard, phone width, and while it is served
	$(GO) test -count=1 -timeout 20m -tags e2e -run E2E -v ./internal/report ./internal/serve

.PHONY: e2e-probe
e2e-probe: programs test-tools ## the probe against other ways to see the same thing, on this machine's kernel; needs root
	$(GO) test -count=1 -timeout 20m -tags e2e -run E2E -p 1 -v ./internal/probe/...

.PHONY: e2e-scenarios
e2e-scenarios: build ## end-to-end tests of the scenarios; CoreDNS, k6 and Konnectivity are built first; need root
	bin/cnibench lab supply --for dns --for k6 --for openvpn --for konnectivity
	$(GO) test -count=1 -timeout 60m -tags e2e -run '$(SCENARIOS)' -v ./e2e
	$(GO) test -count=1 -timeout 10m -tags e2e -run TestZeroLoss -v ./internal/scenario

.PHONY: e2e-cilium
e2e-cilium: build ## end-to-end tests with Cilium, which is built first; need root
	bin/cnibench lab supply --for cilium --for dns --for k6
	$(GO) test -count=1 -timeout 60m -tags e2e -run TestCilium -v ./e2e

.PHONY: test-vm
test-vm: build ## labs on Debian's own kernel under QEMU: cgroup v2, modules, WireGuard; need root
	$(GO) test -count=1 -timeout 45m -tags vm -v ./e2e/vm

.PHONY: bench
bench: build test-tools ## the speeds that the project promises, measured now; TOPIC=lab, probe, stats, verdict, import or page for a part
	hack/bench.sh $(TOPIC)

.PHONY: validation
validation: build ## prove on real labs that verdicts hold, as docs/validation.md says: what is missing, about three hours; needs root
	hack/validate.sh

.PHONY: dashboards
dashboards: build ## show results in a time series database, with Grafana where containers can be pulled: DIR=results/NAME
	@hack/dashboards.sh $(if $(DIR),'$(abspath $(DIR))')

.PHONY: clean
clean: ## remove what was built
	rm -rf bin $(PROGRAMS)/cnibench-* $(CALL)/cnibench-*
