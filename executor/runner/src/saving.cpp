#include "frenzy/executor/saving.hpp"

namespace frenzy::executor {
namespace {

/// Calls `each(spec, bytes)` for every owned range.
template <class Each>
Status for_each_owned(const State& state, Each each) {
  for (std::uint32_t b = 0; b < state.blocks(); ++b) {
    for (const auto field : model::kFields) {
      const auto range = state.owned({b}, field);
      if (range.empty()) continue;
      const checkpoint::PieceSpec spec{{b}, field, range, state.scalar()};
      if (auto done = each(spec, state.bytes({b}, field, range)); !done) return done;
    }
  }
  return {};
}

/// Writes pieces into one directory and reads each back.
class PieceWriter {
 public:
  PieceWriter(Files& files, const ContentHashing& hashing, const std::string& directory)
      : files_(files), hashing_(hashing), directory_(directory) {}

  Status operator()(const checkpoint::PieceSpec& spec, std::span<const std::byte> bytes) {
    auto piece = checkpoint::write_piece(files_, hashing_, directory_, spec, bytes);
    if (!piece) return piece.error();
    if (const auto right = checkpoint::check_piece(files_, hashing_, directory_, *piece); !right) return right.error();
    pieces.push_back(*piece);
    return {};
  }

  std::vector<checkpoint::Piece> pieces;

 private:
  Files& files_;
  const ContentHashing& hashing_;
  const std::string& directory_;
};

}  // namespace

Result<std::vector<checkpoint::Piece>> save_state(const State& state, Files& files,
                                                  const ContentHashing& hashing,
                                                  const std::string& directory) {
  PieceWriter writer(files, hashing, directory);
  const auto done = for_each_owned(state, [&](const auto& spec, auto bytes) { return writer(spec, bytes); });
  if (!done) return done.error();
  return std::move(writer.pieces);
}

StateCopy copy_owned(const State& state) {
  StateCopy out;
  static_cast<void>(for_each_owned(state, [&](const auto& spec, auto bytes) -> Status {
    out.ranges.push_back({spec, {bytes.begin(), bytes.end()}});
    return {};
  }));
  return out;
}

Result<std::vector<checkpoint::Piece>> save_copies(const std::vector<StateCopy>& copies, Files& files,
                                                   const ContentHashing& hashing,
                                                   const std::string& directory) {
  PieceWriter writer(files, hashing, directory);
  for (const auto& copy : copies) {
    for (const auto& range : copy.ranges) {
      if (auto done = writer(range.spec, range.bytes); !done) return done.error();
    }
  }
  return std::move(writer.pieces);
}

Status load_state(State& state, checkpoint::CheckpointReader& reader) {
  for (std::uint32_t b = 0; b < state.blocks(); ++b) {
    for (const auto field : model::kFields) {
      const auto range = state.held({b}, field);
      if (range.empty()) continue;
      const auto status = reader.load({b}, field, range, state.bytes({b}, field, range));
      if (!status) return status;
    }
  }
  return {};
}

}  // namespace frenzy::executor
