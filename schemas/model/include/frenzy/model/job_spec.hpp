#pragma once
// A job as its user wrote it: model, data, recipe, rules. It names no device and no device count.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frenzy/base/digest.hpp"
#include "frenzy/base/ids.hpp"
#include "frenzy/model/model_spec.hpp"
#include "frenzy/model/recipe.hpp"

namespace frenzy::model {

enum class DataFormat : std::uint8_t { text = 1, jsonl = 2, tokens_nanogpt = 3, tokens_llmc = 4, megatron = 5 };
enum class TokenizerKind : std::uint8_t { bytes = 1, huggingface = 2, sentencepiece = 3 };
enum class Objective : std::uint8_t { time = 1, cost = 2 };

struct DataSource {
  std::string path;  ///< the submitter's
  DataFormat format = DataFormat::text;
  double weight = 1.0;
  std::optional<ContentDigest> digest;  ///< set by submit
  friend bool operator==(const DataSource&, const DataSource&) = default;
};

struct DataSpec {
  std::vector<DataSource> sources;
  TokenizerKind tokenizer = TokenizerKind::bytes;
  std::string tokenizer_path;
  friend bool operator==(const DataSpec&, const DataSpec&) = default;
};

struct EvalSpec {
  std::uint64_t every = 0;  ///< steps; 0 = never
  std::uint32_t batch = 0;  ///< sequences; 0 = as training
  std::vector<DataSource> sources;
  friend bool operator==(const EvalSpec&, const EvalSpec&) = default;
};

struct CheckpointSpec {
  std::uint64_t every = 0;  ///< steps; 0 = at the end only
  std::uint32_t keep = 2;
  friend bool operator==(const CheckpointSpec&, const CheckpointSpec&) = default;
};

struct JobSpec {
  std::string name;
  ModelSpec model;
  DataSpec data;
  Recipe recipe;
  EvalSpec eval;
  CheckpointSpec checkpoint;
  std::int32_t priority = 0;
  Objective objective = Objective::time;
  std::uint32_t max_restarts = 3;
  friend bool operator==(const JobSpec&, const JobSpec&) = default;
};

}  // namespace frenzy::model
