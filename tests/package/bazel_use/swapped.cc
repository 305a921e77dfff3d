// swapped.cc - a C++ program of another workspace that replaces a filter while it is used.
#include <lfbloom/versions.h>

#include <iostream>

int main() {
  lfb_config config = {};
  config.expected_insertions = 1000;
  config.fpp = 0.001;
  lfb_versions* versions = nullptr;
  lfb_filter* next = nullptr;
  if (lfb_versions_create(&config, &versions) != LFB_OK) return 1;
  lfb_versions_put(versions, "apple", 5);
  if (lfb_versions_begin_rebuild(versions, &config, &next) != LFB_OK) return 1;
  lfb_filter_put(next, "pear", 4);
  if (lfb_versions_publish(versions, LFB_DROP_PREVIOUS, nullptr) != LFB_OK) return 1;
  const bool apple = lfb_versions_might_contain(versions, "apple", 5);
  const bool pear = lfb_versions_might_contain(versions, "pear", 4);
  lfb_versions_free(versions);
  std::cout << "apple " << apple << ", pear " << pear << '\n';
  return apple || !pear;
}
