#include "frenzy/memory_profiler/admission.hpp"

#include "frenzy/memory_profiler/pack.hpp"

namespace frenzy::memory_profiler {

namespace {

Status refuse_if_too_big(model::Footprint need, const Room& room) {
  need[model::Part::fixed] = room.fixed;
  need[model::Part::reserve] = room.reserve;
  if (need.total() <= room.free) return {};
  const auto part = need.largest();
  return error(Errc::does_not_fit, "device {}: needs {}, has {} free; the largest part is {} with {}",
               room.device, need.total(), room.free, name_of(part), need[part]);
}

}  // namespace

model::Footprint whole_footprint(const program::PackedProgram& packed, const Room& room) {
  auto out = packed.footprint;
  out[model::Part::fixed] = room.fixed;
  out[model::Part::reserve] = room.reserve;
  return out;
}

Status admit(const program::PackedProgram& packed, const Room& room) {
  return refuse_if_too_big(packed.footprint, room);
}

Status admit_bound(const program::Program& program, const Room& room) {
  return refuse_if_too_big(peak(program).parts, room);
}

}  // namespace frenzy::memory_profiler
