// failing_versions.cc - rows of versions, and of the calls that replace them.
#include <lfbloom/file_source.h>
#include <sched.h>

#include "tests/whole/failing_rows.h"

namespace failing {

namespace {

// ---- versions -----------------------------------------------------------------------

void Begin(lfb_versions* versions) {
  const lfb_config config = Seedless(kFew);
  lfb_filter* building = nullptr;
  ASSERT_EQ(lfb_versions_begin_rebuild(versions, &config, &building), LFB_OK);
  lfb_filter_put_u64(building, kKey);
}

// An administrator's act, with a call before it and a call after it.
template <typename Before, typename Administer, typename Behind>
std::function<Act(const std::string&)> Administering(Before before, Administer administer,
                                                     Behind behind) {
  return [=](const std::string&) {
    const SharedVersions versions = Versions();
    return [=] {
      {
        const Spared now;
        before(versions.get());
      }
      const lfb_status status = administer(versions.get());
      const Spared now;
      behind(versions.get(), status);
      EXPECT_EQ(lfb_versions_reclaim(versions.get()), 0u);
      EXPECT_TRUE(lfb_versions_might_contain_u64(versions.get(), kKey));
      return status;
    };
  };
}

// The number is that of the new version, or untouched.
template <typename Numbering>
lfb_status Numbered(lfb_versions* versions, const Numbering& numbering) {
  const uint64_t before = lfb_versions_number(versions);
  uint64_t number = 0;
  const lfb_status status = numbering(&number);
  const Spared now;
  EXPECT_EQ(number, status == LFB_OK ? lfb_versions_number(versions) : 0);
  EXPECT_EQ(lfb_versions_number(versions) == before, status != LFB_OK);
  return status;
}

}  // namespace

void AddVersions(Rows* rows) {
  const auto nothing = [](lfb_versions*) {};
  const auto abandon = [](lfb_versions* versions, lfb_status status) {
    EXPECT_EQ(lfb_versions_abandon(versions),
              status == LFB_OK ? LFB_OK : LFB_ERROR_NOT_REBUILDING);
  };
  const auto keep = [](lfb_versions* versions) {
    Begin(versions);
    EXPECT_EQ(lfb_versions_publish(versions, LFB_KEEP_PREVIOUS, nullptr), LFB_OK);
  };
  const auto drop = [](lfb_versions* versions, lfb_status status) {
    EXPECT_EQ(lfb_versions_drop_previous(versions),
              status == LFB_OK ? LFB_ERROR_NO_PREVIOUS : LFB_OK);
  };
  rows->push_back({"lfb_versions_create", 8, ToCreate(lfb_versions_create, Seedless(kFew))});
  rows->push_back({"lfb_versions_create_with", 3, [](const std::string&) {
                     return Making<lfb_versions>([](lfb_versions** versions) {
                       const auto make = [] {
                         const Spared now;
                         return Make(Seedless(kFew));
                       };
                       Filter filter = make();
                       const lfb_status status = lfb_versions_create_with(filter.get(), versions);
                       const Spared now;
                       if (status == LFB_OK) (void)filter.release();
                       filter.reset();
                       return status;
                     });
                   }});
  rows->push_back({"lfb_versions_begin_rebuild", 7,
                   Administering(nothing, [](lfb_versions* versions) {
                     const lfb_config config = Seedless(kFew);
                     lfb_filter* building = nullptr;
                     const lfb_status status =
                         lfb_versions_begin_rebuild(versions, &config, &building);
                     EXPECT_EQ(building != nullptr, status == LFB_OK);
                     return status;
                   }, abandon)});
  rows->push_back({"lfb_versions_begin_rebuild_with", 2,
                   Administering(nothing, [](lfb_versions* versions) {
                     const auto make = [] {
                       const Spared now;
                       return Make(Seedless(kFew));
                     };
                     Filter filter = make();
                     const lfb_status status =
                         lfb_versions_begin_rebuild_with(versions, filter.get());
                     const Spared now;
                     if (status == LFB_OK) (void)filter.release();
                     filter.reset();
                     return status;
                   }, abandon)});
  rows->push_back({"lfb_versions_publish", kQuiet,
                   Administering(Begin, [](lfb_versions* versions) {
                     return Numbered(versions, [versions](uint64_t* number) {
                       return lfb_versions_publish(versions, LFB_DROP_PREVIOUS, number);
                     });
                   }, [](lfb_versions*, lfb_status) {})});
  rows->push_back({"lfb_versions_abandon", kQuiet,
                   Administering(Begin, lfb_versions_abandon, [](lfb_versions*, lfb_status) {})});
  rows->push_back({"lfb_versions_rollback", 1,
                   Administering(keep, [](lfb_versions* versions) {
                     return Numbered(versions, [versions](uint64_t* number) {
                       return lfb_versions_rollback(versions, number);
                     });
                   }, drop)});
  rows->push_back({"lfb_versions_drop_previous", 1,
                   Administering(keep, lfb_versions_drop_previous, drop)});
}

namespace {

// ---- sources and followers ----------------------------------------------------------

// Makes a source of files, asks it for a version, frees it.
lfb_status AskFiles(const std::string& path, lfb_filter** filter) {
  lfb_file_source* source = nullptr;
  uint64_t version = 0;
  lfb_status status = lfb_file_source_create(path.c_str(), nullptr, nullptr, nullptr, &source);
  EXPECT_EQ(source != nullptr, status == LFB_OK);
  if (status != LFB_OK) return status;
  const lfb_source functions = lfb_file_source_functions(source);
  status = functions.version(functions.self, &version);
  EXPECT_LE(version, status == LFB_OK ? 1u : 0u);
  if (status == LFB_OK) status = functions.filter(functions.self, filter);
  const Spared now;
  lfb_file_source_free(source);
  return status;
}

// A source that fails while there is no memory: the follower continues once both have passed.
// Seen to fail when abandoning a version needed memory: the version was being built permanently.
Act FailsAsItsSource(const std::string&) {
  const auto keys = Keys::Followed(1);
  return [keys] {
    keys->status = LFB_ERROR_READ;
    EXPECT_NE(keys->Poll(), LFB_OK);
    keys->status = LFB_OK;
    const Spared now;
    return keys->Poll();
  };
}

}  // namespace

void AddFollowers(Rows* rows) {
  rows->push_back({"lfb_file_source_create lfb_file_source_functions", 10,
                   [](const std::string& directory) {
                     const std::string path = directory + "/a";
                     const SharedFilter filter = WithKey(Seedless(kFew));
                     EXPECT_EQ(lfb_filter_save(filter.get(), LFB_FORM_NATIVE, path.c_str()), LFB_OK);
                     return Reading<lfb_filter>(
                         [path](lfb_filter** made) { return AskFiles(path, made); },
                         lfb_filter_might_contain_u64);
                   }});
  rows->push_back({"lfb_file_source_create lfb_file_source_functions", 10,
                   [](const std::string& directory) {
                     const SharedFilter filter = WithKey(Seedless(kFew));
                     EXPECT_EQ(lfb_filter_save(filter.get(), LFB_FORM_NATIVE,
                                               (directory + "/a").c_str()),
                               LFB_OK);
                     return Reading<lfb_filter>(
                         [directory](lfb_filter** made) { return AskFiles(directory, made); },
                         lfb_filter_might_contain_u64);
                   }});
  rows->push_back({"lfb_follow_create", 3, [](const std::string&) {
                     const auto keys = std::make_shared<Keys>();
                     return [keys] {
                       const lfb_source functions = keys->Functions();
                       lfb_follow_config config{};
                       config.rebuild = Seedless(kFew);
                       return Make<lfb_follow>(
                           [&](lfb_follow** follow) {
                             return lfb_follow_create(keys->versions.get(), &functions, &config,
                                                      follow);
                           },
                           lfb_follow_free);
                     };
                   }});
  rows->push_back({"lfb_follow_poll lfb_keys_give lfb_keys_give_u64 lfb_keys_give_hash "
                   "lfb_keys_give_hash_uncounted lfb_keys_give_delta lfb_keys_removed", 10, [](const std::string&) {
                     const auto keys = Keys::Followed(3);
                     return [keys] { return keys->Poll(); };
                   }});
  rows->push_back({"lfb_follow_poll", 0, FailsAsItsSource, {{"*", {LFB_OK}}}});
  rows->push_back({"lfb_follow_start", 1, [](const std::string&) {
                     const auto keys = Keys::Followed(1);
                     return [keys] {
                       const uint64_t before = keys->Rebuilt();
                       const lfb_status status = lfb_follow_start(keys->follow.get());
                       const Spared now;
                       // not while it takes keys: these would be refused
                       while (status == LFB_OK && keys->Rebuilt() == before) sched_yield();
                       lfb_follow_stop(keys->follow.get());
                       return status;
                     };
                   }});
}

}  // namespace failing
