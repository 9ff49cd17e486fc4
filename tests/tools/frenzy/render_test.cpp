#include <catch2/catch.hpp>

#include "frenzy/cli/job_json.hpp"
#include "frenzy/cli/job_text.hpp"
#include "values.hpp"

namespace frenzy::testing {

TEST_CASE("jobs as a table", "[cli]") {
  const std::vector jobs{summary()};
  CHECK(cli::jobs_text(jobs, kFile, kNow) ==
        "ID        NAME  OWNER  STATE    SINCE      STEP    LOSS  REASON\n"
        "abababab  tale  ada    running   1:15  120/1000  2.3412  3 devices train\n");
  CHECK(cli::jobs_text({}, kFile, kNow) == "no jobs yet; `frenzy new job.toml` writes one to submit\n");
}

TEST_CASE("a job as a page", "[cli]") {
  CHECK(cli::job_text(detail(), kFile) ==
        "tale  abababab-abab-abab-abab-abababababab\n"
        "running since 2026-11-30T21:56:09Z: 3 devices train\n"
        "submitted by ada 2026-11-30T21:55:54Z, step 120 of 1000, last save at step 100, loss 2.3412, 12.3k tokens/s\n"
        "\n"
        "Epoch 2, predicted step 250.0 ms\n"
        "DEVICE   SAMPLES  MICRO  STATE  PREDICTED     ARENA  MEASURED  WHY\n"
        "n1/cpu0       21      4  75.0%   9.00 MiB  8.00 MiB  8.00 MiB  4x as fast as n2/cpu0\n"
        "n2/cpu0        7      4  25.0%   9.00 MiB  8.00 MiB         -  4x as fast as n2/cpu0\n"
        "\n"
        "Left out, and what limits it\n"
        "  n3/cpu0 is left out: 8.0 MiB are too small\n"
        "\n"
        "History\n"
        "  2026-11-30T21:55:54Z submitted: waits for a plan\n"
        "  2026-11-30T21:56:09Z running: 3 devices??[2J train\n");
}

TEST_CASE("a page has no line wider than the terminal and no control byte", "[cli]") {
  const cli::Surface narrow{.medium = cli::Medium::terminal, .width = 60};
  const auto table = cli::shares_text(detail(), narrow);
  for (std::size_t begin = 0; begin < table.size();) {
    const auto end = table.find('\n', begin);
    CHECK(end - begin <= 60);
    begin = end + 1;
  }
  const auto page = cli::job_text(detail(), narrow);
  CHECK(page.find('\r') == std::string::npos);
  CHECK(page.find('\x1b') == std::string::npos);
}

TEST_CASE("nodes as a table", "[cli]") {
  const std::vector nodes{node("n1", model::NodeState::healthy), node("n2", model::NodeState::lost)};
  CHECK(cli::nodes_text(nodes, kFile, kNow) ==
        "NODE  STATE    SINCE  DEVICE      MEMORY      HELD         RATE  REASON\n"
        "n1    healthy   0:07  n1/cpu0  512.0 MiB  12.0 MiB  1.50GFLOP/s  1 device measured\n"
        "n2    lost      0:07  n2/cpu0  512.0 MiB  12.0 MiB  1.50GFLOP/s  1 device measured\n");
}

TEST_CASE("lines of a log", "[cli]") {
  CHECK(cli::step_line(row(3, 0)) == "2026-11-30T21:57:24Z step=3 loss=2.3000 norm=1.5 lr=0.001 seconds=0.500\n");
  CHECK(cli::change_line(detail().history[1]) == "2026-11-30T21:56:09Z running: 3 devices??[2J train\n");
  CHECK(cli::end_line(summary()) == "tale running: 3 devices train\n");
}

TEST_CASE("values as JSON", "[cli]") {
  const std::vector jobs{summary()};
  CHECK(cli::jobs_json(jobs) ==
        R"([{"id":"abababab-abab-abab-abab-abababababab","name":"tale","owner":"ada","state":"running","since":"2026-11-30T21:56:09Z",)"
        R"("reason":"3 devices train","submitted":"2026-11-30T21:55:54Z","step":120,"steps":1000,"saved_step":100,)"
        R"("loss":2.34124,"tokens_per_second":12345}])"
        "\n");
  CHECK(cli::jobs_json({}) == "[]\n");
  auto job = detail();
  job.shares.pop_back();
  CHECK(cli::job_json(job) ==
        R"({"id":"abababab-abab-abab-abab-abababababab","name":"tale","owner":"ada","state":"running","since":"2026-11-30T21:56:09Z",)"
        R"("reason":"3 devices train","submitted":"2026-11-30T21:55:54Z","step":120,"steps":1000,"saved_step":100,)"
        R"("loss":2.34124,"tokens_per_second":12345,"epoch":2,"predicted_step_seconds":0.25,"devices":[)"
        R"({"device":"01010101-0101-0101-0101-010101010101","name":"n1/cpu0","node":"02020202-0202-0202-0202-020202020202",)"
        R"("node_name":"n1","samples":21,"micro_batch":4,"owned_elements":750,"why":"4x as fast as n2/cpu0",)"
        R"("predicted":{"weights_bytes":8388608,"gradients_bytes":0,"optimizer_bytes":0,"activations_bytes":0,"logits_bytes":0,)"
        R"("workspace_bytes":0,"communication_bytes":0,"gaps_bytes":0,"fixed_bytes":0,"reserve_bytes":1048576,)"
        R"("total_bytes":9437184},"predicted_arena_bytes":8388608,"measured_bytes":8388608}],)"
        R"("notes":["n3/cpu0 is left out: 8.0 MiB are too small"],)"
        R"("history":[{"state":"submitted","since":"2026-11-30T21:55:54Z","reason":"waits for a plan"},)"
        R"({"state":"running","since":"2026-11-30T21:56:09Z","reason":"3 devices\r\u001b[2J train"}],)"
        R"("toml":"name = \"tale\"\n"})"
        "\n");
  const std::vector nodes{node("n1", model::NodeState::healthy)};
  CHECK(cli::nodes_json(nodes) ==
        R"([{"id":"03030303-0303-0303-0303-030303030303","name":"n1","address":"127.0.0.1:4711","state":"healthy",)"
        R"("since":"2026-11-30T21:57:17Z","reason":"1 device measured","devices":[)"
        R"({"id":"04040404-0404-0404-0404-040404040404","name":"n1/cpu0","memory_bytes":536870912,"free_bytes":524288000,)"
        R"("held_bytes":12582912,"slowdown":4,"matrix_flops_per_second":1.5e+09}],"jobs":["tale"]}])"
        "\n");
  CHECK(cli::step_json(row(3, 0)) ==
        R"({"step":3,"at":"2026-11-30T21:57:24Z","loss":2.3,"tokens":100,"norm":1.5,"learning_rate":0.001,"seconds":0.5})"
        "\n");
}

TEST_CASE("a failed job's JSON names the kind of its failure", "[cli]") {
  auto job = summary();
  job.failure = Errc::does_not_fit;
  const std::vector jobs{job};
  CHECK(cli::jobs_json(jobs).find(R"("failure":"does_not_fit"})") != std::string::npos);
}

}  // namespace frenzy::testing
