#include "frenzy/program/order.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "frenzy/base/check.hpp"

namespace frenzy::program {
namespace {

struct BufferHistory {
  std::optional<std::uint32_t> writer;
  std::vector<std::uint32_t> readers;  // since the last write
};

bool writes(Access access) { return access != Access::read; }

/// What an instruction waits for because of its buffers.
void wait_for_buffers(const Instruction& instruction, const std::vector<BufferHistory>& history,
                      std::vector<std::uint32_t>& before) {
  for (const auto& use : instruction.uses) {
    const auto& buffer = history[use.buffer.value];
    if (buffer.writer) before.push_back(*buffer.writer);
    if (writes(use.access)) {
      before.insert(before.end(), buffer.readers.begin(), buffer.readers.end());
    }
  }
}

void remember(const Instruction& instruction, std::uint32_t index,
              std::vector<BufferHistory>& history) {
  for (const auto& use : instruction.uses) {
    auto& buffer = history[use.buffer.value];
    if (writes(use.access)) {
      buffer = {index, {}};
    } else {
      buffer.readers.push_back(index);
    }
  }
}

}  // namespace

std::vector<std::vector<std::uint32_t>> predecessors(const Program& program) {
  std::vector<std::vector<std::uint32_t>> out(program.instructions.size());
  std::vector<BufferHistory> history(program.buffers.size());
  std::array<std::optional<std::uint32_t>, kStreams> last{};
  for (std::uint32_t i = 0; i < program.instructions.size(); ++i) {
    const auto& instruction = program.instructions[i];
    auto& before = out[i];
    auto& stream = last[static_cast<std::size_t>(instruction.stream)];
    if (stream) before.push_back(*stream);
    stream = i;
    for (const auto after : instruction.after) before.push_back(after.value);
    wait_for_buffers(instruction, history, before);
    remember(instruction, i, history);
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    std::erase(before, i);
    FRENZY_CHECK(before.empty() || before.back() < i);
  }
  return out;
}

HappensBefore::HappensBefore(const std::vector<std::vector<std::uint32_t>>& predecessors)
    : words_((predecessors.size() + 63) / 64), rows_(predecessors.size() * words_) {
  for (std::size_t b = 0; b < predecessors.size(); ++b) {
    auto* row = rows_.data() + b * words_;
    for (const auto a : predecessors[b]) {
      const auto* from = rows_.data() + a * words_;
      for (std::size_t w = 0; w < words_; ++w) row[w] |= from[w];
      row[a / 64] |= 1ULL << (a % 64);
    }
  }
}

Cursor::Cursor(const Program& program) : successors_(program.instructions.size()) {
  const auto before = predecessors(program);
  initial_.resize(before.size());
  for (std::uint32_t i = 0; i < before.size(); ++i) {
    initial_[i] = static_cast<std::uint32_t>(before[i].size());
    for (const auto p : before[i]) successors_[p].push_back(i);
  }
  reset();
}

void Cursor::reset() {
  waiting_ = initial_;
  taken_.assign(initial_.size(), false);
  done_.assign(initial_.size(), false);
  ready_.clear();
  completed_ = 0;
  for (std::uint32_t i = 0; i < waiting_.size(); ++i) {
    if (waiting_[i] == 0) ready_.push_back(i);
  }
}

std::vector<InstructionIndex> Cursor::take_ready() {
  std::sort(ready_.begin(), ready_.end());
  std::vector<InstructionIndex> out;
  out.reserve(ready_.size());
  for (const auto i : ready_) {
    taken_[i] = true;
    out.push_back({i});
  }
  ready_.clear();
  return out;
}

void Cursor::complete(InstructionIndex done) {
  FRENZY_CHECK(taken_[done.value] && !done_[done.value]);
  done_[done.value] = true;
  ++completed_;
  for (const auto next : successors_[done.value]) {
    if (--waiting_[next] == 0) ready_.push_back(next);
  }
}

}  // namespace frenzy::program
