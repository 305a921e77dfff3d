// every_call_versions.cc - rows of every_call.h: builders, versions and followers.
#include <sched.h>

#include "tests/support/every_things.h"

namespace every {
namespace {

// ---- builders -----------------------------------------------------------------------------

void NewBuilder(Things& t) { EXPECT_EQ(lfb_builder_create(&t.config, &t.own.builder), LFB_OK); }

// The keys twice, so that the filter is made a second time.  Without memory for that the larger one
// stays; without memory for a hash there is none.
lfb_status FinishTwice(Things& t) {
  for (int i = 0; i < 2; i++)
    lfb_builder_put_many(t.own.builder, t.batch.data(), kKeys, LFB_U64_KEY);
  return lfb_builder_finish(t.own.builder, &t.out.filter, nullptr);
}

void Dropped(Things& t) { lfb_builder_free(std::exchange(t.own.builder, nullptr)); }

void Finished(Things& t) {
  if (t.status == LFB_OK) {
    t.own.builder = nullptr;
    EXPECT_EQ(lfb_filter_might_contain_many_u64(t.out.filter, t.batch.data(), kKeys, nullptr),
              kKeys);
  }
  Made<&Outputs::filter>(t);
}

}  // namespace

void AddBuilder(Rows* rows) {
  Add(rows, {
    ROW(lfb_builder_create, &t.config, &t.out.builder).Takes(&Things::config),
  }, [](Row& row) { row.Sizing().Fails(6).After(Made<&Outputs::builder>); });
  Add(rows, {
    Row("lfb_builder_finish", FinishTwice)
        .Sizing()
        .Fails(6, {{"*", {LFB_OK, LFB_ERROR_NO_MEMORY}}})
        .Before(NewBuilder)
        .After(Finished),
    ROW(lfb_builder_put_many, t.own.builder, t.keys.data(), t.many, LFB_BYTES_KEY)
        .Fails(0, {{"*", {LFB_OK}}})
        .Before(NewBuilder)
        .After(Dropped),
    FREE(lfb_builder_free, builder)
        .Before(NewBuilder),
  });
}

// ---- versions ---------------------------------------------------------------------------------

namespace {

void NewFilter(Things& t) { t.own.filter = Make(t.config).release(); }

void BeginRebuild(Things& t) {
  lfb_filter* building = nullptr;
  t.before = lfb_versions_number(t.versions);
  EXPECT_EQ(lfb_versions_begin_rebuild(t.versions, &t.config, &building), LFB_OK);
  lfb_filter_put_u64(building, kKey);
}

void Keep(Things& t) {
  BeginRebuild(t);
  EXPECT_EQ(lfb_versions_publish(t.versions, LFB_KEEP_PREVIOUS, nullptr), LFB_OK);
  t.before = lfb_versions_number(t.versions);
}

// A call that takes t.own.filter if it succeeds.
lfb_status Taken(Things& t, lfb_status status) {
  if (status == LFB_OK) t.own.filter = nullptr;
  return status;
}

// The handle still works: nothing waits to be freed.
void Works(Things& t) {
  EXPECT_EQ(lfb_versions_reclaim(t.versions), 0u);
  EXPECT_TRUE(lfb_versions_might_contain_u64(t.versions, kKey));
}

void Abandon(Things& t) {
  EXPECT_EQ(lfb_versions_abandon(t.versions), t.status == LFB_OK ? LFB_OK
                                                                 : LFB_ERROR_NOT_REBUILDING);
  Works(t);
}

void Begun(Things& t) {
  EXPECT_EQ(!Untouched(t.out.building), t.status == LFB_OK);
  Reset(&t.out.building);
  Abandon(t);
}

void DropPrevious(Things& t) {
  EXPECT_EQ(lfb_versions_drop_previous(t.versions), t.status == LFB_OK ? LFB_ERROR_NO_PREVIOUS
                                                                       : LFB_OK);
  Works(t);
}

// The number is that of the new version, or untouched.
void Numbered(Things& t) {
  EXPECT_EQ(lfb_versions_number(t.versions) == t.before, t.status != LFB_OK);
  if (t.status == LFB_OK) {
    EXPECT_EQ(t.out.number, lfb_versions_number(t.versions));
  }
  Filled<&Outputs::number>(t);
  Works(t);
}

// On one thread: a reader leaves where it entered.
uint64_t EnterAndLeave(Things& t) {
  const lfb_filter* const seen = lfb_versions_enter(t.versions, &t.out.number);
  t.before = lfb_versions_number(t.versions);
  lfb_versions_leave(t.versions);
  return seen != nullptr;
}

void Entered(Things& t) {
  EXPECT_EQ(t.out.number, t.before);
  Filled<&Outputs::number>(t);
  Yes(t);
}

void AddReaders(Rows* rows) {
  Add(rows, {
    TWO(lfb_versions_put, t.versions),
    YES_TWO(lfb_versions_might_contain, lfb_versions_put, t.versions),
    MANY(lfb_versions_many, t.versions, LFB_PUT),
  });
  Add(rows, {MANY(lfb_versions_many, t.versions, LFB_MIGHT_CONTAIN)}, [](Row& row) {
    row.Before(STEP(PUT_ALL(lfb_versions_many, t.versions))).After(All);
  });
  Add(rows, {
    Row("lfb_versions_enter lfb_versions_leave lfb_versions_number", EnterAndLeave).After(Entered),
    ROW(lfb_versions_stats, t.versions, &t.out.versions_figures)
        .After(Filled<&Outputs::versions_figures>),
    ROW(lfb_versions_reclaim, t.versions).After(STEP(EXPECT_EQ(t.answer, 0u))),
  });
}

}  // namespace

void AddVersions(Rows* rows) {
  AddReaders(rows);
  Add(rows, {
    ROW(lfb_versions_create, &t.config, &t.out.versions).Sizing().Fails(7)
        .After(Made<&Outputs::versions>).Takes(&Things::config),
    ROW(lfb_versions_create_waiting, &t.out.versions).Fails(6).After(Made<&Outputs::versions>),
    Row("lfb_versions_create_with",
        CALL(Taken(t, lfb_versions_create_with(t.own.filter, &t.out.versions))))
        .Fails(2).Before(NewFilter).After(Made<&Outputs::versions>),
    FREE(lfb_versions_free, versions)
        .Fails(0, kContinues).Before(NewVersions),
    ROW(lfb_versions_begin_rebuild, t.versions, &t.config, &t.out.building).Sizing().Fails(7)
        .After(Begun).Takes(&Things::config),
    Row("lfb_versions_begin_rebuild_with",
        CALL(Taken(t, lfb_versions_begin_rebuild_with(t.versions, t.own.filter))))
        .Fails(2).Before(NewFilter).After(Abandon),
    ROW(lfb_versions_publish, t.versions, LFB_DROP_PREVIOUS, &t.out.number).Before(BeginRebuild)
        .After(Numbered),
    ROW(lfb_versions_abandon, t.versions).Before(BeginRebuild).After(Works),
    ROW(lfb_versions_rollback, t.versions, &t.out.number).Fails(1).Before(Keep)
        .After(STEP(Numbered(t), DropPrevious(t))),
    ROW(lfb_versions_drop_previous, t.versions).Fails(1).Before(Keep).After(DropPrevious),
  });
}

// ---- sources and followers --------------------------------------------------------------------

namespace {

// The source's version at the last rebuild.
uint64_t Rebuilt(lfb_follow* follow) {
  lfb_follow_figures figures;
  lfb_follow_stats(follow, &figures);
  return figures.source_version;
}

void NewFollow(Things& t) {
  EXPECT_EQ(lfb_follow_create(t.versions, &t.functions, &t.follow_config, &t.own.follow), LFB_OK);
}

// Stops a thread, but not while it takes keys: these would be refused.
void Stop(Things& t) {
  while (t.status == LFB_OK && Rebuilt(t.own.follow) == 0) sched_yield();
  lfb_follow_stop(t.own.follow);
}

void Started(Things& t) {
  NewFollow(t);
  EXPECT_EQ(lfb_follow_start(t.own.follow), LFB_OK);
  while (Rebuilt(t.own.follow) == 0) sched_yield();
  t.still = true;
}

void Polled(Things& t) {
  EXPECT_EQ(t.followed, t.status == LFB_OK ? LFB_FOLLOWED_REBUILT : LFB_FOLLOWED_FAILED);
  EXPECT_TRUE(lfb_versions_might_contain_u64(t.versions, kKey));
}

// Asks a source of files for a version and the filter.
lfb_status AskFiles(Things& t, const std::string& path) {
  lfb_status status = lfb_file_source_create(path.c_str(), nullptr, nullptr, nullptr, &t.own.files);
  EXPECT_EQ(t.own.files != nullptr, status == LFB_OK);
  if (status != LFB_OK) return status;
  const lfb_source functions = lfb_file_source_functions(t.own.files);
  uint64_t version = 0;
  status = functions.version(functions.self, &version);
  EXPECT_LE(version, status == LFB_OK ? 1u : 0u);
  return status == LFB_OK ? functions.filter(functions.self, &t.out.filter) : status;
}

void NewSource(Things& t) {
  EXPECT_EQ(lfb_file_source_create(t.native_path.c_str(), nullptr, nullptr, nullptr, &t.own.files),
            LFB_OK);
}

// A source that fails while there is no memory: the follower continues once both have passed.
// Seen to fail when abandoning a version needed memory: the version was being built permanently.
void FailAsItsSource(Things& t) {
  lfb_followed what;
  t.source_status = LFB_ERROR_READ;
  EXPECT_NE(lfb_follow_poll(t.follow, t.now += 1000, &what), LFB_OK);
}

void PollAgain(Things& t) {
  t.source_status = LFB_OK;
  EXPECT_EQ(lfb_follow_poll(t.follow, t.now += 1000, &t.followed), LFB_OK);
  Polled(t);
}

void AddFiles(Rows* rows) {
  Add(rows, {
    ROW(lfb_file_source_create, t.native_path.c_str(), &t.limits, nullptr, nullptr, &t.out.files)
        .Fails(1)
        .After(Made<&Outputs::files>)
        .Takes(&Things::limits),
    FREE(lfb_file_source_free, files)
        .Before(NewSource),
    Row("lfb_file_source_functions", STEP(t.out.source = lfb_file_source_functions(t.own.files)))
        .Before(NewSource)
        .After(Filled<&Outputs::source>),
    Row("lfb_file_source_create lfb_file_source_functions", CALL(AskFiles(t, t.native_path)))
        .Fails(10)
        .After(Holds<&Outputs::filter>),
    Row("lfb_file_source_create lfb_file_source_functions", CALL(AskFiles(t, t.filters_path)))
        .Fails(10)
        .After(Holds<&Outputs::filter>),
  });
}

}  // namespace

void AddFollowers(Rows* rows) {
  AddFiles(rows);
  Add(rows, {
    ROW(lfb_follow_create, t.versions, &t.functions, &t.follow_config, &t.out.follow)
        .Sizing()
        .Fails(3)
        .After(Made<&Outputs::follow>)
        .Takes(&Things::functions)
        .Takes(&Things::follow_config)
        .Takes([](Things& t) {
          return Words{t.follow_config.rebuild.reserved, std::size(lfb_config{}.reserved)};
        }),
    FREE(lfb_follow_free, follow)
        .Before(NewFollow),
    ROW(lfb_follow_stats, t.follow, &t.out.follow_figures)
        .After(Filled<&Outputs::follow_figures>),
    ROW(lfb_follow_start, t.own.follow).Fails(1).Before(NewFollow).After(Stop),
    ROW(lfb_follow_wake, t.own.follow).Before(NewFollow),
    ROW(lfb_follow_wake, t.own.follow).Before(Started),
    ROW(lfb_follow_stop, t.own.follow).Before(NewFollow),
    ROW(lfb_follow_stop, t.own.follow).Fails(0, kContinues).Before(Started),
  });
  const char* const names =
      "lfb_follow_poll lfb_keys_give lfb_keys_give_delta lfb_keys_removed";
  Add(rows, {
    Row(names, CALL(lfb_follow_poll(t.follow, t.now += 1000, &t.followed))).Fails(8),
    Row(names, CALL(lfb_follow_poll(t.follow_with_threads, t.now += 1000, &t.followed))).Fails(10),
  }, [](Row& row) { row.Sizing().After(Polled); });
  Add(rows,
      {Row("lfb_follow_poll", FailAsItsSource).Sizing().Fails(0, kContinues).After(PollAgain),
       Row("lfb_follow_rebuild", CALL(lfb_follow_rebuild(t.follow, t.now += 1000)))
           .Sizing()
           .Fails(8)
           .After([](Things& t) {
             EXPECT_TRUE(lfb_versions_might_contain_u64(t.versions, kKey));
           })});
}

}  // namespace every
