#pragma once
// One line that says where a job is: redrawn in place on a terminal, with a bar if there is room; a
// plain line with the time in a file, without any control byte but its newline.

#include "frenzy/base/clock.hpp"
#include "frenzy/base/units.hpp"
#include "frenzy/cli/surface.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace frenzy::cli {

struct Progress {
  std::uint64_t step = 0;
  std::uint64_t steps = 0;
  std::optional<double> loss;  ///< none before the first step
  std::optional<double> tokens_per_second;
  std::optional<double> learning_rate;
  std::optional<Bytes> memory;  ///< peak over the devices
  std::optional<Seconds> left;
};

/// On a terminal: CR, the line (narrower than the surface), erase to the end; no newline. Parts
/// that do not fit are left out, the least important first: bar, learning rate, memory, speed, time
/// left. In a file: "TIME step=3/10 loss=... \n", with what is known.
[[nodiscard]] std::string progress_text(const Progress& progress, const Surface& surface,
                                        WallTime now);

/// What to write so that the next text starts on a line of its own.
[[nodiscard]] std::string progress_end(const Surface& surface);

}  // namespace frenzy::cli
