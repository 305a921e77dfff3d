// parquet_ours.cc - parquet_ours DIR: our side of the test against other implementations of
// Parquet's Bloom filter (parquet/parquet.mjs). For each case in DIR/cases it reads the filter
// that they wrote, and creates NAME.ours with the same size and keys; every other one is made 8
// times as large and folded. The answers of both are in DIR/ours.read and DIR/ours.made: for each
// case a line of its name, how many of its keys are present, and the answers for other keys.
#include <lfbloom/filter_more.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace {

struct FreeFilter {
  void operator()(lfb_filter* filter) const { lfb_filter_free(filter); }
};
using Filter = std::unique_ptr<lfb_filter, FreeFilter>;
using Keys = std::vector<std::string>;

void check(const std::string& what, lfb_status status) {
  if (status == LFB_OK) return;
  std::fprintf(stderr, "%s: %s\n", what.c_str(), lfb_status_text(status));
  std::exit(2);
}

Keys lines_of(const std::string& path) {
  std::ifstream file(path);
  Keys lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

Keys keys_of(const std::string& path) {
  Keys keys = lines_of(path);
  for (std::string& key : keys) {
    std::string bytes;
    for (size_t i = 0; i < key.size(); i += 2)
      bytes += static_cast<char>(std::stoul(key.substr(i, 2), nullptr, 16));
    key = bytes;
  }
  return keys;
}

lfb_status read_file(void* from, void* bytes, size_t size, size_t* got) {
  auto& file = *static_cast<std::ifstream*>(from);
  file.read(static_cast<char*>(bytes), static_cast<std::streamsize>(size));
  *got = static_cast<size_t>(file.gcount());
  return LFB_OK;
}

// Reads only the filter; the rest of the Parquet file follows it.
Filter read_filter(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  lfb_filter* filter = nullptr;
  check(path, lfb_filter_read(read_file, &file, nullptr, &filter));
  return Filter(filter);
}

lfb_stats stats_of(const Filter& filter) {
  lfb_stats stats;
  lfb_filter_stats(filter.get(), &stats);
  return stats;
}

// An empty filter of that size: doubles n until the size is reached.
Filter create(uint64_t bytes) {
  lfb_config config{};
  lfb_stats stats{};
  config.expected_insertions = 1;
  config.fpp = 0.01;
  config.strategy = LFB_SBBF;
  for (; stats.bytes < bytes; config.expected_insertions *= 2)
    check("lfb_config_plan", lfb_config_plan(&config, &stats));
  config.expected_insertions /= 2;
  lfb_filter* filter = nullptr;
  check("lfb_filter_create", lfb_filter_create(&config, &filter));
  return Filter(filter);
}

// Every other key of 8 bytes is put as a number.
bool is_number(const std::string& key, size_t turn) { return key.size() == 8 && turn % 2 == 0; }

uint64_t number_of(const std::string& key) {
  uint64_t number = 0;
  for (size_t i = 8; i-- > 0;) number = number << 8 | static_cast<uint8_t>(key[i]);
  return number;
}

void put(const Filter& filter, const Keys& keys) {
  for (size_t i = 0; i < keys.size(); i++) {
    if (is_number(keys[i], i))
      lfb_filter_put_u64(filter.get(), number_of(keys[i]));
    else
      lfb_filter_put(filter.get(), keys[i].data(), keys[i].size());
  }
}

std::string ask(const Filter& filter, const Keys& keys) {
  std::string answers;
  for (size_t i = 0; i < keys.size(); i++) {
    const bool yes = is_number(keys[i], i)
                         ? lfb_filter_might_contain_u64(filter.get(), number_of(keys[i]))
                         : lfb_filter_might_contain(filter.get(), keys[i].data(), keys[i].size());
    answers += yes ? '1' : '0';
  }
  return answers;
}

void write_answers(std::ofstream* to, const std::string& name, const Filter& filter,
                   const Keys& put_keys, const Keys& asked) {
  const std::string present = ask(filter, put_keys);
  *to << name << " " << std::count(present.begin(), present.end(), '1') << " "
      << ask(filter, asked) << "\n";
}

Filter fold(const Filter& filter, uint64_t factor) {
  lfb_filter* folded = nullptr;
  check("lfb_filter_fold", lfb_filter_fold(filter.get(), factor, &folded));
  return Filter(folded);
}

void try_case(const std::string& path, const std::string& name, uint64_t factor,
              std::ofstream* read, std::ofstream* made) {
  const Keys put_keys = keys_of(path + ".put"), asked = keys_of(path + ".ask");
  const Filter theirs = read_filter(path + ".filter");
  write_answers(read, name, theirs, put_keys, asked);

  const Filter wide = create(factor * stats_of(theirs).bytes);
  put(wide, put_keys);
  const Filter ours = fold(wide, factor);
  write_answers(made, name, ours, put_keys, asked);
  check(path + ".ours", lfb_filter_save(ours.get(), LFB_FORM_SBBF, (path + ".ours").c_str()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: parquet_ours DIR\n");
    return 2;
  }
  const std::string folder = argv[1];
  std::ofstream read(folder + "/ours.read"), made(folder + "/ours.made");
  uint64_t factor = 1;
  for (const std::string& name : lines_of(folder + "/cases")) {
    try_case(folder + "/" + name, name, factor, &read, &made);
    factor = factor == 1 ? 8 : 1;
  }
  return read.flush() && made.flush() ? 0 : 2;
}
