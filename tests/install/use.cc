// use.cc - a C++11 program, without versions, outside the tree that uses an installed lfbloom.
#include <lfbloom/filter.h>

#include <iostream>
#include <memory>
#include <string>
#include <thread>

int main() {
  lfb_config config{};
  config.expected_insertions = 1000;
  config.fpp = 0.001;
  lfb_filter* made = nullptr;
  if (lfb_filter_create(&config, &made) != LFB_OK) return 1;
  const std::unique_ptr<lfb_filter, decltype(&lfb_filter_free)> filter(made, lfb_filter_free);

  const std::string key = "apple";
  std::thread([&] { lfb_filter_put(filter.get(), key.data(), key.size()); }).join();
  const bool found = lfb_filter_might_contain(filter.get(), key.data(), key.size());
  std::cout << "C++: apple " << found << '\n';
  return !found;
}
