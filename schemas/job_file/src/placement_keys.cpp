#include "placement_keys.hpp"

#include "frenzy/base/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace frenzy::job_file {
namespace {

constexpr std::array<std::string_view, 8> kPrefixes{"number_of_", "num_",      "n_",     "max_",
                                                    "min_",       "required_", "local_", "total_"};
constexpr std::array<std::string_view, 7> kSuffixes{"_count", "_size",     "_degree",  "_ids",
                                                    "_id",    "_per_node", "_per_host"};
constexpr std::array<std::string_view, 27> kDeviceWords{"gpu",
                                                        "gpus",
                                                        "ngpu",
                                                        "ngpus",
                                                        "device",
                                                        "devices",
                                                        "ndevices",
                                                        "accelerator",
                                                        "accelerators",
                                                        "node",
                                                        "nodes",
                                                        "nnodes",
                                                        "nproc",
                                                        "nprocs",
                                                        "world",
                                                        "rank",
                                                        "ranks",
                                                        "worker",
                                                        "workers",
                                                        "machine",
                                                        "machines",
                                                        "replicas",
                                                        "cuda_visible_devices",
                                                        "tp",
                                                        "pp",
                                                        "dp",
                                                        "fsdp"};
constexpr std::array<std::string_view, 8> kParallelism{"tensor",         "tensor_model", "pipeline",
                                                       "pipeline_model", "data",         "context",
                                                       "expert",         "sequence"};
constexpr std::array<std::string_view, 9> kMicroBatch{"micro_batch",
                                                      "microbatch",
                                                      "micro_batches",
                                                      "gradient_accumulation",
                                                      "gradient_accumulation_steps",
                                                      "grad_accum",
                                                      "accumulate_grad_batches",
                                                      "per_device_train_batch",
                                                      "per_device_batch"};

template <std::size_t N>
bool holds(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string plain(std::string_view key) {
  std::string out;
  for (const char c : key) {
    out += c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

std::string_view stem(std::string_view word) {
  for (const auto prefix : kPrefixes) {
    if (word.starts_with(prefix)) word.remove_prefix(prefix.size());
  }
  for (const auto suffix : kSuffixes) {
    if (word.ends_with(suffix)) word.remove_suffix(suffix.size());
  }
  return word;
}

std::string_view reason_against(std::string_view key) {
  const auto word = plain(key);
  auto part = stem(word);
  if (holds(kMicroBatch, part)) {
    return "Frenzy sizes micro-batches for each device; train.global_batch is the sequences a step";
  }
  if (holds(kDeviceWords, part)) {
    return "Frenzy picks the devices: a job says what to train, and runs on whatever fits";
  }
  for (const std::string_view tail : {"_parallel", "_parallelism"}) {
    if (part.ends_with(tail) && holds(kParallelism, part.substr(0, part.size() - tail.size()))) {
      return "Frenzy plans how the model is split over the devices that it picks";
    }
  }
  return {};
}

}  // namespace

Status refuse_placement(const Value& value) {
  for (const auto& entry : value.entries) {
    if (const auto reason = reason_against(entry.key); !reason.empty()) {
      return error(Errc::invalid_argument, "{}: '{}' does not belong in a job file: {}",
                   entry.place, printable(entry.key, 60), reason);
    }
    if (const auto inner = refuse_placement(entry.value); !inner) return inner;
  }
  for (const auto& item : value.items) {
    if (const auto inner = refuse_placement(item); !inner) return inner;
  }
  return {};
}

}  // namespace frenzy::job_file
