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

/// Bytes that begin and end to live at each instruction, by part, summed along the list.
Peak peak_of(const Program& program, const Lifetimes& lifetimes) {
  const auto count = std::max<std::size_t>(program.instructions.size(), 1);
  std::vector<model::Footprint> born(count), dead(count + 1);
  for (std::uint32_t b = 0; b < program.buffers.size(); ++b) {
    const auto& buffer = program.buffers[b];
    const bool persistent = buffer.lifetime == Lifetime::persistent;
    if (!persistent && lifetimes.first_use(b) > lifetimes.last_use(b)) continue;
    born[persistent ? 0 : lifetimes.first_use(b)][buffer.part] += room_of(buffer);
    dead[persistent ? count : lifetimes.last_use(b) + 1][buffer.part] += room_of(buffer);
  }
  Peak best;
  model::Footprint alive;
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::size_t part = 0; part < model::kParts; ++part) {
      alive.parts[part] += born[i].parts[part];
      alive.parts[part] -= dead[i].parts[part];
    }
    if (i == 0 || alive.total() > best.live) best = {alive.total(), i, alive};
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
