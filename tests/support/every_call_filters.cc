// every_call_filters.cc - rows of every_call.h: filters, their forms and deltas, and functions
// without objects.
#include "tests/support/every_things.h"

namespace every {
namespace {

void NewFilter(Things& t) { t.own.filter = Make(t.config).release(); }
void Empty(Things& t) { t.own.filter = Make(t.seeded).release(); }

// The key of the delta is there.
void Changed(Things& t) {
  EXPECT_EQ(HasKey(t.own.filter), t.status == LFB_OK);
}

// A batch so big that it allocates memory: without it only time is lost.
void AddBigBatch(Rows* rows) {
  Add(rows, {ROW(lfb_filter_put_many_u64, t.own.filter, t.batch.data(), t.batch.size(), nullptr)
                 .Fails(0, kContinues)
                 .Before(STEP(t.own.filter = Make(Config(200'000, 0.01, LFB_FAST)).release()))
                 .After(STEP(EXPECT_EQ(lfb_filter_might_contain_many_u64(
                                           t.own.filter, t.batch.data(), t.batch.size(), nullptr),
                                       t.batch.size())))});
}

void AddMaking(Rows* rows) {
  Add(rows, {
    ROW(lfb_filter_create, &t.keyed, &t.out.filter).Fails(5).Takes(&Things::keyed),
    ROW(lfb_filter_create, &t.config, &t.out.filter).Fails(5, kPopulated).Takes(&Things::config),
    ROW(lfb_filter_create, &t.large, &t.out.filter).Fails(5, kPopulated).Takes(&Things::large),
    // EINVAL: a Linux that populates nothing, so each page is touched
    ROW(lfb_filter_create, &t.config, &t.out.filter).Fails(4, {}, EINVAL),
    ROW(lfb_filter_create, &t.large, &t.out.filter).Fails(4, {}, EINVAL),
  }, [](Row& row) { row.Sizing().After(Made<&Outputs::filter>); });
  Add(rows, {
    ROW(lfb_filter_copy, t.filter.get(), &t.out.filter),
    ROW(lfb_filter_copy, t.big.get(), &t.out.filter),
    ROW(lfb_filter_fold, t.filter.get(), 1, &t.out.filter),
    ROW(lfb_filter_fold, t.foldable.get(), 2, &t.out.filter),
    ROW(lfb_filter_fold, t.big_foldable.get(), 2, &t.out.filter),
  }, [](Row& row) { row.Fails(4, kPopulated).After(Holds<&Outputs::filter>); });
  Add(rows, {FREE(lfb_filter_free, filter)
                 .Before(NewFilter)});
}

}  // namespace

void AddFilters(Rows* rows) {
  Add(rows, {
    THREE(lfb_filter_put, t.filter.get()), OBJECT(lfb_filter_put, t.filter.get()),
    YES_THREE(lfb_filter_might_contain, lfb_filter_put, t.filter.get()),
    YES_OBJECT(lfb_filter_might_contain, lfb_filter_put, t.filter.get()),
    THREE(lfb_filter_claim, t.filter.get()), OBJECT(lfb_filter_claim, t.filter.get()),
    MANY(lfb_filter_many, t.big.get(), LFB_PUT),
    MANY(lfb_filter_many, t.filter.get(), LFB_PUT),
    MANY(lfb_filter_many, t.big.get(), LFB_CLAIM),
    ROW(lfb_filter_words, t.filter.get(), 0, t.answers.data(), t.answers.size()),
    ROW(lfb_filter_words, t.filter.get(), 0, t.answers.data(), 1).After(Yes),
    ROW(lfb_filter_put_all, t.other.get(), t.filter.get())
        .After(STEP(EXPECT_TRUE(HasKey(t.other.get())))),
    ROW(lfb_filter_compare, t.filter.get(), t.other.get(), &t.out.comparison)
        .After(Filled<&Outputs::comparison>),
    ROW(lfb_filter_stats, t.filter.get(), &t.out.stats).After(Filled<&Outputs::stats>),
  });
  Add(rows, {MANY(lfb_filter_many, t.filter.get(), LFB_MIGHT_CONTAIN)}, [](Row& row) {
    row.Before(STEP(PUT_ALL(lfb_filter_many, t.filter.get()))).After(All);
  });
  AddMaking(rows);
  AddBigBatch(rows);
}

// The bit array, and functions without objects.
void AddPlain(Rows* rows) {
  Add(rows, {
    ROW(lfb_bit_array_create, kFew, &t.out.bits).Fails(3).After(Made<&Outputs::bits>),
    ROW(lfb_bit_array_create, 16 * kMany, &t.out.bits).Fails(3, kPopulated)
        .After(Made<&Outputs::bits>),
    ROW(lfb_bit_array_copy, t.bits, &t.out.bits).Fails(3).After(Made<&Outputs::bits>),
    FREE(lfb_bit_array_free, bits)
        .Before(STEP(EXPECT_EQ(lfb_bit_array_create(kFew, &t.own.bits), LFB_OK))),
    ROW(lfb_bit_array_set, t.bits, kKey),
    ROW(lfb_bit_array_get, t.bits, kKey).Before(STEP(lfb_bit_array_set(t.bits, kKey))).After(Yes),
    ROW(lfb_bit_array_count, t.bits).Before(STEP(lfb_bit_array_set(t.bits, kKey))).After(Yes),
    ROW(lfb_bit_array_size, t.bits).After(STEP(EXPECT_EQ(t.answer, 1024u))),
    ROW(lfb_bit_array_put_all, t.bits, t.bits),
  });
  Add(rows, {
    ROW(lfb_config_plan, &t.seeded, &t.out.stats).Takes(&Things::seeded),
    ROW(lfb_config_plan, &t.config, &t.out.stats).Fails(1).Takes(&Things::config),
  }, [](Row& row) { row.Sizing().After(Filled<&Outputs::stats>); });
  Add(rows, {
    ROW(lfb_config_fpp_after, &t.seeded, 2 * kFew, &t.out.fpp).Takes(&Things::seeded),
    ROW(lfb_config_fpp_after, &t.config, 2 * kFew, &t.out.fpp).Fails(1).Takes(&Things::config),
  }, [](Row& row) { row.Sizing().After(Filled<&Outputs::fpp>); });
  Add(rows, {
    Row("lfb_config_take_hash", +[](Things& t) {
      lfb_config config = t.config;
      return lfb_config_take_hash(&config, t.filter.get());
    }),
    ROW(lfb_strategy_name, LFB_SBBF),
    ROW(lfb_strategy_from_name, lfb_strategy_name(LFB_SBBF), &t.out.strategy)
        .After(STEP(EXPECT_EQ(t.out.strategy, LFB_SBBF); Filled<&Outputs::strategy>(t))),
    ROW(lfb_hash_name, LFB_HASH_XXH3),
    ROW(lfb_hash_from_name, lfb_hash_name(LFB_HASH_XXH3), &t.out.hash)
        .After(STEP(EXPECT_EQ(t.out.hash, LFB_HASH_XXH3); Filled<&Outputs::hash>(t))),
    ROW(lfb_form_name, LFB_FORM_MAPPED),
    ROW(lfb_form_from_name, lfb_form_name(LFB_FORM_MAPPED), &t.out.form)
        .After(STEP(EXPECT_EQ(t.out.form, LFB_FORM_MAPPED); Filled<&Outputs::form>(t))),
    ROW(lfb_form_holds, LFB_FORM_NATIVE, LFB_FAST).After(Yes),
    ROW(lfb_status_text, LFB_OK).After(STEP(EXPECT_STREQ(t.text, "success"))),
    Row("lfb_ignore", CALL(lfb_ignore(LFB_OK))),
    Row("lfb_version", CALL(lfb_version() / 1'000'000))
        .After(STEP(EXPECT_EQ(t.answer + '0', lfb_version_text()[0] + 0u))),
    Row("lfb_version_text", CALL(lfb_version_text())),
    Row("lfb_sink_put_bytes lfb_sink_put_i32 lfb_sink_put_i64 lfb_sink_put_utf16 "
        "lfb_sink_put_utf16_as_utf8 lfb_funnel_bytes lfb_funnel_i32 lfb_funnel_i64 "
        "lfb_funnel_utf16 lfb_funnel_utf16_as_utf8 lfb_funnel_sequence",
        CALL(lfb_filter_might_contain_object(t.filter.get(), Everything, &t.number))),
    ROW(lfb_object_bytes, Everything, &t.number, [](void*, const void*, size_t) {}, nullptr),
  });
}

// ---- written, read, saved and loaded ----------------------------------------------------------

// A filter in one form, in memory and in a file.
#define FORM(filter_, form_, bytes_, path_)                                                        \
  ROW(lfb_filter_write, t.filter_.get(), form_, AppendTo, &t.written).Fails(1),                    \
  ROW(lfb_filter_read, Source::Read, &t.source, &t.limits, &t.out.filter).Fails(4)                 \
      .Before(STEP(t.source = Source{t.bytes_, 4096})).After(Holds<&Outputs::filter>),             \
  ROW(lfb_filter_save, t.filter_.get(), form_, t.new_path.c_str()).Fails(8, kSaved)                \
      .Before(NoNewFile).After(Saved<&Outputs::filter, lfb_filter_load>),                          \
  ROW(lfb_form_of_file, t.path_.c_str(), &t.out.form).Fails(2).After(FormIs<form_>),               \
  ROW(lfb_filter_load, t.path_.c_str(), &t.limits, &t.out.filter).Fails(5)                         \
      .After(Holds<&Outputs::filter>)

namespace {

template <lfb_form form>
void FormIs(Things& t) {
  if (t.status == LFB_OK) {
    EXPECT_EQ(t.out.form, form);
  }
  Filled<&Outputs::form>(t);
}

// The report of damage is written on failure, too: not in Things::out.
lfb_status LoadWithReport(Things& t) {
  t.limits.damage = &t.damage;
  const lfb_status status = lfb_filter_load(t.native_path.c_str(), &t.limits, &t.out.filter);
  t.limits.damage = nullptr;
  return status;
}

void Reported(Things& t) {
  if (t.status == LFB_OK) ExpectFilled(&t.damage);
  Holds<&Outputs::filter>(t);
}

}  // namespace

void AddForms(Rows* rows) {
  Add(rows, {
    FORM(filter, LFB_FORM_NATIVE, native, native_path),
    FORM(big, LFB_FORM_NATIVE, native_big, big_path),
    FORM(guava, LFB_FORM_GUAVA, guava_bytes, guava_path),
    FORM(sbbf, LFB_FORM_SBBF, sbbf_bytes, sbbf_path),
    FORM(filter, LFB_FORM_MAPPED, mapped_bytes, shared_path),
  }, [](Row& row) {
    if (row.names == "lfb_filter_read" ||
        row.names == "lfb_filter_load") row.Takes(&Things::limits);
  });
  Add(rows, {
    ROW(lfb_filter_write, t.big.get(), LFB_FORM_MAPPED, AppendTo, &t.written).Fails(1),
    Row("lfb_filter_load", LoadWithReport)
        .Fails(5)
        .Before(STEP(Reset(&t.damage)))
        .After(Reported)
        .Takes(&Things::limits),
    ROW(lfb_delta_write, t.other.get(), t.filter.get(), AppendTo, &t.written).Fails(1)
        .Before(STEP(t.other = Make(t.seeded))),
    ROW(lfb_delta_write, t.filter.get(), t.filter.get(), AppendTo, &t.written).Fails(1),
    ROW(lfb_delta_save, t.other.get(), t.filter.get(), t.new_path.c_str()).Fails(8, kSaved)
        .Before(NoNewFile).After(NoNewFile),
    ROW(lfb_delta_apply, t.own.filter, t.delta.data(), t.delta.size(), nullptr).Before(Empty)
        .After(Changed),
    ROW(lfb_delta_apply, t.own.filter, "no delta", 8, nullptr)
        .Before(Empty)
        .Returns(LFB_ERROR_NOT_DELTA),
    ROW(lfb_delta_apply_file, t.own.filter, t.delta_path.c_str(), nullptr).Fails(4).Before(Empty)
        .After(Changed),
  });
}

}  // namespace every
