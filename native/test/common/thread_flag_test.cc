#include "common/thread_flag.h"

#include <thread>

#include "check.h"

namespace llm_host::thread_flag_test {

static const check::Suite suite("thread_flag");

namespace {

using Quiet = ThreadFlag<struct QuietFlag, false>;
using Loud = ThreadFlag<struct LoudFlag, true>;

}  // namespace

TEST(holds_within_a_scope) {
  CHECK(!Quiet::on());
  {
    Quiet quiet(true);
    CHECK(Quiet::on());
    {
      Quiet not_quiet(false);
      CHECK(!Quiet::on());
    }
    CHECK(Quiet::on());
  }
  CHECK(!Quiet::on());
}

TEST(is_one_of_several) {
  Quiet quiet(true);
  CHECK(Loud::on());
  Loud not_loud(false);
  CHECK(Quiet::on());
  CHECK(!Loud::on());
}

TEST(is_another_in_each_thread) {
  Quiet quiet(true);
  bool elsewhere = true;
  std::thread([&] { elsewhere = Quiet::on(); }).join();
  CHECK(!elsewhere);
}

}  // namespace llm_host::thread_flag_test
