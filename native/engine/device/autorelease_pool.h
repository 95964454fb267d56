#pragma once

#if defined(__APPLE__)
extern "C" void* objc_autoreleasePoolPush(void);
extern "C" void objc_autoreleasePoolPop(void* pool);
#endif

namespace llm_host {

// On macOS, frees at its end what Metal put into this thread's autorelease pool: a thread that is
// not Cocoa's has none that would ever be emptied.
class AutoreleasePool {
 public:
#if defined(__APPLE__)
  AutoreleasePool() : pool_(objc_autoreleasePoolPush()) {}
  ~AutoreleasePool() { objc_autoreleasePoolPop(pool_); }
#else
  AutoreleasePool() {}
  ~AutoreleasePool() {}
#endif
  AutoreleasePool(const AutoreleasePool&) = delete;
  AutoreleasePool& operator=(const AutoreleasePool&) = delete;

#if defined(__APPLE__)
 private:
  void* pool_;
#endif
};

}  // namespace llm_host
