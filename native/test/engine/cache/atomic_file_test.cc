#include "engine/cache/atomic_file.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "check.h"
#include "common/error.h"

namespace llm_host::atomic_file_test {

static const check::Suite suite("atomic_file");
namespace fs = std::filesystem;

namespace {

struct Folder {
  Folder() {
    std::string name = fs::temp_directory_path() / "llm-host-atomic-XXXXXX";
    path = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path); }

  std::string file() const { return path / "file"; }
  size_t entries() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path), {}));
  }

  fs::path path;
};

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST(two_writers_of_one_file_each_write_a_whole_one) {
  Folder folder;
  AtomicFile first(folder.file()), second(folder.file());
  first.write("first, and longer", 17);
  second.write("second", 6);
  first.finish(false);
  CHECK(text_of(folder.file()) == "first, and longer");
  second.finish(false);
  CHECK(text_of(folder.file()) == "second");
  CHECK(folder.entries() == 1);
}

TEST(what_is_never_finished_leaves_nothing_and_the_other_writer_alone) {
  Folder folder;
  AtomicFile kept(folder.file());
  {
    AtomicFile dropped(folder.file());
  }
  kept.write("kept", 4);
  kept.finish(true);
  CHECK(text_of(folder.file()) == "kept");
  CHECK(folder.entries() == 1);
}

TEST(a_folder_that_is_not_there_is_named) {
  Folder folder;
  std::string path = folder.path / "none" / "file";
  CHECK(check::throws<Error>(
      [&] { AtomicFile file(path); },
      [&](const Error& error) {
        return std::string(error.what()).rfind(path + ": cannot be written: ", 0) == 0;
      }));
}

}  // namespace llm_host::atomic_file_test
