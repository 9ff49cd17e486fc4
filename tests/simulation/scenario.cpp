#include "scenario.hpp"

#include <algorithm>

#include "invariants.hpp"
#include "scratch_directory.hpp"

namespace frenzy::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kEnds = seconds{150};   ///< every job has ended this long after the last fault
constexpr auto kSettles = seconds{5};  ///< and nothing is held this long after that

ClusterOptions random_cluster(Rng& rng, std::uint64_t seed) {
  ClusterOptions out;
  out.seed = seed;
  const auto nodes = 1 + rng.below(5);
  for (std::size_t n = 0; n < nodes; ++n) {
    auto& devices = out.nodes.emplace_back();
    const auto count = 1 + rng.below(3);
    for (std::size_t d = 0; d < count; ++d) {
      const bool small = rng.below(4) == 0;
      devices.push_back({.memory = Bytes{(4U << 20) + rng.below(small ? 1U << 18 : 12U << 20)}, .speed = 1.0 + static_cast<double>(rng.below(8))});
    }
  }
  out.network.seed = rng.next();
  out.network.max_delay = std::chrono::microseconds{100 + rng.below(3000)};
  if (rng.below(2) == 0) out.network.loss = 0.02 * rng.uniform();
  if (rng.below(3) == 0) out.network.bandwidth = BytesPerSecond{1e6 + 1e8 * rng.uniform()};
  out.data = random_text(rng);
  out.varied_plans = rng.below(3) > 0;
  return out;
}

class Scenario {
 public:
  Scenario(std::uint64_t seed, Defect& defect, Keep keep)
      : rng_(seed), scratch_(ScratchDirectory::in_memory()), options_(random_cluster(rng_, seed)) {
    options_.state_directory = scratch_.path();
    options_.keeps_lines = keep == Keep::lines;
    calm_ = rng_.below(5) == 0;
    const auto jobs = 1 + rng_.below(4);
    for (std::size_t i = 0; i < jobs; ++i) jobs_.push_back(random_job(rng_, i));
    cluster_.emplace(options_, defect);
  }

  Outcome run() {
    cluster_->start_coordinator();
    for (std::size_t n = 1; n <= options_.nodes.size(); ++n) {
      if (n == 1 || rng_.below(4) > 0) cluster_->start_node(n);
    }
    pause();
    const auto actions = 4 + rng_.below(16);
    for (std::uint64_t i = 0; i < actions; ++i) {
      act();
      pause();
    }
    end_faults();
    if (wait_for_ends()) settle();
    for (const auto& job : jobs_) check_job(*cluster_, job, out_.faults > 0, out_);
    check_cluster(*cluster_, out_);
    cluster_->log().add(cluster_->events());
    out_.hash = cluster_->log().hash();
    out_.lines = cluster_->log().lines();
    out_.events = cluster_->events();
    return std::move(out_);
  }

 private:
  void pause() { cluster_->run_for(milliseconds{static_cast<std::int64_t>(rng_.below(250))}); }

  void act() {
    const auto choice = rng_.below(10);
    if (submitted_ < jobs_.size() && choice < 5) return submit_next();
    if (choice == 5) return cancel_one();
    if (choice == 6) return cluster_->start_node(random_node());
    if (!calm_) return disturb();
  }

  void submit_next() {
    const auto& job = jobs_[submitted_++];
    cluster_->submit(job.id, job.toml);
  }
  void cancel_one() {
    if (submitted_ > 0) cluster_->cancel(jobs_[rng_.below(submitted_)].id);
  }

  [[nodiscard]] std::size_t random_node() { return 1 + rng_.below(options_.nodes.size()); }
  [[nodiscard]] std::string random_host() {
    const auto number = rng_.below(options_.nodes.size() + 1);
    return number == 0 ? std::string("coordinator") : format("node{}", number);
  }

  void disturb() {
    ++out_.faults;
    switch (rng_.below(9)) {
      case 0: return cluster_->kill_node(random_node());
      case 1: return cluster_->leave_node(random_node());
      case 2: return cluster_->freeze_node(random_node());
      case 3: return cluster_->thaw_all();
      case 4: return cluster_->crash_runner(random_node());
      case 5: return cluster_->cut(random_host(), random_host());
      case 6: return cut_both(random_host(), random_host());
      case 7: return cluster_->heal_all();
      default: return restart_coordinator();
    }
  }
  void cut_both(const std::string& a, const std::string& b) {
    cluster_->cut(a, b);
    cluster_->cut(b, a);
  }
  void restart_coordinator() {
    if (rng_.below(3) > 0) return;
    cluster_->kill_coordinator();
    pause();
    cluster_->start_coordinator();
  }

  void end_faults() {
    cluster_->heal_all();
    cluster_->thaw_all();
    for (std::size_t n = 1; n <= options_.nodes.size(); ++n) cluster_->start_node(n);
    cluster_->run_for(seconds{1});
    while (submitted_ < jobs_.size()) submit_next();
  }

  [[nodiscard]] bool all_ended() {
    return std::ranges::all_of(jobs_, [this](const auto& job) {
      const auto known = cluster_->job(job.id);
      return known && model::is_terminal(known->summary.state);
    });
  }

  /// A client says again what was not accepted.
  bool wait_for_ends() {
    for (auto waited = seconds{0}; waited < kEnds; ++waited) {
      if (all_ended()) return true;
      for (const auto& job : jobs_) {
        if (waited.count() % 4 == 3 && !cluster_->job(job.id)) cluster_->submit(job.id, job.toml);
      }
      cluster_->run_for(seconds{1});
    }
    return all_ended();
  }
  void settle() { cluster_->run_for(kSettles); }

  Rng rng_;
  ScratchDirectory scratch_;
  ClusterOptions options_;
  bool calm_ = false;
  std::vector<JobCase> jobs_;
  std::size_t submitted_ = 0;
  std::optional<Cluster> cluster_;
  Outcome out_;
};

}  // namespace

Outcome run_seed(std::uint64_t seed, Defect& defect, Keep keep) { return Scenario(seed, defect, keep).run(); }

}  // namespace frenzy::simulation
