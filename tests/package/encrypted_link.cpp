// A session over the UCX carrier, keys from libsodium, a wire message and a job file: one symbol at
// least of every library that links something of others.

#include <cstdio>

#include "frenzy/codec/envelope.hpp"
#include "frenzy/crypto/crypto.hpp"
#include "frenzy/job_file/job_file.hpp"
#include "frenzy/transport/make_session.hpp"
#include "frenzy/transport/ucx_carrier.hpp"

using namespace frenzy;

namespace {

class Nothing final : public transport::SessionEvents {
 public:
  void peer_up(const transport::PeerInfo&) override {}
  void peer_down(transport::PeerId, const Error&) override {}
  void message(transport::PeerId, std::span<const std::byte>) override {}
};

}  // namespace

int main() {
  transport::set_ucx_environment({});
  const SystemClock clock;
  NullLog log;
  Nothing events;
  const auto loop = transport::EventLoop::create(clock).value();
  const auto crypto = crypto::make_crypto().value();
  const auto carrier = transport::make_ucx_carrier(*loop, log, {}).value();
  transport::SessionOptions options;
  options.role = transport::Role::node;
  options.uuid.bytes[0] = 1;
  options.identity = crypto->key_pair();
  transport::ClusterAdmission admission(*crypto, options.admission_key);
  const auto session =
      transport::make_session(options, {*carrier, *loop, *crypto, log, admission, events}).value();
  const auto address = session->listen("127.0.0.1:0");
  const auto message = codec::decode({});
  const auto job = job_file::parse_job("nonsense", "job.toml", {});
  const bool ok = address.ok() && !message.ok() && !job.ok();
  std::printf("link: %s\n", ok ? "ok" : "failed");
  return ok ? 0 : 1;
}
