# The front door to Skiff. `make help` lists the targets. Packages that a target needs and that
# are missing are installed by tools/deps first; CMake and Ninja do the building.
SHELL := /bin/bash
PREFIX ?= /usr/local
.DEFAULT_GOAL := build
.PHONY: help build debug check tsan test test-all lint up faults sim bench bench-engines fuzz \
  format install clean

help:  ## this list
	@sed -n 's/^\([a-z -]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 24

build:  ## the release build without its tests: build/bin/skiff and links to it (the default)
	@tools/deps build
	@tools/build programs

debug check tsan:  ## another build in build/<name>, and its tests
	@tools/deps build
	@tools/test $@

test:  ## every test in one configuration, corpora of fuzz targets, house rules
	@tools/deps test
	@tools/test once

test-all:  ## every test in every configuration, fuzz, faults, sim, lint: takes hours
	@tools/deps test lint
	@FUZZ_SECONDS=$${FUZZ_SECONDS:-600} tools/test once release debug check tsan fuzz faults sim lint

lint:  ## clang-tidy's checks for bugs and waste, and every header compiled alone
	@tools/deps test lint
	@tools/build release check-home
	@python3 -B tools/tidy --build build
	@tools/lint

faults:  ## every fault of the disk, 10,000 kill -9 cycles (SKIFF_FAULT_ROUNDS), etcd's, and a soak
	@tools/deps test
	@tools/build release
	@SKIFF_FAULTS=1 build/tests/faults_engine_test
	@SKIFF_FAULTS=1 build/tests/faults_store_test
	@SKIFF_FAULTS=1 python3 -B tests/faults/full_disk_test.py build/bin/kube-apiserver build/bin/skiff
	@python3 -B tests/apiserver/damaged_store_test.py build/bin/kube-apiserver build/bin/skiff
	@python3 -B tests/wire/limits_test.py build/bin/kube-apiserver
	@SKIFF_FAULT_ROUNDS=$${SKIFF_FAULT_ROUNDS:-10000} \
	  build/tests/faults_crash_test --gtest_filter='CrashTest.Killed*'
	@SKIFF_FAULT_ROUNDS=$${SKIFF_FAULT_ROUNDS:-10000} build/tests/store_etcd_faults_test
	@SKIFF_SOAK_SECONDS=$${SKIFF_SOAK_SECONDS:-600} \
	  python3 -B tests/soak/soak_test.py build/bin/kube-apiserver

sim:  ## SEEDS (1000) runs of the simulated cluster, from seed FROM (1); see docs/simulation.md
	@tools/deps test
	@tools/build release
	@build/tests/skiff_sim --seeds $${SEEDS:-1000} --from $${FROM:-1}

up: build  ## run a cluster on this machine until Ctrl-C (UP_FLAGS, see docs/up.md)
	@exec build/bin/skiff up $(UP_FLAGS)

bench:  ## figures beside their limits; fails when one misses its budget
	@tools/deps bench
	@tools/bench

bench-engines:  ## the candidates for the embedded store side by side (minutes, 10 GB of disk)
	@tools/deps bench engines
	@tools/bench-engines

fuzz:  ## each fuzz target for FUZZ_SECONDS (600)
	@tools/deps fuzz
	@tools/build fuzz
	@tools/fuzz $${FUZZ_SECONDS:-600}

format:  ## clang-format over src, tests, bench and fuzz
	@tools/deps format
	@find src tests bench fuzz -name '*.h' -o -name '*.cc' | xargs -r clang-format -i

install: build  ## the executable, completion and man pages under PREFIX (/usr/local); DESTDIR
	@cmake --install build --prefix "$(PREFIX)"

clean:  ## remove build/
	@rm -rf build
