#!/usr/bin/env bash
# Installs the dev build into a fresh prefix, builds an outside project against it and runs it: the only
# proof that the package is whole. Usage: tests/package/run.sh [build folder, default build/dev]
set -euo pipefail
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
build_dir=$(cd "${1:-$source_dir/build/dev}" && pwd)
work=$build_dir/package
rm -rf "$work"
mkdir -p "$work/state"
cmake --build "$build_dir" -- -k 0 | tail -n 1
cmake --install "$build_dir" --prefix "$work/prefix" >"$work/install.log"
test -f "$work/prefix/share/frenzy/schemas/frenzy/wire/job.capnp"
if grep -rlF -e "$source_dir" "$work/prefix/lib/cmake" "$work/prefix/include"; then
  echo "the package names the source tree" >&2
  exit 1
fi
cmake -S "$source_dir/tests/package" -B "$work/consumer" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/configure.log"
cmake --build "$work/consumer" | tail -n 1
"$work/consumer/train_three_steps"
"$work/consumer/encrypted_link"
"$work/consumer/embed_cluster" "$work/state"
