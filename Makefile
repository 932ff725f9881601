# Entry points. Each installs the Debian packages that are missing first (packages.txt; root or sudo).
.PHONY: run test bench simulate mutations crash-soak format lint clean setup

run: setup           # build, start acceptd with a simulated backend, and say what to try
	@tools/run.sh

test: setup          # everything: unit, stores, simulation, black box, clients, crash
	@tools/test.sh

bench: setup         # the numbers of the README, each beside its limit
	@bench/run.sh

SEEDS ?= 1000
FROM ?= 1
simulate: setup      # SEEDS seeds of the deterministic simulation, from FROM on
	@tools/simulate.sh $(FROM) $(SEEDS)

mutations: setup     # every deliberate break must be found by the simulation
	@tools/mutations.sh

crash-soak: setup    # real processes, killed at random for long
	@tools/crash_soak.sh

format: setup
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format-19 -i

lint: setup
	@tools/lint.sh

setup:
	@tools/setup.sh

clean:
	rm -rf build
