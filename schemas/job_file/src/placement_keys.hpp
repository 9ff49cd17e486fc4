#pragma once
// Keys of other systems that count or pick devices. A job says what to train; devices are Frenzy's.

#include "document.hpp"

namespace frenzy::job_file {

/// invalid_argument with place and reason if a key anywhere in `root` is one of them.
[[nodiscard]] Status refuse_placement(const Value& root);

}  // namespace frenzy::job_file
