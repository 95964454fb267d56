#include "engine/distributed/ring_sockets.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <vector>

namespace llm_host {
namespace {

using NameOf = int(int, sockaddr*, socklen_t*);

// "127.0.0.1:9000" with its quotes; "" for what is no IPv4 socket.
std::string quoted_address(NameOf* name_of, int descriptor) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  int failed = name_of(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
  if (failed != 0 || address.sin_family != AF_INET) return "";
  char text[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &address.sin_addr, text, sizeof(text));
  return '"' + std::string(text) + ":" + std::to_string(ntohs(address.sin_port)) + '"';
}

std::vector<int> open_descriptors() {
  std::vector<int> open;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/fd")) {
    open.push_back(std::atoi(entry.path().filename().c_str()));
  }
  return open;
}

std::mutex noted_mutex;

// The file's text.
std::string& noted() {
  static auto& text = *new std::string();
  return text;
}

}  // namespace

void note_ring_addresses() {
  const char* path = std::getenv("MLX_HOSTFILE");
  if (path == nullptr) return;
  std::ifstream file(path);
  std::lock_guard lock(noted_mutex);
  noted() = {std::istreambuf_iterator<char>(file), {}};
}

void shut_ring_sockets() {
  std::string hosts;
  {
    std::lock_guard lock(noted_mutex);
    hosts = noted();
  }
  if (hosts.empty()) return;
  for (int descriptor : open_descriptors()) {
    for (NameOf* name_of : {&getsockname, &getpeername}) {
      std::string address = quoted_address(name_of, descriptor);
      if (address.empty() || hosts.find(address) == std::string::npos) continue;
      shutdown(descriptor, SHUT_RDWR);
    }
  }
}

}  // namespace llm_host
