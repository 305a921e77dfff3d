// make_golden.cc - writes the golden files of golden_rows.h into a directory.
#include <cstdio>
#include <fstream>

#include "tests/files/golden_rows.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_golden DIRECTORY\n");
    return 2;
  }
  const std::string folder = std::string(argv[1]) + "/";
  std::ofstream(folder + kGoldenGrowing, std::ios::binary)
      << GoldenGrowingBytes(folder + "being-made");
  for (const GoldenDelta& row : kGoldenDeltas)
    std::ofstream(folder + row.file, std::ios::binary) << GoldenDeltaBytes(row);
  for (const GoldenRow& row : kGoldenRows) {
    const std::string path = std::string(argv[1]) + "/" + row.file;
    std::ofstream file(path, std::ios::binary);
    file << GoldenBytes(MakeGolden(row), row.form);
    file.close();
    if (!file) {
      std::fprintf(stderr, "make_golden: cannot write %s\n", path.c_str());
      return 1;
    }
  }
  return 0;
}
