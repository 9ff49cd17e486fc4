#include "invariants.hpp"

#include <cmath>
#include <cstring>

#include "frenzy/executor/checkpoint/piece.hpp"
#include "oracle.hpp"

namespace frenzy::simulation {
namespace {

using model::JobState;
namespace checkpoint = executor::checkpoint;

/// Elements of a saved piece, as the disk has them.
Result<std::vector<double>> read_piece(Cluster& cluster, const model::SavedPiece& saved, model::Scalar scalar) {
  const checkpoint::Piece piece{{saved.block, saved.field, saved.elements, scalar}, saved.digest, saved.size};
  auto& disk = cluster.disk(saved.node);
  const auto start = checkpoint::check_piece(disk, cluster.hashing(), kSaves, piece);
  if (!start) return start.error();
  std::vector<std::byte> bytes(piece.spec.data_bytes());
  const auto file = disk.open(checkpoint::piece_path(kSaves, saved.digest));
  if (!file) return file.error();
  if (const auto read = (*file)->read(*start, bytes); !read) return read.error();
  std::vector<double> out(saved.elements.size());
  const auto width = model::size_of(scalar);
  for (std::size_t i = 0; i < out.size(); ++i) {
    float narrow = 0;
    if (width == 8) std::memcpy(&out[i], bytes.data() + i * width, width);
    if (width == 4) std::memcpy(&narrow, bytes.data() + i * width, width);
    if (width == 4) out[i] = static_cast<double>(narrow);
  }
  return out;
}

/// The first difference between a piece and the oracle, or nothing.
std::string difference(const Oracle& oracle, const model::SavedPiece& piece, const std::vector<double>& elements) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto at = piece.elements.begin + i;
    const auto expected = oracle.value(piece.block, piece.field, at);
    if (elements[i] == expected) continue;
    return format("block {} {} element {} is {}, the oracle has {}", piece.block, model::name_of(piece.field), at, elements[i], expected);
  }
  return {};
}

class JobCheck {
 public:
  JobCheck(Cluster& cluster, const JobCase& job, Outcome& out)
      : cluster_(cluster), job_(job), out_(out), oracle_(job.spec, cluster.options().data) {}

  void steps() {
    const auto rows = cluster_.store().steps(job_.id, {1}, 100'000);
    if (!rows) return fail(rows.error().what);
    for (const auto& row : *rows) {
      if (row.step < at_) return fail(format("step {} is recorded behind step {}", row.step, at_));
      save_if_before(row.step);
      go_to(row.step);
      const auto& sums = oracle_.sums();
      cluster_.log().add(row.step.value);
      if (row.loss_sum != sums.loss || static_cast<double>(row.tokens) != sums.tokens || row.norm != sums.norm) {
        return fail(format("step {} reports loss {}, tokens {}, norm {}; the oracle has {}, {}, {}", row.step, row.loss_sum,
                           row.tokens, row.norm, sums.loss, sums.tokens, sums.norm));
      }
      ++out_.steps_compared;
    }
    save_if_before({UINT64_MAX});
  }

  /// The save that the store names; compared when the oracle passes its step.
  void expect_save() {
    auto save = cluster_.store().newest_save(job_.id);
    if (save) save_ = std::move(*save);
  }
  [[nodiscard]] bool has_save() const { return found_save_; }

 private:
  void fail(const std::string& what) { out_.violations.push_back(format("{}: {}", job_.spec.name, what)); }

  void go_to(Step step) {
    oracle_.advance(step);
    at_ = step;
  }

  void save_if_before(Step next) {
    if (!save_ || save_->step >= next) return;
    go_to(save_->step);
    compare(*save_);
    save_.reset();
  }

  void compare(const store::StoredSave& save) {
    found_save_ = true;
    std::map<std::pair<std::uint32_t, model::Field>, std::uint64_t> covered;
    for (const auto& piece : save.pieces) {
      const auto elements = read_piece(cluster_, piece, job_.spec.recipe.precision);
      if (!elements) return fail(format("the save of step {} cannot be read: {}", save.step, elements.error()));
      const auto wrong = difference(oracle_, piece, *elements);
      if (!wrong.empty()) return fail(format("saved at step {}: {}", save.step, wrong));
      covered[{piece.block.value, piece.field}] += piece.elements.size();
    }
    for (std::uint32_t b = 0; b < oracle_.blocks(); ++b) {
      for (const auto field : model::kFields) {
        const bool wanted = field == model::Field::weights || oracle_.has_moments();
        const auto size = wanted ? oracle_.elements({b}) : 0;
        if (covered[{b, field}] == size) continue;
        fail(format("the save of step {} has {} elements of block {} {}, not {}", save.step, covered[{b, field}], b,
                    model::name_of(field), size));
      }
    }
    ++out_.states_compared;
  }

  Cluster& cluster_;
  const JobCase& job_;
  Outcome& out_;
  Oracle oracle_;
  Step at_{};
  std::optional<store::StoredSave> save_;
  bool found_save_ = false;
};

/// Reasons that a fault can have. Everything else is a bug of ours.
bool excusable(Errc code) { return code == Errc::unreachable || code == Errc::timed_out || code == Errc::conflict || code == Errc::cancelled; }

void check_end(const JobCase& job, const model::JobSummary& summary, bool disturbed, bool saved, Outcome& out) {
  const auto fail = [&](const std::string& what) {
    out.violations.push_back(format("{}: {}: {}", job.spec.name, what, summary.reason));
  };
  if (summary.state == JobState::finished && summary.saved != Step{job.spec.recipe.steps}) fail("it finished without its last save");
  if (summary.saved.value > 0 && !saved) fail("a save is told that the store does not name");
  if (summary.state != JobState::failed) return;
  const auto code = summary.failure.value_or(Errc::internal);
  if (code == Errc::does_not_fit) return;
  if (!disturbed) fail("it failed without a fault");
  if (!excusable(code)) fail("it failed for no fault of the network");
}

}  // namespace

void check_job(Cluster& cluster, const JobCase& job, bool disturbed, Outcome& out) {
  const auto detail = cluster.job(job.id);
  if (!detail) return out.violations.push_back(format("{} was never accepted", job.spec.name));
  const auto& summary = detail->summary;
  cluster.log().add(model::name_of(summary.state));
  cluster.log().add(summary.reason);
  if (!model::is_terminal(summary.state)) {
    return out.violations.push_back(format("{} has not ended, it is {}: {}", job.spec.name, model::name_of(summary.state), summary.reason));
  }
  out.finished += summary.state == JobState::finished ? 1U : 0U;
  out.failed += summary.state == JobState::failed ? 1U : 0U;
  out.cancelled += summary.state == JobState::cancelled ? 1U : 0U;
  JobCheck check(cluster, job, out);
  check.expect_save();
  check.steps();
  check_end(job, summary, disturbed, check.has_save(), out);
}

void check_cluster(Cluster& cluster, Outcome& out) {
  for (const auto& held : cluster.held()) out.violations.push_back(format("no job runs, but {}", held));
  if (cluster.runners() > 0) out.violations.push_back(format("no job runs, but {} runners live", cluster.runners()));
  if (cluster.watch().arenas() > 0) out.violations.push_back(format("no job runs, but {} arenas live", cluster.watch().arenas()));
  for (const auto& twice : cluster.watch().violations()) out.violations.push_back(twice);
  for (const auto& line : cluster.log().errors()) out.violations.push_back(format("logged as an error: {}", line));
}

}  // namespace frenzy::simulation
