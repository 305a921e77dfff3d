// failing_mapped.cc - rows of objects in mapped files.
#include <lfbloom/growing_mapped.h>
#include <lfbloom/mapped.h>

#include "tests/whole/failing_rows.h"

namespace failing {

namespace {

// ---- mapped -------------------------------------------------------------------------

// The results of mapping a file. open(): without unnamed files one with a name is made, and the
// folder is opened to sync it.
const std::map<std::string, Statuses> kMapped = {
    {"mmap", {LFB_ERROR_MAP, LFB_ERROR_NO_MEMORY}},
    {"open", {LFB_OK, LFB_ERROR_OPEN, LFB_ERROR_SYNC}},
    {"lstat", {LFB_OK}},
    // closing checks whether the descriptor still is the file's
    {"fstat", {LFB_OK, LFB_ERROR_OPEN, LFB_ERROR_MAP}},
};

// An act that makes a file, which is whole or does not exist.
template <typename T, typename Maker>
Act MakingAFile(const std::string& path, const Maker& make) {
  return [=] {
    const lfb_status status = Make<T>(make, [](T* made) { UseAndFree(made); });
    const Spared now;
    EXPECT_EQ(std::filesystem::exists(path), status == LFB_OK);
    if (status == LFB_OK) std::filesystem::remove(path);
    return status;
  };
}

// An act on an object that is opened before it, and closed after it.
template <typename T, typename Opener>
Act OnOpened(const Opener& open, const std::function<lfb_status(T*)>& act) {
  return [=] {
    T* opened = nullptr;
    {
      const Spared now;
      EXPECT_EQ(open(&opened), LFB_OK);
    }
    const lfb_status status = act(opened);
    const Spared now;
    if (opened != nullptr) UseAndFree(opened);
    return status;
  };
}

}  // namespace

void AddMapped(Rows* rows) {
  const lfb_config config = Seedless(kFew);
  const auto make = [=](const std::string& path) {
    lfb_filter* filter = nullptr;
    EXPECT_EQ(lfb_mapped_create(path.c_str(), &config, &filter), LFB_OK);
    if (filter != nullptr) UseAndFree(filter);
    return [path](lfb_filter** opened) { return lfb_mapped_open(path.c_str(), nullptr, opened); };
  };
  rows->push_back({"lfb_mapped_create", 12, [=](const std::string& directory) {
                     const std::string path = directory + "/a";
                     return MakingAFile<lfb_filter>(path, [=](lfb_filter** filter) {
                       return lfb_mapped_create(path.c_str(), &config, filter);
                     });
                   }, kMapped});
  rows->push_back({"lfb_mapped_open", 8, [=](const std::string& directory) {
                     return Reading<lfb_filter>(make(directory + "/a"),
                                                lfb_filter_might_contain_u64);
                   }, kMapped});
  rows->push_back({"lfb_mapped_open_read_only", 8, [=](const std::string& directory) {
                     make(directory + "/a");
                     return [path = directory + "/a"] {
                       return Make<const lfb_filter>(
                           [&](const lfb_filter** opened) {
                             return lfb_mapped_open_read_only(path.c_str(), nullptr, opened);
                           },
                           [](const lfb_filter* opened) {
                             EXPECT_TRUE(lfb_filter_might_contain_u64(opened, kKey));
                             lfb_mapped_close(opened);
                           });
                     };
                   }, kMapped});
  rows->push_back({"lfb_mapped_sync", 4, [=](const std::string& directory) {
                     return OnOpened<lfb_filter>(make(directory + "/a"), lfb_mapped_sync);
                   }, {{"fstat", {LFB_ERROR_TRUNCATED}},
                       {"stat", {LFB_ERROR_REPLACED}},
                       {"open", {LFB_ERROR_SYNC}}}});
  rows->push_back({"lfb_mapped_close", 0, [=](const std::string& directory) {
                     const auto open = make(directory + "/a");
                     return [=] {
                       lfb_filter* opened = nullptr;
                       {
                         const Spared now;
                         EXPECT_EQ(open(&opened), LFB_OK);
                       }
                       lfb_mapped_close(opened);
                       return LFB_OK;
                     };
                   }, {{"*", {LFB_OK}}}});
}

void AddGrowingMapped(Rows* rows) {
  const lfb_config config = Seedless(kFew);
  const auto make = [=](const std::string& path) {
    lfb_growing* growing = nullptr;
    EXPECT_EQ(lfb_growing_mapped_create(path.c_str(), &config, &growing), LFB_OK);
    for (uint64_t i = 0; i < 3 * kFew; i++) lfb_growing_put_u64(growing, i);  // three layers
    lfb_growing_free(growing);
    return [path](lfb_growing** opened) {
      return lfb_growing_mapped_open(path.c_str(), nullptr, opened);
    };
  };
  rows->push_back({"lfb_growing_mapped_create", 15, [=](const std::string& directory) {
                     const std::string path = directory + "/g";
                     return MakingAFile<lfb_growing>(path, [=](lfb_growing** growing) {
                       return lfb_growing_mapped_create(path.c_str(), &config, growing);
                     });
                   }, kMapped});
  rows->push_back({"lfb_growing_mapped_open", 12, [=](const std::string& directory) {
                     return Reading<lfb_growing>(make(directory + "/g"),
                                                 lfb_growing_might_contain_u64);
                   }, kMapped});
  rows->push_back({"lfb_growing_mapped_open_read_only", 12, [=](const std::string& directory) {
                     make(directory + "/g");
                     return [path = directory + "/g"] {
                       return Make<const lfb_growing>(
                           [&](const lfb_growing** opened) {
                             return lfb_growing_mapped_open_read_only(path.c_str(), nullptr, opened);
                           },
                           [](const lfb_growing* opened) {
                             EXPECT_TRUE(lfb_growing_might_contain_u64(opened, kKey));
                             lfb_growing_mapped_close(opened);
                           });
                     };
                   }, kMapped});
  rows->push_back({"lfb_growing_mapped_sync", 10, [=](const std::string& directory) {
                     return OnOpened<lfb_growing>(make(directory + "/g"), lfb_growing_mapped_sync);
                   }, {{"fstat", {LFB_ERROR_TRUNCATED}},
                       {"stat", {LFB_ERROR_REPLACED}},
                       {"open", {LFB_ERROR_SYNC}}}});
  rows->push_back({"lfb_growing_mapped_close", 0, [=](const std::string& directory) {
                     const auto open = make(directory + "/g");
                     return [=] {
                       lfb_growing* opened = nullptr;
                       {
                         const Spared now;
                         EXPECT_EQ(open(&opened), LFB_OK);
                       }
                       lfb_growing_mapped_close(opened);
                       return LFB_OK;
                     };
                   }, {{"*", {LFB_OK}}}});
}

}  // namespace failing
