#include "frenzy/cli/progress.hpp"

#include "frenzy/base/format.hpp"
#include "frenzy/cli/human.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

namespace frenzy::cli {
namespace {

constexpr std::size_t kShortestBar = 8;
constexpr std::size_t kLongestBar = 30;
constexpr std::string_view kGap = "  ";

std::string printed(const char* pattern, double value) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), pattern, value);
  return text.data();
}

struct Part {
  std::string text;
  int rank = 0;  ///< the highest is left out first
};

std::vector<Part> parts_of(const Progress& p) {
  std::vector<Part> out{{format("{}/{}", p.step, p.steps), 0}};
  if (p.loss) out.push_back({printed("loss %.4f", *p.loss), 1});
  if (p.tokens_per_second) out.push_back({count_text(*p.tokens_per_second) + " tok/s", 3});
  if (p.learning_rate) out.push_back({printed("lr %.2e", *p.learning_rate), 5});
  if (p.memory) out.push_back({format("{}", *p.memory), 4});
  if (p.left) out.push_back({"ETA " + duration_text(*p.left), 2});
  return out;
}

std::size_t columns_of_parts(const std::vector<Part>& parts) {
  std::size_t columns = 0;
  for (const auto& part : parts) columns += part.text.size() + kGap.size();
  return columns - kGap.size();
}

/// Filled, or partly filled, cells; the last one shows eighths where the glyphs allow it.
std::string bar(std::uint64_t done, std::uint64_t total, std::size_t cells,
                const Surface& surface) {
  constexpr std::array<std::string_view, 8> kEighths{"",       "\u258f", "\u258e", "\u258d",
                                                     "\u258c", "\u258b", "\u258a", "\u2589"};
  const bool fine = surface.glyphs == Glyphs::unicode;
  const auto share =
      total == 0 ? 0.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto eighths = static_cast<std::size_t>(share * static_cast<double>(cells * 8));
  const auto full = eighths / 8;
  const auto rest = fine ? eighths % 8 : 0;
  std::string out;
  for (std::size_t i = 0; i < full; ++i) out += fine ? "\u2588" : "#";
  out += kEighths[rest];
  if (surface.color == Color::yes) out = "\x1b[32m" + out + "\x1b[0m";
  for (auto i = full + (rest > 0 ? 1 : 0); i < cells; ++i) out += fine ? ' ' : '.';
  return (fine ? "\u2595" : "[") + out + (fine ? "\u258f" : "]");
}

std::string terminal_text(const Progress& progress, const Surface& surface) {
  const auto room = surface.width - 1;
  auto parts = parts_of(progress);
  while (parts.size() > 1 && columns_of_parts(parts) > room) {
    parts.erase(std::max_element(parts.begin(), parts.end(),
                                 [](const Part& a, const Part& b) { return a.rank < b.rank; }));
  }
  std::string line;
  for (const auto& part : parts) line += std::string(line.empty() ? "" : kGap) + part.text;
  line = fitted(line, room, surface.glyphs);
  const auto used = columns_of(line) + kGap.size() + 2;
  if (used + kShortestBar <= room) {
    const auto cells = std::min(room - used, kLongestBar);
    line = bar(progress.step, progress.steps, cells, surface) + std::string(kGap) + line;
  }
  return "\r" + line + "\x1b[K";
}

std::string file_text(const Progress& p, WallTime now) {
  auto out = format("{} step={}/{}", time_text(now), p.step, p.steps);
  if (p.loss) out += printed(" loss=%.4f", *p.loss);
  if (p.tokens_per_second) out += printed(" tokens_per_second=%.0f", *p.tokens_per_second);
  if (p.learning_rate) out += printed(" lr=%.4g", *p.learning_rate);
  if (p.memory) out += format(" memory_bytes={}", p.memory->value);
  if (p.left) out += printed(" seconds_left=%.0f", p.left->count());
  return out + '\n';
}

}  // namespace

std::string progress_text(const Progress& progress, const Surface& surface, WallTime now) {
  return surface.medium == Medium::terminal ? terminal_text(progress, surface)
                                            : file_text(progress, now);
}

std::string progress_end(const Surface& surface) {
  return surface.medium == Medium::terminal ? "\n" : "";
}

}  // namespace frenzy::cli
