#include "frenzy/base/rng.hpp"
#include "mutations.hpp"
#include "frenzy/job_file/job_file.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace frenzy;
using namespace std::string_view_literals;
using namespace frenzy::job_file;

namespace {

constexpr std::string_view kSpice = "\"'[]{}=.,#\n\\\x00\xff-+eE_:TZ0"sv;

}  // namespace

TEST_CASE("mutated job files give a job or one line that names the file", "[job_file]") {
  const auto original = *job_template("gpt2-tiny");
  Rng rng(99);
  int accepted = 0;
  for (int round = 0; round < 4000; ++round) {
    const auto text = tests::mutated(original, kSpice, rng);
    const auto job = parse_job(text, "job.toml");
    if (job.ok()) {
      ++accepted;
      const auto again = parse_job(to_toml(*job), "again.toml");
      INFO(text);
      REQUIRE(again.ok());
      REQUIRE(*again == *job);
      continue;
    }
    INFO(job.error().what);
    REQUIRE(job.error().what.starts_with("job.toml"));
    REQUIRE(job.error().what.find('\n') == std::string::npos);
    REQUIRE(job.error().what.size() < 1000);
  }
  CHECK(accepted > 100);
}

TEST_CASE("deep texts end in an error, not in the end of the stack", "[job_file]") {
  const auto repeated = [](std::string_view part, std::size_t bytes) {
    std::string out;
    while (out.size() + part.size() <= bytes) out += part;
    return out;
  };
  const std::string segments = repeated("a.", 46) + "a";
  for (const auto& text :
       {repeated("a.", kLongestText - 10) + "a=1", "[" + repeated("a.", kLongestText - 10) + "a]",
        "a=" + repeated("[", kLongestText - 10), repeated("a={", kLongestText),
        repeated(segments + "={", kLongestText), repeated("[[a]]\n", kLongestText),
        "x = \"" + repeated("\\u0041", kLongestText - 10) + "\"",
        repeated("a . ", kLongestText - 10) + "=1",
        repeated(segments + "={", 200 * (segments.size() + 2)) + std::string(200, '}')}) {
    const auto job = parse_job(text, "job.toml");
    REQUIRE_FALSE(job.ok());
    CHECK(job.error().what.starts_with("job.toml"));
  }
}
