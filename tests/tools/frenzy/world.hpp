#pragma once
// Verbs without a process: files in memory, a clock that stands, a console that is read afterwards, and
// a coordinator that answers from its fields.

#include <deque>
#include <map>

#include "frenzy/base/memory_files.hpp"
#include "frenzy/cli/context.hpp"
#include "frenzy/crypto/content_hashing.hpp"
#include "values.hpp"

namespace frenzy::testing {

class FixedClock final : public Clock {
 public:
  TimePoint now() const override { return TimePoint{} + elapsed; }
  WallTime wall() const override { return kNow + elapsed; }
  std::chrono::seconds elapsed{0};
};

class Recorder final : public cli::Console {
 public:
  void out(std::string_view text) override { output += text; }
  void err(std::string_view text) override { errors += text; }
  std::string output, errors;
};

/// What the fake knows and has been told; shared by all connections to it.
struct Cluster {
  std::optional<Error> down{};  ///< of every connection
  std::vector<codec::SubmitJob> submitted{};
  int unanswered_submits = 0;   ///< that many time out, though they arrive
  model::JobDetail job = detail();
  std::vector<model::NodeStatus> nodes{node("n1", model::NodeState::healthy)};
  std::map<ContentDigest, std::vector<std::byte>> content{};
  std::size_t puts = 0;
  std::vector<codec::JobUpdate> updates{};
  std::size_t told = 0;         ///< updates that watchers took
  std::optional<Error> watch_ends{};  ///< after the updates
  codec::Checkpoint checkpoint{};
  std::string cancelled{};
};

class FakeCoordinator final : public cli::Coordinator {
 public:
  explicit FakeCoordinator(Cluster& cluster) : cluster_(cluster) {}
  Result<codec::Message> ask(codec::Message message) override {
    return std::visit([&](auto& m) { return on(m); }, message);
  }
  Status watch(const codec::WatchJob&, const std::function<cli::Watching(const codec::JobUpdate&)>& each) override {
    for (const auto& update : cluster_.updates) {
      ++cluster_.told;
      if (each(update) == cli::Watching::enough) return {};
    }
    return cluster_.watch_ends ? Status(*cluster_.watch_ends) : Status();
  }
  const std::string& address() const override { return address_; }

 private:
  using Answer = Result<codec::Message>;
  template <class T>
  Answer on(const T&) {
    return error(Errc::unsupported, "not this one");
  }
  Answer on(const codec::ListJobs&) { return codec::Message(codec::JobList{{cluster_.job.summary}}); }
  Answer on(const codec::ListNodes&) { return codec::Message(codec::NodeList{cluster_.nodes}); }
  Answer on(const codec::Hello&) { return codec::Message(codec::Welcome{{3}, "0.1.0", {}}); }
  Answer on(const codec::ShowJob& m) {
    if (m.job == "nothing") return error(Errc::not_found, "no job 'nothing'");
    return codec::Message(codec::JobDetail{cluster_.job});
  }
  Answer on(const codec::CancelJob& m) {
    cluster_.cancelled = m.job;
    return codec::Message(codec::Accepted{});
  }
  Answer on(const codec::SubmitJob& m) {
    cluster_.submitted.push_back(m);
    if (cluster_.unanswered_submits-- > 0) return error(Errc::timed_out, "no answer");
    return codec::Message(codec::JobAccepted{m.job});
  }
  Answer on(const codec::OfferChunks& m) {
    codec::MissingChunks out;
    for (const auto& digest : m.digests) {
      if (!cluster_.content.contains(digest)) out.digests.push_back(digest);
    }
    return codec::Message(out);
  }
  Answer on(const codec::PutChunk& m) {
    ++cluster_.puts;
    cluster_.content[m.digest] = m.bytes;
    return codec::Message(codec::Accepted{});
  }
  Answer on(const codec::GetCheckpoint&) { return codec::Message(cluster_.checkpoint); }
  Answer on(const codec::GetChunk& m) {
    const auto found = cluster_.content.find(m.digest);
    if (found == cluster_.content.end()) return error(Errc::unreachable, "node {} is not connected", m.node);
    const auto& all = found->second;
    codec::Chunk out{.digest = m.digest, .offset = m.offset, .total = {all.size()}};
    const auto end = std::min<std::size_t>(all.size(), m.offset.value + std::min<std::uint32_t>(m.size, 1000));
    out.bytes.assign(all.begin() + static_cast<std::ptrdiff_t>(m.offset.value), all.begin() + static_cast<std::ptrdiff_t>(end));
    return codec::Message(out);
  }

  Cluster& cluster_;
  std::string address_ = "127.0.0.1:4700";
};

struct World {
  World() {
    context.console = &console;
    context.clock = &clock;
    context.files = &files;
    context.hashing = hashing.get();
    context.rng = &rng;
    context.where = {.coordinator = "127.0.0.1:4700", .state = "/state", .key_file = "/state/users/admin.key"};
    context.connect = [this]() -> Result<std::unique_ptr<cli::Coordinator>> {
      if (cluster.down) return *cluster.down;
      return Result<std::unique_ptr<cli::Coordinator>>(std::make_unique<FakeCoordinator>(cluster));
    };
  }
  int run(const cli::Command& command) { return static_cast<int>(cli::run(context, command)); }

  FixedClock clock;
  Recorder console;
  MemoryFiles files;
  std::unique_ptr<ContentHashing> hashing = crypto::make_content_hashing();
  Rng rng{1};
  Cluster cluster;
  cli::Context context;
};

}  // namespace frenzy::testing
