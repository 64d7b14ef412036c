# The few commands people run. `make help` lists them; .ci/run is what CI runs.

GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
DIR           ?= cmd/ebb/testdata/eval

.DEFAULT_GOAL := help
.PHONY: help test race lint cross site bench demo eval cover fuzz

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-6s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: ## run every test
	go test ./...

race: ## run every test under the race detector, as CI does
	bash .ci/run race

lint: ## gofmt, vet and staticcheck as CI runs them, then golangci-lint
	bash .ci/run gofmt vet staticcheck
	go run $(GOLANGCI_LINT) run ./...

cross: ## vet for the other platforms of a release
	GOOS=windows CGO_ENABLED=0 go vet ./...
	GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 go vet ./...

site: ## write the documents as a static site to site/
	cd benchmarks && go run ./site -o ../site

bench: ## run every benchmark, with allocations
	go test -run '^$$' -bench . -benchmem ./...

demo: ## take in a conversation of weeks, restart, ask, forget
	go run ./cmd/ebb demo

eval: ## measure recall on a data set: make eval DIR=path/to/set
	go run ./cmd/ebb eval $(DIR)

cover: ## write coverage.html and print the total
	go test -coverpkg=./... -coverprofile=coverage.out ./...
	go tool cover -html=coverage.out -o coverage.html
	go tool cover -func=coverage.out | tail -n 1

fuzz: ## fuzz every target for EBB_FUZZTIME each (3s)
	bash .ci/run fuzz
