#include <catch2/catch.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <future>

#include "frenzy/child_runner/child_process.hpp"
#include "frenzy/child_runner/child_runner_host.hpp"
#include "frenzy/child_runner/framed_pipe.hpp"

namespace frenzy::child_runner {
namespace {

using transport::UniqueFd;

struct Ends {
  UniqueFd a, b;
};

Ends pair() {
  std::array<int, 2> fds{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) == 0);
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

struct Loop {
  SystemClock clock;
  std::unique_ptr<transport::EventLoop> loop = std::move(transport::EventLoop::create(clock)).value();
  /// Runs until somebody stops it, two seconds at most.
  void run() {
    loop->post([this] { loop->at(clock.now() + std::chrono::seconds{2}, [this] { loop->stop(); }); });
    loop->run();
  }
};

std::size_t open_descriptors() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) count += entry.path().empty() ? 0 : 1;
  return count;
}

}  // namespace

TEST_CASE("messages larger than the socket's buffer go through in order", "[child_runner]") {
  Loop l;
  auto ends = pair();
  std::vector<std::size_t> sizes;
  std::unique_ptr<FramedPipe> left, right;
  l.loop->post([&] {
    right = std::make_unique<FramedPipe>(
        *l.loop, std::move(ends.b),
        [&](codec::Message message) {
          sizes.push_back(std::get<codec::PutChunk>(message).bytes.size());
          if (sizes.size() == 4) l.loop->stop();
        },
        [](const Error&) {});
    left = std::make_unique<FramedPipe>(*l.loop, std::move(ends.a), [](codec::Message) {}, [](const Error&) {});
    for (const std::size_t size : {1UL, 500'000UL, 7UL, 500'001UL}) {
      CHECK(left->send(codec::PutChunk{{}, std::vector<std::byte>(size)}));
    }
  });
  l.run();
  CHECK(sizes == std::vector<std::size_t>{1, 500'000, 7, 500'001});
  CHECK(left->empty());
}

TEST_CASE("garbage and the end of the other side close a pipe once", "[child_runner]") {
  for (const bool garbage : {true, false}) {
    Loop l;
    auto ends = pair();
    int closed = 0;
    std::unique_ptr<FramedPipe> pipe;
    l.loop->post([&] {
      pipe = std::make_unique<FramedPipe>(*l.loop, std::move(ends.a), [](codec::Message) {},
                                          [&](const Error&) {
                                            ++closed;
                                            l.loop->stop();
                                          });
      const std::array<char, 16> bytes{-1, -1, -1, -1};
      if (garbage) CHECK(::write(ends.b.get(), bytes.data(), bytes.size()) == 16);
      if (!garbage) ends.b.reset();
    });
    l.run();
    CHECK(closed == 1);
    CHECK(pipe->send(codec::Accepted{}).error().code == Errc::unreachable);
  }
}

TEST_CASE("a child has its two sockets and no other descriptor, and its end is told", "[child_runner]") {
  const auto before = open_descriptors();
  {
    auto child = ChildProcess::start("/bin/sh", {"-c", "ls /proc/self/fd | wc -l | tr -d '\\n' >&3; exit 7"});
    REQUIRE(child);
    const auto control = (*child)->take_control();
    char text[8] = {};
    const auto got = ::read(control.get(), text, sizeof(text) - 1);
    REQUIRE(got > 0);
    // 0, 1, 2, the two sockets, and the directory that ls itself reads.
    CHECK(std::string(text) == "6");
    CHECK((*child)->wait() == "exit code 7");
  }
  {
    auto child = ChildProcess::start("/bin/sleep", {"100"});
    REQUIRE(child);
    (*child)->kill();
    CHECK((*child)->wait() == "signal 9");
  }
  CHECK(open_descriptors() == before);
}

TEST_CASE("a runner whose program cannot run ends with the reason", "[child_runner]") {
  Loop l;
  NullLog log;
  ChildRunnerHost host(*l.loop, log, "/nowhere/frenzy-node");
  std::vector<codec::Message> said;
  l.loop->post([&] {
    host.start({}, [&](codec::Message message) {
      said.push_back(std::move(message));
      l.loop->stop();
    });
  });
  l.run();
  REQUIRE(said.size() == 1);
  const auto& ended = std::get<codec::RunnerEnded>(said.front());
  CHECK(ended.failed);
  CHECK_FALSE(ended.why.what.empty());
}

}  // namespace frenzy::child_runner
