// What clients ask for.
#include <algorithm>

#include "coordinator_actor.hpp"
#include "frenzy/base/text.hpp"
#include "frenzy/lifecycle/permissions.hpp"

namespace frenzy::actors {

namespace event = lifecycle::event;

void CoordinatorActor::reply(const Incoming& m, codec::Message message) {
  send_to(parts_.gateway, Reply{m.peer.peer, m.correlation, std::move(message)});
}

void CoordinatorActor::refuse(const Incoming& m, const Error& why) { reply(m, codec::Refused{why}); }

void CoordinatorActor::client_message(const Incoming& m) {
  std::visit(
      [&]<class T>(const T& request) {
        if constexpr (requires { on(m, request); }) {
          on(m, request);
        } else {
          refuse(m, error(Errc::unsupported, "a coordinator takes no {} from a client", std::string_view(T::kName)));
        }
      },
      m.message);
}

void CoordinatorActor::on(const Incoming& m, const codec::Hello&) {
  reply(m, codec::Welcome{parts_.store->incarnation(), parts_.version, lifecycle::kHeartbeat});
}

void CoordinatorActor::on(const Incoming& m, const codec::SubmitJob& request) {
  if (const auto allowed = lifecycle::may(m.user, UserRole::user, "submit jobs"); !allowed) return refuse(m, allowed.error());
  if (const auto known = jobs_.find(request.job); known != jobs_.end() && known->second.order != 0) {
    if (known->second.summary.owner != m.user.name) {
      return refuse(m, error(Errc::conflict, "job id {} is another user's", request.job));
    }
    return reply(m, codec::JobAccepted{request.job, known->second.summary.state});
  }
  auto spec = parts_.parse(request.toml);
  if (!spec) return refuse(m, spec.error());
  work<Status>(
      storage_,
      [content = parts_.content, data = request.data]() -> Status {
        for (const auto& file : data) {
          const auto missing = std::ranges::count_if(file.chunks, [&](const auto& digest) { return !content->has(digest); });
          if (missing != 0) {
            return error(Errc::not_found, "{} of {} chunks of {} were not sent", missing, file.chunks.size(), file.path);
          }
        }
        return {};
      },
      [this, m, request, spec = *spec](const Status& complete) {
        if (!complete) return refuse(m, complete.error());
        add_job(m, request, spec);
      });
}

void CoordinatorActor::add_job(const Incoming& m, const codec::SubmitJob& submission, const model::JobSpec& spec) {
  auto job = lifecycle::new_job({.id = submission.job, .name = spec.name, .toml = submission.toml,
                                 .data = submission.data, .steps = spec.recipe.steps, .owner = m.user.name},
                                env().wall());
  work<Result<bool>>(
      storage_, [store = parts_.store, submission, detail = lifecycle::detail(job, {})] { return store->add_job(submission, detail); },
      [this, m, submission, spec, job](const Result<bool>& added) {
        if (!added) return refuse(m, added.error());
        if (*added) begin_job(submission, spec, job);
        reply(m, codec::JobAccepted{submission.job, jobs_[submission.job].summary.state});
      });
}

void CoordinatorActor::on(const Incoming& m, const codec::ListJobs&) {
  std::vector<const KnownJob*> known;
  for (const auto& [id, job] : jobs_) {
    if (job.order != 0) known.push_back(&job);
  }
  std::ranges::sort(known, {}, &KnownJob::order);
  codec::JobList list;
  const auto first = known.size() > codec::kMaxList ? known.size() - codec::kMaxList : 0;
  for (auto i = first; i < known.size(); ++i) list.jobs.push_back(known[i]->summary);
  reply(m, std::move(list));
}

void CoordinatorActor::on(const Incoming& m, const codec::ListNodes&) {
  codec::NodeList list;
  for (const auto& [id, node] : membership_.nodes) {
    if (node.status.state == model::NodeState::removed) continue;
    if (list.nodes.size() < codec::kMaxList) list.nodes.push_back(node.status);
  }
  reply(m, std::move(list));
}

void CoordinatorActor::on(const Incoming& m, const codec::ShowJob& request) {
  const auto job = resolve(request.job);
  if (!job) return refuse(m, job.error());
  if (const auto& actor = jobs_.at(*job).actor) return send_to(actor, ShowRequest{m.peer.peer, m.correlation});
  show_ended(m, *job);
}

void CoordinatorActor::show_ended(const Incoming& m, JobId job) {
  work<Result<store::StoredJob>>(
      storage_, [store = parts_.store, job] { return store->job(job); },
      [this, m](const Result<store::StoredJob>& stored) {
        if (!stored) return refuse(m, stored.error());
        reply(m, codec::JobDetail{stored->detail});
      });
}

void CoordinatorActor::on(const Incoming& m, const codec::WatchJob& request) {
  const auto job = resolve(request.job);
  if (!job) return refuse(m, job.error());
  if (const auto& actor = jobs_.at(*job).actor) {
    return send_to(actor, WatchRequest{m.peer.peer, m.correlation, request.from, request.follow});
  }
  watch_ended(m, *job, request.from);
}

void CoordinatorActor::watch_ended(const Incoming& m, JobId job, Step from) {
  using Parts = Result<std::vector<codec::JobUpdate>>;
  work<Parts>(
      storage_,
      [store = parts_.store, job, from]() -> Parts {
        auto stored = store->job(job);
        if (!stored) return stored.error();
        const auto rows = store->steps(job, from, SIZE_MAX >> 1);
        if (!rows) return rows.error();
        return history_parts(stored->detail.summary, std::move(stored->detail.history), *rows);
      },
      [this, m](const Parts& parts) {
        if (!parts) return refuse(m, parts.error());
        for (const auto& part : *parts) reply(m, part);
      });
}

void CoordinatorActor::on(const Incoming& m, const codec::CancelJob& request) {
  const auto job = resolve_own(m, request.job, "cancel");
  if (!job) return refuse(m, job.error());
  const auto& known = jobs_.at(*job);
  if (!known.actor) {
    return refuse(m, error(Errc::conflict, "job {} is {} already: {}", known.summary.name,
                           model::name_of(known.summary.state), known.summary.reason));
  }
  send_to(known.actor, JobInput{event::CancelRequested{format("user {} at {}", m.user.name, m.peer.remote_address)}});
  reply(m, codec::Accepted{});
}

void CoordinatorActor::on(const Incoming& m, const codec::RemoveNode& request) {
  if (const auto allowed = lifecycle::may(m.user, UserRole::admin, "remove nodes"); !allowed) return refuse(m, allowed.error());
  std::vector<NodeId> found;
  for (const auto& [id, node] : membership_.nodes) {
    if (node.status.state == model::NodeState::removed) continue;
    if (node.status.node.name == request.node || format("{}", id) == request.node) found.push_back(id);
  }
  if (found.empty()) return refuse(m, error(Errc::not_found, "no node '{}'", printable(request.node, 64)));
  if (found.size() > 1) {
    return refuse(m, error(Errc::invalid_argument, "{} nodes are called '{}': name one by its id, {} or {}", found.size(),
                           printable(request.node, 64), found[0], found[1]));
  }
  membership(event::NodeRemoved{found.front(), format("user {}", m.user.name)});
  reply(m, codec::Accepted{});
}

Result<JobId> CoordinatorActor::resolve_own(const Incoming& m, const std::string& text, const std::string& what) const {
  auto job = resolve(text);
  if (!job) return job;
  const auto& summary = jobs_.at(*job).summary;
  if (auto allowed = lifecycle::may_with_job(m.user, summary.owner, summary.name, what); !allowed) return allowed.error();
  return job;
}

Result<JobId> CoordinatorActor::resolve(const std::string& text) const {
  const KnownJob* by_name = nullptr;
  std::vector<JobId> by_prefix;
  for (const auto& [id, job] : jobs_) {
    if (job.order == 0) continue;
    const auto name = format("{}", id);
    if (name == text) return id;
    if (text.size() >= 4 && name.starts_with(text)) by_prefix.push_back(id);
    if (job.summary.name == text && (by_name == nullptr || job.order > by_name->order)) by_name = &job;
  }
  if (by_name != nullptr) return by_name->summary.id;
  if (by_prefix.size() == 1) return by_prefix.front();
  if (by_prefix.size() > 1) {
    return error(Errc::invalid_argument, "'{}' begins {} job ids: {}, {}, ...", printable(text, 64), by_prefix.size(),
                 by_prefix[0], by_prefix[1]);
  }
  return error(Errc::not_found, "no job '{}'", printable(text, 64));
}

}  // namespace frenzy::actors
