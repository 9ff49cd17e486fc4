#pragma once
// Weights in Hugging Face's layout, for use elsewhere: model.safetensors and config.json as
// transformers' GPT2LMHeadModel reads them. A tied head is not written: loading ties it again.

#include "frenzy/executor/checkpoint/checkpoint_reader.hpp"

#include <string>

namespace frenzy::executor::checkpoint {

/// The text of config.json.
[[nodiscard]] std::string huggingface_config(const model::ModelSpec& spec, model::Scalar scalar);

/// Writes both files into `out_directory`, in the checkpoint's scalar; config.json last. Tensors
/// are streamed: memory stays below the largest tensor that is transposed + 1 MiB. A failure leaves
/// neither file half written. Blocks on the disk. Thread: the blocking pool.
[[nodiscard]] Status export_huggingface(Files& files, CheckpointReader& checkpoint,
                                        const std::string& out_directory);

}  // namespace frenzy::executor::checkpoint
