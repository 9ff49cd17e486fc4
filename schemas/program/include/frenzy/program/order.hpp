#pragma once
// Order inside a program: what must be done before an instruction may start. Instructions of one
// stream start in list order; between streams, an instruction waits for the last writer of each
// buffer it reads, and for the last writer and all readers since of each buffer it writes, and for
// its `after` edges. Executor, packing and pricer all read order from here.

#include <cstdint>
#include <span>
#include <vector>

#include "frenzy/program/program.hpp"

namespace frenzy::program {

/// Direct predecessors of each instruction, ascending, without those implied by one's own stream
/// (only the nearest earlier instruction of the same stream is listed).
[[nodiscard]] std::vector<std::vector<std::uint32_t>> predecessors(const Program& program);

/// Reachability: does instruction a happen before instruction b? a row is a bit set.
class HappensBefore {
 public:
  explicit HappensBefore(const std::vector<std::vector<std::uint32_t>>& predecessors);
  /// True if `a` is complete whenever `b` starts.
  [[nodiscard]] bool operator()(std::uint32_t a, std::uint32_t b) const {
    return (rows_[b * words_ + a / 64] >> (a % 64)) & 1U;
  }
  /// Bit set of everything that happens before `b`.
  [[nodiscard]] std::span<const std::uint64_t> row(std::uint32_t b) const {
    return {rows_.data() + b * words_, words_};
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> rows_;  // row b: everything that happens before b
};

/// The pure cursor: which instructions may start, given which have completed.
class Cursor {
 public:
  explicit Cursor(const Program& program);
  /// Instructions that became ready since the last call, in list order.
  [[nodiscard]] std::vector<InstructionIndex> take_ready();
  /// `done` has completed; it must have been taken and not completed before.
  void complete(InstructionIndex done);
  [[nodiscard]] bool finished() const { return completed_ == waiting_.size(); }
  [[nodiscard]] std::size_t completed() const { return completed_; }
  /// Starts over, for the next step.
  void reset();

 private:
  std::vector<std::uint32_t> initial_;
  std::vector<std::uint32_t> waiting_;
  std::vector<std::vector<std::uint32_t>> successors_;
  std::vector<bool> taken_, done_;
  std::vector<std::uint32_t> ready_;
  std::size_t completed_ = 0;
};

}  // namespace frenzy::program
