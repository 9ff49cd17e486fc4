#pragma once
// The job file: the TOML text in which a user says what to train. Parsing is strict, because a
// setting that is silently dropped costs a training run: an unknown key, a wrong type or a value
// out of range is an error that says where. A job file never says how many devices there are.
// Everything here is a pure function of its text; no file is opened. Thread: any.

#include "frenzy/base/result.hpp"
#include "frenzy/model/job_spec.hpp"

#include <span>
#include <string>
#include <string_view>

namespace frenzy::job_file {

/// Longest text that is read; a job file is a page or two.
inline constexpr std::size_t kLongestText = 64 << 10;

/// The job that `text` describes, with `overrides` ("train.steps=5", as after -o) put over it in
/// order. `file_name` is only for messages. Of several problems the first in the file is reported:
///   invalid_argument  not TOML, unknown key (with the nearest one), wrong type, out of range,
///   missing,
///                     sizes that contradict each other, anything that counts or picks devices
///   unsupported       understood, but not something this version does
/// Every error begins with "file:line:column: " or "-o key=value: ".
[[nodiscard]] Result<model::JobSpec> parse_job(std::string_view text, std::string_view file_name,
                                               std::span<const std::string> overrides = {});

/// Relative paths of data and tokenizer made relative to the folder of `job_file_path`.
[[nodiscard]] model::JobSpec resolved(model::JobSpec job, std::string_view job_file_path);

/// The canonical text of a job: parse_job gives back an equal one. `job` is one that parse_job
/// returned (paths may have been resolved and digests set).
[[nodiscard]] std::string to_toml(const model::JobSpec& job);

/// A commented job file to start from, for one of model::preset's names; not_found otherwise.
[[nodiscard]] Result<std::string> job_template(std::string_view preset);

}  // namespace frenzy::job_file
