#pragma once
// Random messages within the codec's bounds, of every kind.

#include "frenzy/base/rng.hpp"
#include "frenzy/codec/envelope.hpp"

namespace frenzy::codec {

[[nodiscard]] Envelope random_envelope(Rng& rng);
/// A message of the kind with this place in the variant.
[[nodiscard]] Envelope random_envelope_of(std::size_t kind, Rng& rng);

}  // namespace frenzy::codec
