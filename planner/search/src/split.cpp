#include "frenzy/planner/split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "frenzy/base/check.hpp"

namespace frenzy::planner {

std::vector<std::uint32_t> deal(std::uint32_t items, std::span<const Seconds> cost,
                                std::span<const Seconds> start) {
  FRENZY_CHECK(!cost.empty() && cost.size() == start.size());
  std::vector<std::uint32_t> out(cost.size(), 0);
  std::vector<Seconds> finish(cost.size());
  for (std::size_t i = 0; i < cost.size(); ++i) finish[i] = start[i] + cost[i];
  for (std::uint32_t item = 0; item < items; ++item) {
    const auto best = std::min_element(finish.begin(), finish.end()) - finish.begin();
    const auto i = static_cast<std::size_t>(best);
    ++out[i];
    finish[i] += cost[i];
  }
  return out;
}

std::vector<std::uint64_t> apportion(std::uint64_t total, std::span<const double> weights,
                                     std::uint64_t grain) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  FRENZY_CHECK(sum > 0 && grain > 0);
  const auto grains = total / grain;
  std::vector<std::uint64_t> out;
  std::vector<std::pair<double, std::size_t>> remainders;
  std::uint64_t dealt = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double exact = static_cast<double>(grains) * weights[i] / sum;
    out.push_back(static_cast<std::uint64_t>(exact));
    dealt += out.back();
    remainders.emplace_back(std::floor(exact) - exact, i);  // most negative first
  }
  std::stable_sort(remainders.begin(), remainders.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t k = 0; dealt < grains; ++k, ++dealt) ++out[remainders[k % out.size()].second];
  for (auto& part : out) part *= grain;
  // The odd rest goes to the last device that has something.
  const auto last = std::find_if(out.rbegin(), out.rend(), [](auto part) { return part > 0; });
  (last == out.rend() ? out.front() : *last) += total - grains * grain;
  return out;
}

}  // namespace frenzy::planner
