#include "frenzy/cli/connection.hpp"

#include <sys/epoll.h>
#include <sys/signalfd.h>

#include <condition_variable>
#include <csignal>
#include <deque>

#include "frenzy/base/guarded.hpp"
#include "frenzy/client/client.hpp"
#include "frenzy/tools/network.hpp"
#include "frenzy/tools/paths.hpp"

namespace frenzy::cli {
namespace {

constexpr auto kAnswer = std::chrono::seconds{20};

Error interrupted() { return error(Errc::cancelled, "interrupted"); }

/// What the loop's thread hands to the caller's. Calls are numbered: what comes for a former call, a watch
/// that had seen enough, is dropped.
class Mailbox {
 public:
  void put(std::uint64_t call, client::Answer answer) {
    state_.lock()->answers.emplace_back(call, std::move(answer));
    wake_.notify_one();
  }
  void interrupt() {
    state_.lock()->interrupted = true;
    wake_.notify_one();
  }
  client::Answer take(std::uint64_t call) {
    auto state = state_.lock();
    while (!state->interrupted) {
      while (!state->answers.empty() && state->answers.front().first != call) state->answers.pop_front();
      if (!state->answers.empty()) {
        auto answer = std::move(state->answers.front().second);
        state->answers.pop_front();
        return answer;
      }
      state.wait(wake_);
    }
    return interrupted();
  }

 private:
  struct State {
    std::deque<std::pair<std::uint64_t, client::Answer>> answers;
    bool interrupted = false;
  };
  Guarded<State> state_;
  std::condition_variable wake_;
};

/// SIGINT and SIGTERM as something to read, while it lives. Made before the threads that inherit its mask.
class Signals {
 public:
  Signals() {
    ::sigemptyset(&set_);
    ::sigaddset(&set_, SIGINT);
    ::sigaddset(&set_, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &set_, &before_);
    descriptor_.reset(::signalfd(-1, &set_, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~Signals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  Signals(Signals&&) = delete;
  Signals& operator=(Signals&&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_.get(); }
  /// Takes the signal, so that it does not strike when the mask is as before.
  void take() const {
    signalfd_siginfo info{};
    [[maybe_unused]] const auto got = ::read(descriptor_.get(), &info, sizeof(info));
  }

 private:
  sigset_t set_{}, before_{};
  transport::UniqueFd descriptor_;
};

class Connection final : public Coordinator {
 public:
  explicit Connection(std::string address) : address_(std::move(address)) {}
  ~Connection() override { thread_.reset(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  Connection(Connection&&) = delete;
  Connection& operator=(Connection&&) = delete;

  Status open(const crypto::Keys& keys, Rng& rng, const Clock& clock, Log& log) {
    auto network = tools::Network::create(clock, log, {.choice = tools::CarrierChoice::tcp});
    if (!network) return network.error();
    network_ = std::move(*network);
    client_ = std::make_unique<client::Client>(network_->loop());
    admission_ = std::make_unique<transport::ClusterAdmission>(network_->crypto(), keys.admission, std::vector{transport::Role::coordinator}, keys.coordinator);
    const tools::NetworkOptions options{
        .role = transport::Role::client, .uuid = Uuid::random(rng), .keys = keys};
    if (auto opened = network_->open(options, *admission_, *client_); !opened) return opened;
    client_->attach(network_->session());
    thread_ = std::make_unique<transport::LoopThread>(network_->loop());
    return shake_hands();
  }

  Result<codec::Message> ask(codec::Message message) override {
    const auto call = ++call_;
    network_->loop().post([this, call, mailbox = mailbox_, message = std::move(message)]() mutable {
      client_->ask(std::move(message), kAnswer, [call, mailbox](client::Answer answer) { mailbox->put(call, std::move(answer)); });
    });
    return mailbox_->take(call);
  }

  Status watch(const codec::WatchJob& watch, const std::function<Watching(const codec::JobUpdate&)>& each) override {
    const auto call = ++call_;
    network_->loop().post([this, call, mailbox = mailbox_, watch] {
      client_->stream(watch, [call, mailbox](client::Answer answer) { mailbox->put(call, std::move(answer)); });
    });
    while (true) {
      const auto answer = mailbox_->take(call);
      if (!answer) return answer.error();
      const auto* update = std::get_if<codec::JobUpdate>(&*answer);
      if (update == nullptr) return error(Errc::corrupt, "the coordinator answered with {}", std::string_view(codec::name_of(*answer)));
      if (each(*update) == Watching::enough || update->last) return {};
    }
  }

  const std::string& address() const override { return address_; }

 private:
  Status shake_hands() {
    const auto mailbox = mailbox_;
    network_->loop().post([this, mailbox] {
      watch_signals();
      client_->connect(address_, [mailbox](Status status) {
        mailbox->put(0, status ? client::Answer(codec::Message(codec::Accepted{})) : client::Answer(status.error()));
      });
    });
    const auto done = mailbox_->take(0);
    return done ? Status() : Status(done.error());
  }

  void watch_signals() {
    const auto mailbox = mailbox_;
    const auto watched = network_->loop().watch(signals_.descriptor(), EPOLLIN, [this, mailbox](std::uint32_t) {
      signals_.take();
      mailbox->interrupt();
    });
    if (!watched) mailbox_->put(0, watched.error());
  }

  Signals signals_;
  std::string address_;
  std::uint64_t call_ = 0;  ///< 0: connecting
  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::unique_ptr<tools::Network> network_;
  std::unique_ptr<transport::Admission> admission_;
  std::unique_ptr<client::Client> client_;
  std::unique_ptr<transport::LoopThread> thread_;
};

}  // namespace

Result<std::string> coordinator_address(const Locations& where, Files& files) {
  if (!where.coordinator.empty()) return where.coordinator;
  return tools::read_address(files, where.state);
}

Result<std::unique_ptr<Coordinator>> connect(const Locations& where, Files& files, Rng& rng, const Clock& clock, Log& log) {
  const auto address = coordinator_address(where, files);
  if (!address) return address.error();
  const auto keys = crypto::load_keys(files, where.key_file);
  // not_found would read as "no such job".
  if (!keys) return Error{Errc::refused, keys.error().what};
  auto connection = std::make_unique<Connection>(*address);
  if (auto opened = connection->open(*keys, rng, clock, log); !opened) return opened.error();
  std::unique_ptr<Coordinator> out = std::move(connection);
  return out;
}

}  // namespace frenzy::cli
