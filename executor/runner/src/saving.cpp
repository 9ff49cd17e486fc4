#include "frenzy/executor/saving.hpp"

namespace frenzy::executor {

Result<std::vector<checkpoint::Piece>> save_state(const State& state, Files& files,
                                                  const ContentHashing& hashing,
                                                  const std::string& directory) {
  std::vector<checkpoint::Piece> out;
  for (std::uint32_t b = 0; b < state.blocks(); ++b) {
    for (const auto field : model::kFields) {
      const auto range = state.owned({b}, field);
      if (range.empty()) continue;
      auto piece = checkpoint::write_piece(files, hashing, directory, {{b}, field, range, state.scalar()},
                                           state.bytes({b}, field, range));
      if (!piece) return piece.error();
      out.push_back(*piece);
    }
  }
  return out;
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
