#pragma once

#include <mutex>

namespace llm_host {

// Lets the C library keep what a chunk of a prompt frees, tens of megabytes. By default it returns
// them to the system, and the next chunk waits while the system clears the same pages.
void keep_freed_memory();

// While it exists, blocks of some size get pages of their own, which go back to the system as soon
// as they are freed. For what lives long and is replaced by something larger: within the heap it
// would leave holes, which stay in memory and which nothing else fits.
class OwnPages {
 public:
  OwnPages();
  OwnPages(const OwnPages&) = delete;
  OwnPages& operator=(const OwnPages&) = delete;
  ~OwnPages();

 private:
  std::lock_guard<std::mutex> alone_;
};

}  // namespace llm_host
