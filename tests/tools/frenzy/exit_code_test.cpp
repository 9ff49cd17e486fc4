#include "frenzy/cli/exit_code.hpp"

#include <catch2/catch.hpp>

#include <map>

using namespace frenzy;
using namespace frenzy::cli;
using model::JobState;

TEST_CASE("every error has its exit code", "[cli]") {
  const std::map<Errc, int> codes{
      {Errc::invalid_argument, 2}, {Errc::unsupported, 2}, {Errc::unreachable, 3}, {Errc::refused, 3},  {Errc::timed_out, 3},
      {Errc::not_found, 4},        {Errc::does_not_fit, 5}, {Errc::cancelled, 130}, {Errc::corrupt, 1}, {Errc::io, 1},
      {Errc::exhausted, 1},        {Errc::conflict, 1},     {Errc::internal, 1}};
  CHECK(codes.size() == static_cast<std::size_t>(Errc::internal));
  for (const auto& [code, expected] : codes) {
    CAPTURE(name_of(code));
    CHECK(static_cast<int>(exit_code(Error{code, "why"})) == expected);
  }
}

TEST_CASE("the end of a job has its exit code", "[cli]") {
  struct Case {
    JobState state;
    std::optional<Errc> failure;
    int expected;
  };
  const std::vector<Case> cases{
      {JobState::finished, {}, 0},  {JobState::failed, {}, 1},    {JobState::failed, Errc::internal, 1},
      {JobState::failed, Errc::does_not_fit, 5}, {JobState::failed, Errc::unreachable, 1}, {JobState::cancelled, {}, 6},
      {JobState::submitted, {}, 0}, {JobState::running, {}, 0},   {JobState::held, {}, 0}};
  for (const auto& c : cases) {
    CAPTURE(model::name_of(c.state));
    model::JobSummary job;
    job.state = c.state;
    job.failure = c.failure;
    CHECK(static_cast<int>(exit_code(job)) == c.expected);
  }
}
