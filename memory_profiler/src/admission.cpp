#include "frenzy/memory_profiler/admission.hpp"

namespace frenzy::memory_profiler {

model::Footprint whole_footprint(const program::PackedProgram& packed, const Room& room) {
  auto out = packed.footprint;
  out[model::Part::fixed] = room.fixed;
  out[model::Part::reserve] = room.reserve;
  return out;
}

Status admit(const program::PackedProgram& packed, const Room& room) {
  const auto need = whole_footprint(packed, room);
  if (need.total() <= room.free) return {};
  const auto part = need.largest();
  return error(Errc::does_not_fit, "device {}: needs {}, has {} free; the largest part is {} with {}",
               room.device, need.total(), room.free, name_of(part), need[part]);
}

}  // namespace frenzy::memory_profiler
