#include "connection.hpp"

#include <csignal>
#include <condition_variable>
#include <ctime>
#include <future>
#include <optional>

#include "frenzy/base/guarded.hpp"
#include "frenzy/base/rng.hpp"
#include "frenzy/tools/paths.hpp"

namespace frenzy::tools {
namespace {

constexpr auto kAnswer = std::chrono::seconds{10};
constexpr auto kLook = std::chrono::milliseconds{100};  ///< between looks for a signal

/// What the loop hands to the caller's thread.
struct Mailbox {
  struct State {
    std::vector<client::Answer> answers;
  };
  Guarded<State> state;
  std::condition_variable wake;
};

/// True if SIGINT or SIGTERM (which are blocked) has come.
bool signal_came() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGINT);
  ::sigaddset(&set, SIGTERM);
  const timespec none{};
  return ::sigtimedwait(&set, nullptr, &none) > 0;
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(const ConnectionOptions& options, const Clock& clock, Log& log) {
  RealFiles files;
  std::unique_ptr<Connection> out(new Connection);
  out->address_ = options.coordinator;
  if (out->address_.empty()) {
    auto address = read_address(files, options.coordinator_state);
    if (!address) return address.error();
    out->address_ = *address;
  }
  auto key_file = environment("FRENZY_KEY_FILE");
  if (key_file.empty()) key_file = user_key_path(options.coordinator_state, "admin");
  if (auto started = out->start(key_file, clock, log); !started) return started.error();
  return out;
}

Status Connection::start(const std::string& key_file, const Clock& clock, Log& log) {
  RealFiles files;
  const auto keys = crypto::load_keys(files, key_file);
  if (!keys) return keys.error();
  auto network = Network::create(clock, log, CarrierChoice::tcp);
  if (!network) return network.error();
  network_ = std::move(*network);
  client_ = std::make_unique<client::Client>(network_->loop());
  admission_ = std::make_unique<transport::ClusterAdmission>(network_->crypto(), keys->admission,
                                                             std::vector{transport::Role::coordinator});
  Rng rng(seed_from_system());
  if (auto opened = network_->open({.role = transport::Role::client, .uuid = Uuid::random(rng), .keys = *keys}, *admission_, *client_); !opened) {
    return opened;
  }
  client_->attach(network_->session());
  thread_ = std::make_unique<transport::LoopThread>(network_->loop());
  std::promise<Status> connected;
  network_->loop().post([this, &connected] {
    client_->connect(address_, [&connected](Status status) { connected.set_value(std::move(status)); });
  });
  return connected.get_future().get();
}

Connection::~Connection() { thread_.reset(); }

client::Answer Connection::ask(codec::Message message) {
  std::promise<client::Answer> answered;
  network_->loop().post([this, &answered, message = std::move(message)]() mutable {
    client_->ask(std::move(message), kAnswer, [&answered](client::Answer answer) { answered.set_value(std::move(answer)); });
  });
  return answered.get_future().get();
}

Status Connection::watch(const codec::WatchJob& watch, const std::function<void(const codec::JobUpdate&)>& each) {
  const auto mailbox = std::make_shared<Mailbox>();
  network_->loop().post([this, watch, mailbox] {
    client_->stream(watch, [mailbox](client::Answer answer) {
      mailbox->state.lock()->answers.push_back(std::move(answer));
      mailbox->wake.notify_one();
    });
  });
  while (true) {
    std::vector<client::Answer> answers;
    {
      auto locked = mailbox->state.lock();
      if (locked->answers.empty()) locked.wait_until(mailbox->wake, network_->loop().clock().now() + kLook);
      answers.swap(locked->answers);
    }
    for (const auto& answer : answers) {
      if (!answer) return answer.error();
      const auto* update = std::get_if<codec::JobUpdate>(&*answer);
      if (update == nullptr) return error(Errc::corrupt, "the coordinator answered with {}", std::string_view(codec::name_of(*answer)));
      each(*update);
      if (update->last) return {};
    }
    if (signal_came()) return error(Errc::cancelled, "interrupted");
  }
}

}  // namespace frenzy::tools
