// A job file is an error or a job whose canonical text is the same job.

#include "frenzy/base/check.hpp"
#include "frenzy/job_file/job_file.hpp"

#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto job = frenzy::job_file::parse_job(text, "job.toml");
  if (!job.ok()) return 0;
  const auto again = frenzy::job_file::parse_job(frenzy::job_file::to_toml(*job), "again.toml");
  FRENZY_CHECK(again.ok());
  FRENZY_CHECK(*again == *job);
  return 0;
}
