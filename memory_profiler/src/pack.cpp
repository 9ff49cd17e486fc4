#include "frenzy/memory_profiler/pack.hpp"

#include <algorithm>
#include <numeric>

#include "frenzy/memory_profiler/lifetimes.hpp"

namespace frenzy::memory_profiler {
namespace {

using program::Lifetime;
using program::Program;

Bytes room_of(const program::Buffer& buffer) { return aligned(buffer.bytes, kBufferAlignment); }

struct Placed {
  std::uint64_t begin, end;
};

/// Lowest offset with `size` free bytes between the busy ranges.
std::uint64_t lowest_gap(std::vector<Placed>& busy, std::uint64_t size) {
  std::sort(busy.begin(), busy.end(), [](auto a, auto b) { return a.begin < b.begin; });
  std::uint64_t at = 0;
  for (const auto& range : busy) {
    if (range.begin >= at + size) break;
    at = std::max(at, range.end);
  }
  return at;
}

std::vector<std::uint32_t> placement_order(const Program& program) {
  std::vector<std::uint32_t> order(program.buffers.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    const auto& x = program.buffers[a];
    const auto& y = program.buffers[b];
    if (x.lifetime != y.lifetime) return x.lifetime == Lifetime::persistent;
    return x.bytes > y.bytes;
  });
  return order;
}

Peak peak_of(const Program& program, const Lifetimes& lifetimes) {
  const auto count = static_cast<std::uint32_t>(program.instructions.size());
  Peak best;
  for (std::uint32_t i = 0; i < std::max(count, 1U); ++i) {
    Peak here{.live = {}, .instruction = i, .parts = {}};
    for (std::uint32_t b = 0; b < program.buffers.size(); ++b) {
      const auto& buffer = program.buffers[b];
      const bool alive = buffer.lifetime == Lifetime::persistent ||
                         (lifetimes.first_use(b) <= i && i <= lifetimes.last_use(b));
      if (!alive) continue;
      here.live += room_of(buffer);
      here.parts[buffer.part] += room_of(buffer);
    }
    if (i == 0 || here.live > best.live) best = here;
  }
  return best;
}

}  // namespace

Peak peak(const Program& program) { return peak_of(program, Lifetimes(program)); }

program::PackedProgram pack(Program program) {
  const Lifetimes lifetimes(program);
  program::PackedProgram out;
  out.offsets.assign(program.buffers.size(), 0);
  std::vector<std::uint32_t> placed;
  std::vector<Placed> busy;
  for (const auto b : placement_order(program)) {
    const auto size = room_of(program.buffers[b]).value;
    if (size == 0) continue;
    busy.clear();
    for (const auto other : placed) {
      if (!lifetimes.overlap(b, other)) continue;
      busy.push_back({out.offsets[other], out.offsets[other] + room_of(program.buffers[other]).value});
    }
    out.offsets[b] = lowest_gap(busy, size);
    out.arena = std::max(out.arena, Bytes{out.offsets[b] + size});
    placed.push_back(b);
  }
  const auto top = peak_of(program, lifetimes);
  out.footprint = top.parts;
  out.footprint[model::Part::gaps] = out.arena - top.live;
  out.program = std::move(program);
  return out;
}

}  // namespace frenzy::memory_profiler
