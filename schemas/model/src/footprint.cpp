#include "frenzy/model/footprint.hpp"

namespace frenzy::model {

std::string_view name_of(Part part) {
  constexpr std::array<std::string_view, kParts> kNames{
      "weights", "gradients",     "optimizer", "activations", "logits",
      "workspace", "communication", "gaps",      "fixed",       "reserve"};
  return kNames[static_cast<std::size_t>(part)];
}

Bytes Footprint::total() const {
  Bytes sum{};
  for (const auto part : parts) sum += part;
  return sum;
}

Part Footprint::largest() const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < kParts; ++i) {
    if (parts[i] > parts[best]) best = i;
  }
  return static_cast<Part>(best);
}

}  // namespace frenzy::model
