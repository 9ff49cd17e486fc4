#include "frenzy/child_runner/child_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace frenzy::child_runner {
namespace {

using transport::UniqueFd;

struct Pair {
  UniqueFd ours, theirs;
};

Result<Pair> make_pair(int type) {
  std::array<int, 2> fds{};
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds.data()) != 0) {
    return error(errno == EMFILE ? Errc::exhausted : Errc::io, "cannot make a socketpair: {}", std::strerror(errno));
  }
  return Pair{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

/// Between fork and exec: only calls that are safe in a child of many threads.
[[noreturn]] void become(const char* program, char* const* arguments, int control, int passed, pid_t parent) {
  constexpr int kAbove = 16;  // out of the way of 3 and 4
  control = ::fcntl(control, F_DUPFD, kAbove);
  passed = ::fcntl(passed, F_DUPFD, kAbove);
  ::dup2(control, kControlDescriptor);
  ::dup2(passed, kPassedDescriptor);
  ::syscall(SYS_close_range, kPassedDescriptor + 1, ~0U, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(126);  // it died before the line above
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execv(program, arguments);
  ::_exit(127);
}

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const std::string& program,
                                                          const std::vector<std::string>& arguments) {
  auto control = make_pair(SOCK_STREAM);
  if (!control) return control.error();
  auto passed = make_pair(SOCK_SEQPACKET);
  if (!passed) return passed.error();
  std::vector<std::string> texts{program};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  const auto parent = ::getpid();
  const auto pid = ::fork();
  if (pid < 0) return error(Errc::exhausted, "cannot start {}: {}", program, std::strerror(errno));
  if (pid == 0) become(program.c_str(), pointers.data(), control->theirs.get(), passed->theirs.get(), parent);
  std::unique_ptr<ChildProcess> out(new ChildProcess);
  out->pid_ = pid;
  out->control_ = std::move(control->ours);
  out->passed_ = std::move(passed->ours);
  return out;
}

ChildProcess::~ChildProcess() {
  kill();
  static_cast<void>(wait());
}

void ChildProcess::kill() {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

std::string ChildProcess::wait() {
  if (pid_ <= 0) return "ended";
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFSIGNALED(status)) return format("signal {}", WTERMSIG(status));
  return format("exit code {}", WEXITSTATUS(status));
}

}  // namespace frenzy::child_runner
