// All-reduce (reduce-scatter, then all-gather) of 64 MiB fp32 over four devices in two processes, two in
// each, against a plain 64 MiB body between the same two processes. Shared memory (UCX), clear bodies;
// interleaved rounds, medians. Bus bandwidth = 2 (n-1)/n x bytes / time.
// Usage: bench_allreduce [rounds]

#include <array>
#include <cstdio>
#include <cstdlib>
#include <future>

#include "bench_process.hpp"
#include "frenzy/base/check.hpp"
#include "frenzy/base/thread_tasks.hpp"
#include "frenzy/executor/arena.hpp"
#include "frenzy/executor/collectives.hpp"
#include "frenzy/executor/cpu/make_kernels.hpp"
#include "frenzy/executor/session_exchange.hpp"

using namespace frenzy;
using namespace frenzy::bench;
using namespace frenzy::executor;

namespace {

constexpr std::uint64_t kElements = 16U << 20;
constexpr std::size_t kBytes = kElements * sizeof(float);
constexpr std::uint32_t kRanks = 4, kHere = 2;
constexpr int kReduces = 4, kBodies = 8, kBodiesAhead = 2;

std::vector<model::ElementRange> even_ranges() {
  std::vector<model::ElementRange> out;
  for (std::uint64_t r = 0; r < kRanks; ++r) out.push_back({r * kElements / kRanks, (r + 1) * kElements / kRanks});
  return out;
}

/// One device: its gradients, and the stream its sums run on.
struct Device {
  Device(const Clock& clock, std::uint32_t number)
      : rank{number}, stream(clock), kernels(cpu::make_kernels(tiny_model(), model::Scalar::fp32, {})) {}
  static model::ModelSpec tiny_model() {
    return *model::validated({.layers = 1, .hidden = 16, .heads = 2, .ffn = 0, .positions = 16, .vocabulary = 256});
  }
  Rank rank;
  ThreadTasks stream;
  std::unique_ptr<Kernels> kernels;
  std::unique_ptr<Exchange> exchange;

 private:
  // As in a program: one arena holds both.
  static constexpr std::uint64_t kInbox = kElements / kRanks * (kRanks - 1);
  std::unique_ptr<Arena> arena_ = std::move(Arena::create(Bytes{(kElements + kInbox) * sizeof(float)}, Bytes{1U << 30})).value();
  std::span<float> all_{reinterpret_cast<float*>(arena_->bytes().data()), kElements + kInbox};

 public:
  std::span<float> data = all_.first(kElements), inbox = all_.last(kInbox);
};

/// One of the two processes. Thread: main, with the session on the loop's own.
class Side {
 public:
  Side(Process& process, Mailbox& mailbox, transport::PeerId peer, std::uint32_t first)
      : process_(process), mailbox_(mailbox), peer_(peer), hub_(kRanks) {
    ExchangeRoutes routes{.ranks = kRanks, .remote = {}};
    for (std::uint32_t r = 0; r < kRanks; ++r) {
      if (r < first || r >= first + kHere) routes.remote[{r}] = peer;
    }
    for (std::uint32_t r = first; r < first + kHere; ++r) {
      devices_.push_back(std::make_unique<Device>(clock_, r));
      devices_.back()->exchange = join_routes(hub_, process.session(), routes, {r});
    }
  }

  /// Both sides leave it together.
  void meet() {
    process_.loop().post([this] { process_.session().send(peer_, {std::byte{1}}, nullptr); });
    static_cast<void>(mailbox_.wait());
  }

  /// Seconds of one all-reduce, with rank r giving r + 1 everywhere; the sums are checked.
  double all_reduce_time() {
    for (auto& device : devices_) {
      std::ranges::fill(device->data, static_cast<float>(device->rank.value + 1));
    }
    meet();
    const double start = seconds_now();
    for (int i = 0; i < kReduces; ++i) all_reduce_once();
    meet();
    const double seconds = (seconds_now() - start) / kReduces;
    float expected = 10.0F;  // 1 + 2 + 3 + 4, then four times the sum each time
    for (int i = 1; i < kReduces; ++i) expected *= kRanks;
    for (const auto& device : devices_) {
      for (const auto value : device->data) FRENZY_CHECK(value == expected);
    }
    return seconds;
  }

