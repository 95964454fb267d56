#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

// A small test framework for ctest: suites of named cases, checks that continue after a failure, a
// summary line for each suite. Each file is one suite, in a namespace of its own:
//
//   namespace llm_host::prefix_test {
//   static const check::Suite suite("prefix");
//   TEST(stops_at_first_difference) { CHECK(reusable_prefix(a, b) == 1); }
//   }
namespace check {

struct Case {
  const char* name;
  void (*body)();
};

struct Suite;
inline std::vector<const Suite*>& suites() {
  static std::vector<const Suite*> all;
  return all;
}

struct Suite {
  explicit Suite(
      const char* its_name, void (*before_cases)() = [] {})
      : name(its_name), set_up(before_cases) {
    suites().push_back(this);
  }

  const char* name;
  void (*set_up)();
  // TEST adds to it before main.
  mutable std::vector<Case> cases;
};

inline int& failures() {
  static int count = 0;
  return count;
}
inline std::vector<std::string>& skips() {
  static std::vector<std::string> all;
  return all;
}

struct Registration {
  Registration(const Suite& suite, const char* name, void (*body)()) {
    suite.cases.push_back({name, body});
  }
};

inline void fail(const char* file, int line, const std::string& what) {
  std::printf("%s:%d: %s\n", file, line, what.c_str());
  ++failures();
}

// Reports a part of a case that cannot run here.
inline void skip(const std::string& what) {
  if (std::find(skips().begin(), skips().end(), what) == skips().end()) skips().push_back(what);
}

template <typename E>
bool throws(const std::function<void()>& body, const std::function<bool(const E&)>& matches) {
  try {
    body();
  } catch (const E& error) {
    return matches(error);
  }
  return false;
}

// -> whether all cases passed.
inline bool run(const Suite& suite) {
  suite.set_up();
  size_t passed = 0;
  for (const Case& test : suite.cases) {
    int before = failures();
    try {
      test.body();
    } catch (const std::exception& error) {
      fail(test.name, 0, std::string("threw: ") + error.what());
    }
    if (failures() == before) {
      ++passed;
    } else {
      std::printf("FAILED %s\n", test.name);
    }
  }
  size_t failed = suite.cases.size() - passed;
  for (const std::string& what : skips()) std::printf("SKIPPED %s: %s\n", suite.name, what.c_str());
  std::printf("%s: %zu passed, %zu failed\n", suite.name, passed, failed);
  return failed == 0;
}

}  // namespace check

#define TEST(name)                                                          \
  static void name();                                                       \
  static const check::Registration name##_registration(suite, #name, name); \
  static void name()
#define CHECK(condition) \
  if (!(condition)) check::fail(__FILE__, __LINE__, "not true: " #condition)
#define CHECK_NEAR(a, b, tolerance)                                                       \
  if (double check_a = (a), check_b = (b); !(std::abs(check_a - check_b) <= (tolerance))) \
  check::fail(__FILE__, __LINE__,                                                         \
              #a " = " + std::to_string(check_a) + ", expected " + std::to_string(check_b))
// The engine's Error with this code and this text in its message.
#define CHECK_ERROR(code_, text, body)                                                    \
  if (!check::throws<llm_host::Error>(                                                    \
          [&] { body; },                                                                  \
          [](const llm_host::Error& error) {                                              \
            bool fits = error.code() == (code_) &&                                        \
                        std::string(error.what()).find(text) != std::string::npos;        \
            if (!fits) std::printf("  got %s: %s\n", error.code().c_str(), error.what()); \
            return fits;                                                                  \
          }))                                                                             \
  check::fail(__FILE__, __LINE__, std::string("no error ") + (code_) + " with \"" + (text) + "\"")
