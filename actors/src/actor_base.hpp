#pragma once
// What our actors share: the environment, sending, timers, requests, and the two handlers that CAF
// would otherwise answer by printing.

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <functional>
#include <optional>

#include "frenzy/actors/environment.hpp"
#include "frenzy/actors/message.hpp"
#include "frenzy/base/result.hpp"

namespace frenzy::actors {

/// Work to be run inside an actor: how callbacks from other threads come back to it.
struct Run { std::function<void()> work; };

class ActorBase : public caf::event_based_actor {
 public:
  ActorBase(caf::actor_config& config, Environment env, const char* name)
      : caf::event_based_actor(config), env_(env), name_(name) {
    set_default_handler([this](caf::scheduled_actor*, caf::message_view& view) -> caf::result<caf::message> {
      log().error("actor.unexpected", "actor={} message={}", std::string_view(name_), caf::to_string(view.move_content_to_message()));
      return caf::sec::unexpected_message;
    });
    set_exception_handler([this](caf::scheduled_actor*, std::exception_ptr& error) -> caf::error {
      log().error("actor.exception", "actor={} {}", std::string_view(name_), what(error));
      return caf::sec::runtime_error;
    });
  }
  const char* name() const override { return name_; }

 protected:
  [[nodiscard]] const Environment& env() const { return env_; }
  [[nodiscard]] Log& log() const { return *env_.log; }
  [[nodiscard]] caf::actor self() { return caf::actor_cast<caf::actor>(this); }

  template <class T>
  void send_to(const caf::actor& to, const Msg<T>& message) {
    caf::anon_send(to, message);
  }
  template <class T>
  void send_to(const caf::actor& to, T value) {
    caf::anon_send(to, msg(std::move(value)));
  }
  /// Sends a message to this actor after `delay`, if it still lives: a timer keeps no actor alive.
  template <class T>
  void remind(std::chrono::nanoseconds delay, T value) {
    env_.after(delay, [to = address(), message = msg(std::move(value))] {
      if (const auto alive = caf::actor_cast<caf::strong_actor_ptr>(to)) caf::anon_send(caf::actor_cast<caf::actor>(alive), message);
    });
  }
  /// Asks an actor that answers with Msg<R>; `then` runs inside this actor. An actor that is gone
  /// answers with an error of ours.
  template <class R, class T, class Then>
  void ask(const caf::actor& to, T question, Then then) {
    request(to, caf::infinite, msg(std::move(question)))
        .then([then](const Msg<R>& answer) mutable { then(*answer); },
              [then](const caf::error&) mutable {
                then(R(frenzy::error(Errc::unreachable, "the process is shutting down")));
              });
  }

 private:
  [[nodiscard]] static std::string what(const std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& e) {
      return e.what();
    } catch (...) {
      return "unknown";
    }
  }

  Environment env_;
  const char* name_;
};

}  // namespace frenzy::actors