  /// Seconds of one 64 MiB body from the first process to the second.
  double body_time(bool sends) {
    std::vector<std::promise<Status>> done(kBodies);
    meet();
    const double start = seconds_now();
    process_.loop().post([&] {
      for (int i = 0; i < (sends ? kBodies : kBodiesAhead); ++i) body(sends, i, done);
    });
    for (auto& each : done) FRENZY_CHECK(each.get_future().get().ok());
    meet();
    ++turn_;
    return (seconds_now() - start) / kBodies;
  }

 private:
  void body(bool sends, int i, std::vector<std::promise<Status>>& done) {
    auto& device = *devices_[static_cast<std::size_t>(i) % kHere];
    const auto bytes = std::as_writable_bytes(device.data);
    const transport::BodyTag tag{turn_, static_cast<std::uint64_t>(i)};
    if (sends) {
      return process_.session().send_body(peer_, tag, bytes, [&done, i](Status s) {
        done[static_cast<std::size_t>(i)].set_value(std::move(s));
      });
    }
    process_.session().post_receive(peer_, tag, bytes, [this, &done, i](Status s) {
      done[static_cast<std::size_t>(i)].set_value(std::move(s));
      if (i + kBodiesAhead < kBodies) body(false, i + kBodiesAhead, done);
    });
  }

  void all_reduce_once() {
    std::vector<std::promise<Status>> done(devices_.size());
    const auto turn = turn_++;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      auto& device = *devices_[i];
      const CollectiveCall call{device.exchange.get(), device.kernels.get(), &device.stream, device.rank,
                                {turn, 0, 1}, ranges_, sizeof(float),
                                std::as_writable_bytes(device.data)};
      reduce_scatter(call, std::as_writable_bytes(device.inbox), [&done, i, call](const Status& status) {
        if (!status) return done[i].set_value(status);
        auto gather = call;
        gather.tag.kind = 2;
        all_gather(gather, [&done, i](Status s) { done[i].set_value(std::move(s)); });
      });
    }
    for (auto& each : done) FRENZY_CHECK(each.get_future().get().ok());
  }

  SystemClock clock_;
  Process& process_;
  Mailbox& mailbox_;
  transport::PeerId peer_;
  LocalExchange hub_;
  std::vector<model::ElementRange> ranges_ = even_ranges();
  std::vector<std::unique_ptr<Device>> devices_;
  std::uint64_t turn_ = 1U << 20;
};

struct Times {
  std::vector<double> body, reduce, ratio;
};

/// The same turns on both sides. The first round touches all memory and is not counted.
Times play(Side& side, bool sends, int rounds) {
  constexpr double kBusBytes = 2.0 * (kRanks - 1) / kRanks * static_cast<double>(kBytes);
  Times out;
  for (int round = 0; round <= rounds; ++round) {
    const double body = static_cast<double>(kBytes) / side.body_time(sends);
    const double reduce = kBusBytes / side.all_reduce_time();
    if (round == 0) continue;
    if (sends) std::printf("round %d: body %.2f GB/s, all-reduce bus %.2f GB/s\n", round, body / 1e9, reduce / 1e9);
    out.body.push_back(body);
    out.reduce.push_back(reduce);
    out.ratio.push_back(reduce / body);
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
  const Setup setup{true, transport::BodySeal::clear};
  transport::set_ucx_environment({});
  const auto server = fork_server([&](const Listen& listening) {
    Mailbox mailbox;
    Process process(setup, mailbox, 1);
    listening(process.session().listen("127.0.0.1:0").value());
    transport::LoopThread thread(process.loop());
    Side side(process, mailbox, mailbox.wait_peer(), kHere);
    static_cast<void>(play(side, false, rounds));
    thread.stop();
  });
  Mailbox mailbox;
  Process process(setup, mailbox, 2);
  process.session().connect(server.address, [](const Result<transport::PeerId>& peer) { FRENZY_CHECK(peer.ok()); });
  transport::LoopThread thread(process.loop());
  {
    Side side(process, mailbox, mailbox.wait_peer(), 0);
    const auto times = play(side, true, rounds);
    std::printf("allreduce devices=%u processes=2 mib=64 p2p_gb_per_s=%.3f bus_gb_per_s=%.3f ratio_to_p2p=%.3f\n",
                kRanks, median(times.body) / 1e9, median(times.reduce) / 1e9, median(times.ratio));
  }
  thread.stop();
  join_server(server);
}
