#pragma once
// Random damage to a text, for readers that must refuse what is broken.

#include <string>
#include <string_view>

#include "frenzy/base/rng.hpp"

namespace frenzy::tests {

/// One to six edits: a byte changed, a run erased, a character of `spice` put in, a part repeated.
inline std::string mutated(std::string text, std::string_view spice, Rng& rng) {
  for (auto edits = 1 + rng.below(6); edits > 0 && !text.empty(); --edits) {
    const auto at = rng.below(text.size());
    switch (rng.below(4)) {
      case 0:
        text[at] = static_cast<char>(rng.below(256));
        break;
      case 1:
        text.erase(at, 1 + rng.below(20));
        break;
      case 2:
        text.insert(at, 1, spice[rng.below(spice.size())]);
        break;
      default:
        text.insert(at, text.substr(rng.below(text.size()), rng.below(40)));
        break;
    }
  }
  return text;
}

}  // namespace frenzy::tests
