#include "frenzy/tools/paths.hpp"

#include <cstdlib>

namespace frenzy::tools {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string state_root() {
  if (auto given = environment("FRENZY_STATE"); !given.empty()) return given;
  if (const auto xdg = environment("XDG_STATE_HOME"); !xdg.empty()) return xdg + "/frenzy";
  const auto home = environment("HOME");
  return (home.empty() ? std::string(".") : home) + "/.local/state/frenzy";
}

std::string coordinator_key_path(const std::string& coordinator) { return coordinator + "/coordinator.key"; }
std::string cluster_key_path(const std::string& coordinator) { return coordinator + "/cluster.key"; }
std::string users_directory(const std::string& coordinator) { return coordinator + "/users"; }
std::string user_key_path(const std::string& coordinator, const std::string& user) {
  return format("{}/{}.key", users_directory(coordinator), user);
}

Status write_address(Files& files, const std::string& coordinator, const std::string& address) {
  return files.write_text(coordinator + "/address", address + "\n", FileMode::shared);
}

Result<std::string> read_address(Files& files, const std::string& coordinator) {
  auto text = files.read_text(coordinator + "/address", Bytes{256});
  if (!text) {
    return error(Errc::unreachable, "no coordinator has been started here ({}/address is missing); start frenzy-coordinator or give --coordinator ADDRESS",
                 coordinator);
  }
  while (!text->empty() && text->back() == '\n') text->pop_back();
  return text;
}

}  // namespace frenzy::tools
