#include "frenzy/tools/signals.hpp"

#include <csignal>

namespace frenzy::tools {
namespace {

sigset_t ending_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGINT);
  ::sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

void block_signals() {
  const auto set = ending_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

int wait_for_signal() {
  const auto set = ending_signals();
  int got = 0;
  ::sigwait(&set, &got);
  return got;
}

}  // namespace frenzy::tools
