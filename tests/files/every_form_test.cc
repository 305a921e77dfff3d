// What all forms of all kinds of filters have in common: they come back as they were; cut,
// lengthened, damaged or of another kind they are refused, each with its status; and limits, keys
// and failing functions of the caller are heeded.  The tests of a form have what it alone has.
//
// Seen to fail with the checksums of the words, or of their table, not compared; with damaged words
// not filled; with a short read accepted, or its status lost; with trailing bytes ignored; with
// twice the limit allowed; with all memory allocated that a header claims; with a key not compared;
// with the status of a write lost; and with half of the words lost when the buffer grows.  Words
// that are written and read in the same wrong byte order are seen by golden_files_test alone.
#include <lfbloom/mapped.h>
#include <sys/resource.h>

#include "tests/support/files.h"
#include "tests/support/forms.h"

namespace {

constexpr uint64_t kKeys = 100;

Object Filled(const Form& form, uint64_t n = kKeys, uint64_t keys = kKeys, const Hash& hash = {}) {
  Object object = form.make(n, hash);
  for (uint64_t i = 0; i < keys; i++) form.put(object, Mix(1, i));
  return object;
}

std::string Written(const Form& form, const Object& object) {
  std::string bytes;
  EXPECT_EQ(form.write(object, AppendTo, &bytes), LFB_OK);
  return bytes;
}

lfb_status Read(const Form& form, Source source, Object* object = nullptr,
                const lfb_read_limits& limits = {}) {
  return form.read(Source::Read, &source, limits, object);
}

void ExpectKeys(const Form& form, const Object& object, uint64_t keys = kKeys) {
  for (uint64_t i = 0; i < keys; i++) ASSERT_TRUE(form.has(object, Mix(1, i))) << i;
}

// The same figures, answers and bytes.
void ExpectEqual(const Form& form, const Object& was, const Object& is) {
  EXPECT_EQ(form.alike(is, true), form.alike(was, false));
  EXPECT_TRUE(form.timeless(Written(form, is)) == form.timeless(Written(form, was)));
  for (uint64_t i = 0; i < 3000; i++)
    ASSERT_EQ(form.has(is, Mix(1, i)), form.has(was, Mix(1, i))) << i;
}

class EveryForm : public testing::TestWithParam<Form> {
 protected:
  const Form& form_ = GetParam();
};
INSTANTIATE_TEST_SUITE_P(All, EveryForm, testing::ValuesIn(AllForms()), FormTestName);

// From one word to several growths of the buffer that is read into, in pieces of any size.
TEST_P(EveryForm, ComesBack) {
  const uint64_t most = kUnderTsan ? 1000 : 3'000'000;
  for (const uint64_t n : {uint64_t{1}, uint64_t{10}, uint64_t{1000}, uint64_t{100'000}, most}) {
    if (form_.of_4_mib && n != 1000) continue;
    const uint64_t keys = std::min<uint64_t>(n, 20'000);
    const Object object = Filled(form_, n, keys);
    const std::string bytes = Written(form_, object);
    for (const size_t step : {size_t{1}, size_t{4099}, size_t{1} << 16, SIZE_MAX}) {
      if (step == 1 && bytes.size() > 10'000) continue;
      Object back;
      ASSERT_EQ(Read(form_, {bytes, step}, &back), LFB_OK) << n << " " << step;
      ExpectEqual(form_, object, back);
      ExpectKeys(form_, back, keys);
    }
  }
}

TEST_P(EveryForm, TrailingBytesOfAStreamAreLeft) {
  const std::string bytes = Written(form_, Filled(form_));
  Source source{bytes + "next"};
  Object object;
  ASSERT_EQ(form_.read(Source::Read, &source, {}, &object), LFB_OK);
  EXPECT_EQ(source.at, bytes.size());
}

// The words are those of all layers together.  The limit is checked before they are read.
TEST_P(EveryForm, TheLimitIsThatOfItsWords) {
  const Object object = Filled(form_);
  const std::string bytes = Written(form_, object);
  const uint64_t words = form_.words(object);
  lfb_read_limits limits{};
  limits.max_bytes = words;
  EXPECT_EQ(Read(form_, {bytes}, nullptr, limits), LFB_OK);
  limits.max_bytes = words - 1;
  EXPECT_EQ(Read(form_, {bytes}, nullptr, limits), LFB_ERROR_OVER_LIMIT);
  limits.max_bytes = 1;
  EXPECT_EQ(Read(form_, {bytes.substr(0, bytes.size() - words)}, nullptr, limits),
            LFB_ERROR_OVER_LIMIT);
}

// A write fails at each of its pieces, and no piece follows.
TEST_P(EveryForm, AFailedWriteIsReported) {
  struct Room {
    size_t pieces, asked;
  };
  const auto write = [](void* to, const void*, size_t) {
    Room* room = static_cast<Room*>(to);
    return room->asked++ < room->pieces ? LFB_OK : LFB_ERROR_WRITE;
  };
  const Object object = Filled(form_);
  Room all{SIZE_MAX, 0};
  ASSERT_EQ(form_.write(object, write, &all), LFB_OK);
  ASSERT_GE(all.asked, 2u);
  for (size_t pieces = 0; pieces < all.asked; pieces++) {
    Room room{pieces, 0};
    EXPECT_EQ(form_.write(object, write, &room), LFB_ERROR_WRITE) << pieces;
    EXPECT_EQ(room.asked, pieces + 1);
  }
}

// A reader knows the forms of all kinds by their first bytes.
TEST_P(EveryForm, OthersAreRefusedByName) {
  static const std::vector<Form> others =
      FormsThat([](const Form& form) { return !form.of_4_mib; });
  for (const Form& other : others) {
    const std::string bytes = Written(other, Filled(other));
    const lfb_status expected = other.Plain() == form_.Plain() && other.named == form_.named
                                    ? LFB_OK
                                : other.Plain() ? form_.not_one
                                                : other.named;
    EXPECT_EQ(Read(form_, {bytes}), expected) << other.name;
    if (!other.Plain() && expected != LFB_OK) {
      EXPECT_EQ(Read(form_, {bytes.substr(0, 8) + std::string(600, '\0')}), expected);
    }
  }
  EXPECT_EQ(Read(form_, {std::string(600, '?')}), LFB_ERROR_UNKNOWN_FORM);
}

// ---- forms that are small enough for a check of every byte
// ---------------------------------------

using SmallForm = EveryForm;
INSTANTIATE_TEST_SUITE_P(All, SmallForm, testing::ValuesIn(FormsThat([](const Form& form) {
                           return !form.of_4_mib;
                         })),
                         FormTestName);

// Cut anywhere it is too short, unless the reader has failed.
TEST_P(SmallForm, EveryTruncationIsNamed) {
  const std::string bytes = Written(form_, Filled(form_));
  // Every size, except of the mapped form, which has room for what processes share.
  const size_t step = 1 + bytes.size() / 4096;
  for (size_t size = 0; size < bytes.size(); size += size < 1024 ? 1 : step) {
    Source source{bytes.substr(0, size), size < 1024 ? 1 : SIZE_MAX};
    ASSERT_EQ(Read(form_, source), LFB_ERROR_TRUNCATED) << size;
    source.at_end = LFB_ERROR_READ;
    ASSERT_EQ(Read(form_, source), LFB_ERROR_READ) << size;
  }
}

using CheckedForm = EveryForm;
INSTANTIATE_TEST_SUITE_P(All, CheckedForm, testing::ValuesIn(FormsThat([](const Form& form) {
                           return form.checked && !form.of_4_mib;
                         })),
                         FormTestName);

// Calls body(changed, at) with each bit of the bytes flipped.
template <typename Body>
void FlipEachBit(const std::string& bytes, const Body& body) {
  for (size_t at = 0; at < bytes.size(); at++)
    for (int bit = 0; bit < 8 && !testing::Test::HasFatalFailure(); bit++) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      SCOPED_TRACE("byte " + std::to_string(at) + " bit " + std::to_string(bit));
      body(changed, at);
    }
}

// With its place: the last of the damaged parts, which are a checksum and what it covers at most.
TEST_P(CheckedForm, EveryFlippedBitIsFound) {
  FlipEachBit(Written(form_, Filled(form_)), [this](const std::string& changed, size_t at) {
    lfb_damage damage;
    std::memset(&damage, 0xee, sizeof damage);
    lfb_read_limits limits{};
    limits.damage = &damage;
    const lfb_status status = Read(form_, {changed});
    ASSERT_NE(status, LFB_OK);
    ASSERT_EQ(Read(form_, {changed}, nullptr, limits), status);
    if (status != LFB_ERROR_BAD_CHECKSUM) return;
    ASSERT_GE(damage.count, 1u);
    ASSERT_LE(damage.count, 2u);
    const lfb_extent last = damage.first[damage.count - 1];
    ASSERT_LE(last.offset, at);
    ASSERT_GT(last.offset + last.size, at);
  });
}

// Opened though it is damaged, it has every key, and is whole once it is written again.  Only a
// damaged header cannot be opened.
TEST_P(CheckedForm, NoFlippedBitIsEverAFalseNo) {
  const std::string whole = Written(form_, Filled(form_));
  const std::vector<lfb_extent> headers = form_.headers(whole);
  FlipEachBit(whole, [&](const std::string& changed, size_t at) {
    lfb_damage damage;
    std::memset(&damage, 0xee, sizeof damage);
    lfb_read_limits limits{};
    limits.damage = &damage;
    limits.open_damaged = true;
    Object open;
    const lfb_status status = Read(form_, {changed}, &open, limits);
    const auto header = std::find_if(headers.begin(), headers.end(), [at](const lfb_extent& of) {
      return of.offset <= at && at < of.offset + of.size;
    });
    ASSERT_EQ(status == LFB_OK, header == headers.end());
    if (status == LFB_OK) {
      ASSERT_GE(damage.count, 1u);
      ExpectKeys(form_, open);
      ASSERT_EQ(Read(form_, {Written(form_, open)}), LFB_OK);
    } else if (status == LFB_ERROR_BAD_CHECKSUM) {
      ASSERT_EQ(damage.first[damage.count - 1].offset, header->offset);
      ASSERT_EQ(damage.first[damage.count - 1].size, header->size);
    }
  });
}

// ---- headers that announce much
// -------------------------------------------------------------------

using ClaimingForm = EveryForm;
INSTANTIATE_TEST_SUITE_P(All, ClaimingForm, testing::ValuesIn(FormsThat([](const Form& form) {
                           return form.claim != nullptr;
                         })),
                         FormTestName);

// More than a GiB is announced, and almost nothing follows.  The address space is limited, so that
// an allocation of that size would fail; not with a sanitizer, which needs the space.
TEST_P(ClaimingForm, TakesNoMemory) {
  const std::string claim = form_.claim();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlimit limited{kUnderSanitizer ? before.rlim_cur : 512u << 20, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
  lfb_read_limits limits{};
  limits.max_bytes = 1 << 30;
  const lfb_status none = Read(form_, {claim});
  const lfb_status some = Read(form_, {claim + std::string(5 << 20, 'x')});
  const lfb_status over = Read(form_, {claim}, nullptr, limits);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(none, LFB_ERROR_TRUNCATED);
  EXPECT_EQ(some, LFB_ERROR_TRUNCATED);
  EXPECT_EQ(over, LFB_ERROR_OVER_LIMIT);
}

// ---- filters with a key
// ---------------------------------------------------------------------------

class KeyedForm : public testing::TestWithParam<std::tuple<Form, lfb_hash_id>> {
 protected:
  const Form& form_ = std::get<0>(GetParam());
  const lfb_hash_id hash_ = std::get<1>(GetParam());
};
INSTANTIATE_TEST_SUITE_P(
    All, KeyedForm,
    testing::Combine(testing::ValuesIn(FormsThat([](const Form& form) { return form.keyed; })),
                     testing::Values(LFB_HASH_DEFAULT, LFB_HASH_SIPHASH13, LFB_HASH_AES)));

TEST_P(KeyedForm, OpensOnlyWithItsKey) {
  uint8_t key[16];
  for (uint8_t i = 0; i < 16; i++) key[i] = static_cast<uint8_t>(0xc0 + i);
  const Object object = Filled(form_, kKeys, kKeys, {hash_, true, key});
  const std::string bytes = Written(form_, object);
  EXPECT_EQ(bytes.find(std::string(reinterpret_cast<char*>(key), 4)), std::string::npos);
  EXPECT_EQ(Read(form_, {bytes}), LFB_ERROR_KEY_NEEDED);
  lfb_damage damage;
  lfb_read_limits limits{};
  limits.damage = &damage;
  EXPECT_EQ(Read(form_, {bytes}, nullptr, limits), LFB_ERROR_KEY_NEEDED);
  if (form_.checked) {
    EXPECT_EQ(damage.checked_bytes, bytes.size()) << "all is compared";
    EXPECT_EQ(damage.count, 0u);
  }
  limits.key = key;
  Object back;
  ASSERT_EQ(Read(form_, {bytes}, &back, limits), LFB_OK);
  ExpectEqual(form_, object, back);
  ExpectKeys(form_, back);
  key[7] ^= 1;
  EXPECT_EQ(Read(form_, {bytes}, nullptr, limits), LFB_ERROR_WRONG_KEY);
}

TEST_P(KeyedForm, KeepsAKeyThatWasDrawn) {
  const Object object = Filled(form_, kKeys, kKeys, {hash_, true, nullptr});
  Object back;
  ASSERT_EQ(Read(form_, {Written(form_, object)}, &back), LFB_OK);
  ExpectEqual(form_, object, back);
  ExpectKeys(form_, back);
  const uint8_t other[16] = {1};
  lfb_read_limits limits{};
  limits.key = other;
  EXPECT_EQ(Read(form_, {Written(form_, back)}, nullptr, limits), LFB_ERROR_WRONG_KEY);
}

// ---- files
// ------------------------------------------------------------------------------------------

class EveryFormFile : public Files, public testing::WithParamInterface<Form> {
 protected:
  lfb_status LoadAs(const std::string& name, Object* object = nullptr) {
    return form_.load(Path(name).c_str(), object);
  }
  const Form& form_ = GetParam();
};
INSTANTIATE_TEST_SUITE_P(All, EveryFormFile, testing::ValuesIn(AllForms()), FormTestName);

TEST_P(EveryFormFile, IsSavedAndLoaded) {
  const Object object = Filled(form_, 200'000, 3000);  // most have more than a MiB, or layers
  Object loaded;
  ASSERT_EQ(form_.save(object, Path("a").c_str()), LFB_OK);
  EXPECT_EQ(Entries(), 1u) << "a temporary file was left";
  EXPECT_TRUE(form_.timeless(Content("a")) == form_.timeless(Written(form_, object)));
  ASSERT_EQ(LoadAs("a", &loaded), LFB_OK);
  ExpectEqual(form_, object, loaded);
  ExpectKeys(form_, loaded);
}

TEST_P(EveryFormFile, IsRefusedWithMoreOrLess) {
  const Object object = Filled(form_, 1000);
  const std::string bytes = Written(form_, object);
  Write("long", bytes + "x");
  Write("short", bytes.substr(0, bytes.size() - 1));
  Write("half", bytes.substr(0, bytes.size() / 2));
  Write("empty", "");
  EXPECT_EQ(LoadAs("long"), LFB_ERROR_TRAILING_BYTES);
  EXPECT_EQ(LoadAs("short"), LFB_ERROR_TRUNCATED);
  EXPECT_EQ(LoadAs("half"), LFB_ERROR_TRUNCATED);
  EXPECT_EQ(LoadAs("empty"), LFB_ERROR_TRUNCATED);
  EXPECT_EQ(LoadAs("none"), LFB_ERROR_OPEN);
  EXPECT_EQ(form_.save(object, Path("none/a").c_str()), LFB_ERROR_OPEN);
  if (form_.claim == nullptr) return;
  Write("claim", form_.claim() + std::string(54, 'x'));
  EXPECT_EQ(LoadAs("claim"), LFB_ERROR_TRUNCATED);
}

// No function for plain filters opens a file of another kind, nor the reverse.
TEST_P(EveryFormFile, OfAnotherKindIsRefusedByName) {
  ASSERT_EQ(lfb_filter_save(Make(1000, 0.01).get(), LFB_FORM_NATIVE, Path("plain").c_str()),
            LFB_OK);
  EXPECT_EQ(LoadAs("plain"), form_.not_one);
  if (form_.Plain()) return;
  ASSERT_EQ(form_.save(Filled(form_), Path("a").c_str()), LFB_OK);
  EXPECT_EQ(Load("a"), form_.named);
  const std::string path = Path("a");
  const lfb_filter* read_only = nullptr;
  lfb_filter* filter = nullptr;
  lfb_form id;
  EXPECT_EQ(lfb_mapped_open_read_only(path.c_str(), nullptr, &read_only), form_.named);
  EXPECT_EQ(lfb_mapped_open(path.c_str(), nullptr, &filter), form_.named);
  EXPECT_EQ(lfb_form_of_file(path.c_str(), &id), form_.named);
}

}  // namespace
