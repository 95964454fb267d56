#include <cstring>

#include "check.h"

// Runs one suite in this process, since MLX and the kernels take their settings from the
// environment only once. Without an argument: prints the names of all.
int main(int count, char** arguments) {
  for (const check::Suite* suite : check::suites()) {
    if (count < 2) std::puts(suite->name);
    if (count >= 2 && std::strcmp(suite->name, arguments[1]) == 0)
      return check::run(*suite) ? 0 : 1;
  }
  if (count < 2) return 0;
  std::printf("there is no suite %s\n", arguments[1]);
  return 2;
}
