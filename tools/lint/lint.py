#!/usr/bin/env python3
"""Checks of the house style that a compiler does not make: direction of includes, banned calls,
heavy headers, size of files. Prints `file:line: reason` and exits 1 if there is any finding."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What each folder may include of "frenzy/<name>/...". A longer folder wins over a shorter one.
BASE = {"base"}
MODEL = BASE | {"model"}
PROGRAM = MODEL | {"program"}
PROFILER = PROGRAM | {"memory_profiler"}
PLANNER = PROFILER | {"planner"}
TRANSPORT = BASE | {"transport"}
EXECUTOR = PROGRAM | TRANSPORT | {"executor"}
WIRE = MODEL | {"program", "planner", "wire", "codec"}
ALLOWED = {
    "schemas/base": BASE,
    "schemas/base/logging": BASE | {"logging"},
    "schemas/model": MODEL,
    "schemas/program": PROGRAM,
    "schemas/job_file": MODEL | {"job_file"},
    "schemas/wire": {"wire"},
    "schemas/codec": WIRE,
    "memory_profiler": PROFILER,
    "planner": PLANNER,
    "transport": TRANSPORT,
    "transport/crypto": TRANSPORT | {"crypto"},
    "executor": EXECUTOR,
    "executor/data": MODEL | {"executor"},
    "executor/checkpoint": MODEL | {"executor"},
    "actors/lifecycle": PLANNER | {"lifecycle", "codec"},
    "actors/store": PLANNER | {"lifecycle", "store", "codec"},
}
# Third-party headers and the only folders that may include them.
OWNERS = {
    r"<caf/": ["actors/", "tools/frenzy", "tools/examples", "tests/"],
    r"<(ucp|ucs|uct)/": ["transport/ucx/"],
    r"<(oneapi/)?dnnl": ["executor/cpu/src/gemm_onednn.cpp"],
    r"<(sodium|openssl/)": ["transport/crypto/"],
    r"<sqlite3": ["actors/store/"],
    r"<(kj|capnp)/": ["schemas/codec/", "schemas/wire/"],
    r"<spdlog/": ["schemas/base/logging/"],
    r"<(cuda|nccl|cublas)": ["executor/cuda/"],
    r"<toml": ["schemas/job_file/", "tools/"],
    r"<CLI/": ["tools/"],
}
HEAVY = re.compile(r"#include <(spdlog/|CLI/|toml|nlohmann|caf/all\.hpp|regex|iostream)")
BANNED = re.compile(r"(system_clock::now|steady_clock::now|sleep_for|sleep_until|random_device|\bstd::rand\b)")
BANNED_FREE = ("schemas/base/", "tests/end_to_end/", "tests/transport/", "tests/bench/")
PURE = ("planner/", "memory_profiler/", "schemas/program/", "actors/lifecycle/")
THREADS = re.compile(r"#include <(mutex|thread|atomic|condition_variable)>")
LONGEST_FILE = 600


def tracked():
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                         capture_output=True, text=True).stdout.split("\n")
    return [p for p in out if p.endswith((".hpp", ".cpp", ".cu", ".cuh")) and (ROOT / p).exists()]


def allowed_for(path):
    best = None
    for folder, names in ALLOWED.items():
        if path.startswith(folder + "/") and (best is None or len(folder) > len(best[0])):
            best = (folder, names)
    return best[1] if best else None


def check_line(path, line, findings, number):
    def say(reason):
        findings.append(f"{path}:{number}: {reason}")

    ours = re.match(r'\s*#include "frenzy/(\w+)/', line)
    allowed = allowed_for(path)
    if ours and allowed is not None and ours.group(1) not in allowed:
        say(f"this folder must not include frenzy/{ours.group(1)}")
    for header, owners in OWNERS.items():
        if re.match(r"\s*#include " + header, line) and not path.startswith(tuple(owners)):
            say(f"header of a package that belongs to {', '.join(owners)}")
    if path.endswith(".hpp") and "/include/" in path and HEAVY.match(line):
        say("heavy header in a public header")
    if not path.startswith(BANNED_FREE) and BANNED.search(line) and not line.lstrip().startswith("//"):
        say("time, sleep and randomness come from Clock, Tasks and Rng")
    if path.startswith(PURE) and THREADS.match(line):
        say("no threads in pure folders")
    if re.search(r"\b(TODO|FIXME|XXX)\b", line):
        say("open end")


def main():
    findings = []
    for path in tracked():
        lines = (ROOT / path).read_text(encoding="utf-8").split("\n")
        if len(lines) > LONGEST_FILE + 1:
            findings.append(f"{path}:{len(lines)}: more than {LONGEST_FILE} lines")
        for number, line in enumerate(lines, 1):
            check_line(path, line, findings, number)
    print("\n".join(findings) if findings else "lint: clean")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
