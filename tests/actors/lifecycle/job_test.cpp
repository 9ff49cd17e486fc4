#include <catch2/catch.hpp>

#include "job_fixture.hpp"

namespace frenzy::lifecycle {
using model::JobState;

TEST_CASE("a job goes from submitted to finished and records each state once", "[lifecycle]") {
  Driver d;
  d << event::Submitted{};
  CHECK(d.count<effect::AskPlanner>() == 1);
  d << event::Planned{two_devices()};
  CHECK(d.job.state == JobState::planned);
  CHECK(d.job.epoch == Epoch{1});
  CHECK(d.count<effect::ReserveDevice>() == 2);
  CHECK(std::get<effect::ReserveDevice>(d.effects[1]).bytes == 4_MiB);
  d << event::DeviceReserved{kDeviceA, {1}};
  CHECK(d.effects.empty());
  d << event::DeviceReserved{kDeviceB, {1}};
  CHECK(d.job.state == JobState::reserved);
  CHECK(d.count<effect::AssignNode>() == 2);
  d << event::RunnerReady{kNodeA, {1}, "a:1"} << event::RunnerReady{kNodeB, {1}, "b:1"};
  CHECK(d.job.state == JobState::starting);
  CHECK(d.count<effect::StartNode>() == 2);
  d << event::StepReported{kNodeA, {1}, row(1), {{kDeviceA, 2_MiB}}};
  CHECK(d.job.state == JobState::running);
  CHECK(d.count<effect::RecordStep>() == 1);
  CHECK(d.job.loss == 2.0);
  CHECK(d.job.planned.shares[0].measured == 2_MiB);
  d << event::StepReported{kNodeB, {1}, row(1), {}};
  CHECK(d.effects.empty());
  d << event::StepReported{kNodeB, {1}, row(10), {}} << event::Saved{kNodeA, {1}, {10}, {}};
  CHECK(d.count<effect::RecordSave>() == 0);
  d << event::Saved{kNodeB, {1}, {10}, {}};
  CHECK(d.count<effect::RecordSave>() == 1);
  d << event::RunnerEnded{kNodeA, {1}, {10}, {}} << event::RunnerEnded{kNodeB, {1}, {10}, {}};
  CHECK(d.job.state == JobState::finished);
  CHECK(d.job.reason == "10 steps, loss 2, saved");
  CHECK(d.count<effect::AbortNode>() == 0);
}

TEST_CASE("a job that fits no cluster fails with the planner's numbers", "[lifecycle]") {
  Driver d;
  d << event::Submitted{} << event::DoesNotFit{{Errc::does_not_fit, "needs 4 GiB, 512 MiB available"}};
  CHECK(d.job.state == JobState::failed);
  CHECK(d.job.failure->code == Errc::does_not_fit);
  CHECK(d.job.reason == "needs 4 GiB, 512 MiB available");
}

TEST_CASE("a job that must wait is planned again when the cluster changes", "[lifecycle]") {
  Driver d;
  d << event::Submitted{} << event::MustWait{"no node is healthy"};
  CHECK(d.job.state == JobState::submitted);
  CHECK(d.job.reason == "no node is healthy");
  d << event::ClusterChanged{};
  CHECK(d.count<effect::AskPlanner>() == 1);
  d << event::ClusterChanged{};
  CHECK(d.count<effect::AskPlanner>() == 0);
}

TEST_CASE("one refused device releases all, and the job is planned again later", "[lifecycle]") {
  Driver d;
  d.to(JobState::planned) << event::DeviceReserved{kDeviceA, {1}}
                          << event::DeviceRefused{kDeviceB, {1}, {Errc::does_not_fit, "beta has 1 MiB free"}};
  CHECK(d.job.state == JobState::submitted);
  CHECK(d.count<effect::ReleaseNode>() == 2);
  CHECK(d.job.reason.find("beta has 1 MiB free") != std::string::npos);
  d << event::TimerFired{event::Timer::retry, {1}};
  CHECK(d.count<effect::AskPlanner>() == 1);
  d << event::Planned{two_devices()};
  CHECK(d.job.epoch == Epoch{2});
  d << event::DeviceReserved{kDeviceA, {1}};
  CHECK(d.count<effect::RefuseEvent>() == 1);
}

TEST_CASE("a job whose reservations are refused again and again fails", "[lifecycle]") {
  Driver d;
  d << event::Submitted{};
  for (std::uint64_t i = 1; i <= kMaxRefusals; ++i) {
    d << event::Planned{two_devices()} << event::DeviceRefused{kDeviceB, {i}, {Errc::does_not_fit, "full"}};
    if (d.job.state == JobState::submitted) d << event::TimerFired{event::Timer::retry, {i}};
  }
  CHECK(d.job.state == JobState::failed);
  CHECK(d.job.reason == "reservation failed 5 times in a row, last because full");
}

TEST_CASE("devices that do not answer in time are named in number", "[lifecycle]") {
  Driver d;
  d.to(JobState::planned) << event::DeviceReserved{kDeviceA, {1}} << event::TimerFired{event::Timer::reserve, {1}};
  CHECK(d.job.state == JobState::submitted);
  CHECK(d.job.reason.find("1 of 2 devices did not answer") != std::string::npos);
}

TEST_CASE("a lost node fails the job in every placed state and aborts the other runners", "[lifecycle]") {
  for (const auto state : {JobState::reserved, JobState::starting, JobState::running}) {
    Driver d;
    d.to(state) << event::NodeLost{kNodeB, "silent for 3.00 s"};
    CHECK(d.job.state == JobState::failed);
    CHECK(d.job.failure->code == Errc::unreachable);
    CHECK(d.job.reason.find("node beta is gone") == 0);
    REQUIRE(d.count<effect::AbortNode>() == 1);
    CHECK(std::get<effect::AbortNode>(d.effects[0]).node == kNodeA);
  }
}

TEST_CASE("a node lost before the reservations are complete sends the job back to the queue", "[lifecycle]") {
  Driver d;
  d.to(JobState::planned) << event::NodeLost{kNodeA, "killed"};
  CHECK(d.job.state == JobState::submitted);
  CHECK(d.count<effect::ReleaseNode>() == 2);
}

TEST_CASE("a lost node that has no part in the job changes nothing", "[lifecycle]") {
  Driver d;
  d.to(JobState::running) << event::NodeLost{numbered<NodeId>(9), "killed"};
  CHECK(d.job.state == JobState::running);
  CHECK(d.effects.empty());
}

TEST_CASE("a runner that fails ends the job with its reason", "[lifecycle]") {
  Driver d;
  d.to(JobState::running) << event::RunnerEnded{kNodeB, {1}, {4}, Error{Errc::internal, "signal 9"}};
  CHECK(d.job.state == JobState::failed);
  CHECK(d.job.reason == "the runner on beta failed at step 4: signal 9");
  CHECK(d.count<effect::AbortNode>() == 1);
}

TEST_CASE("a job whose last step was not saved has failed", "[lifecycle]") {
  Driver d;
  d.to(JobState::running) << event::RunnerEnded{kNodeA, {1}, {1}, {}} << event::RunnerEnded{kNodeB, {1}, {1}, {}};
  CHECK(d.job.state == JobState::failed);
  CHECK(d.job.reason == "all 1 steps are done, but step 1 was not saved; nothing was saved before");
}

TEST_CASE("cancel before the first step withdraws everywhere at once", "[lifecycle]") {
  const std::vector<std::pair<JobState, std::size_t>> cases{
      {JobState::submitted, 0}, {JobState::planned, 2}, {JobState::reserved, 2}, {JobState::starting, 2}};
  for (const auto& [state, nodes] : cases) {
    Driver d;
    d.to(state) << event::CancelRequested{"admin"};
    CHECK(d.job.state == JobState::cancelled);
    CHECK(d.count<effect::AbortNode>() + d.count<effect::ReleaseNode>() == nodes);
  }
}

TEST_CASE("cancel of a running job saves every shard first", "[lifecycle]") {
  Driver d;
  d.to(JobState::running) << event::CancelRequested{"admin"};
  CHECK(d.job.state == JobState::running);
  CHECK(d.count<effect::HoldNode>() == 2);
  d << event::RunnerHeld{kNodeA, {1}, {4}};
  CHECK(d.effects.empty());
  d << event::RunnerHeld{kNodeB, {1}, {5}};
  REQUIRE(d.count<effect::SaveNode>() == 2);
  CHECK(std::get<effect::SaveNode>(d.effects[0]).step == Step{5});
  d << event::Saved{kNodeA, {1}, {5}, {}} << event::Saved{kNodeB, {1}, {5}, {}};
  CHECK(d.job.state == JobState::cancelled);
  CHECK(d.job.saved == Step{5});
  CHECK(d.job.reason == "saved at step 5");
  CHECK(d.count<effect::AbortNode>() == 2);
}

TEST_CASE("cancel names the shards that did not answer and keeps the last save", "[lifecycle]") {
  Driver d;
  d.to(JobState::running) << event::Saved{kNodeA, {1}, {3}, {}} << event::Saved{kNodeB, {1}, {3}, {}}
                          << event::CancelRequested{"admin"} << event::Saved{kNodeA, {1}, {5}, {}}
                          << event::TimerFired{event::Timer::save, {1}};
  CHECK(d.job.state == JobState::cancelled);
  CHECK(d.job.saved == Step{3});
  CHECK(d.job.reason == "not saved: the shards of beta were missing after 2.00 s; the last save is step 3");
}

TEST_CASE("saves of different steps never make one", "[lifecycle]") {
  Driver d;
  d.to(JobState::running) << event::Saved{kNodeA, {1}, {3}, {}} << event::Saved{kNodeB, {1}, {4}, {}};
  CHECK(d.job.saved == Step{0});
  d << event::Saved{kNodeA, {1}, {4}, {}};
  CHECK(d.job.saved == Step{4});
}

TEST_CASE("a save on the way that fails ends nothing and is said once, until one works again", "[lifecycle]") {
  Driver d;
  d.to(JobState::running);
  const auto epoch = d.job.epoch;
  d << event::SaveFailed{kNodeB, epoch, {Errc::io, "no space left: 40 B needed, 3 B free"}, {4}};
  CHECK(d.job.state == JobState::running);
  CHECK(d.job.reason == "checkpoint overdue: saving step 4 failed on beta: no space left: 40 B needed, 3 B free; "
                        "nothing was saved before; training goes on");
  CHECK(d.count<effect::RecordState>() == 1);
  d << event::SaveFailed{kNodeB, epoch, {Errc::io, "no space left: 40 B needed, 2 B free"}, {6}};
  CHECK(d.effects.empty());
  d << event::Saved{kNodeA, epoch, {8}, {}} << event::Saved{kNodeB, epoch, {8}, {}};
  CHECK(d.count<effect::RecordSave>() == 1);
  CHECK(d.job.reason == "saving works again: step 8 is saved");
  d << event::SaveFailed{kNodeA, epoch, {Errc::io, "no space left"}, {10}};  // the last step
  CHECK(d.job.state == JobState::failed);
}

TEST_CASE("a stuck runner fails the job and is aborted like the others", "[lifecycle]") {
  Driver d;
  d.to(JobState::running);
  d << event::RunnerStuck{kNodeB, d.job.epoch, "instruction 7 of step 2 runs for 31 min"};
  CHECK(d.job.state == JobState::failed);
  CHECK(d.job.reason == "the runner on beta is stuck: instruction 7 of step 2 runs for 31 min; nothing was saved before");
  CHECK(d.count<effect::AbortNode>() == 2);
}

TEST_CASE("terminal states absorb every event", "[lifecycle]") {
  Driver d;
  d.to(JobState::running) << event::NodeLost{kNodeB, "killed"};
  const auto before = d.job;
  for (const JobEvent& event : std::vector<JobEvent>{
           event::Submitted{}, event::ClusterChanged{}, event::Planned{two_devices()}, event::CancelRequested{"x"},
           event::RunnerEnded{kNodeA, {1}, {1}, {}}, event::StepReported{kNodeA, {1}, row(9), {}},
           event::PauseRequested{}, event::TimerFired{event::Timer::save, {1}}}) {
    d << event;
    CHECK(d.job.state == before.state);
    CHECK(d.job.reason == before.reason);
    CHECK(d.count<effect::RefuseEvent>() == d.effects.size());
  }
}

TEST_CASE("pause is refused as something this version does not do", "[lifecycle]") {
  Driver d;
  d.to(JobState::running) << event::PauseRequested{};
  CHECK(std::get<effect::RefuseEvent>(d.effects.at(0)).why.code == Errc::unsupported);
}

TEST_CASE("after a restart of the coordinator placed jobs have failed and waiting ones wait", "[lifecycle]") {
  Driver d;
  d.to(JobState::running) << event::CoordinatorRestarted{{2}};
  CHECK(d.job.state == JobState::failed);
  CHECK(d.job.reason ==
        "the coordinator restarted (incarnation 2) while the job was running at step 1; nothing was saved before");
  Driver waiting;
  waiting.to(JobState::submitted) << event::CoordinatorRestarted{{2}};
  CHECK(waiting.job.state == JobState::submitted);
}

}  // namespace frenzy::lifecycle
