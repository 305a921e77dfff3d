// Every kind of filter in a file that processes share: creation by one process, the file's
// permissions, refused files and their status, limits and keys, syncing.
#include <fcntl.h>
#include <lfbloom/growing_mapped.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>

#include "bloom/growing/growing_files.h"
#include "bloom/window/window_files.h"
#include "tests/support/growings.h"
#include "tests/support/native_bytes.h"
#include "tests/support/race.h"
#include "tests/support/skip.h"
#include "tests/support/windows_mapped.h"

namespace {

// Bytes of a header, replaced under a checksum that matches, and what opening the file returns
// then.
struct Forgery {
  size_t at;
  std::string bytes;
  lfb_status status;
};

std::string Bytes64(uint64_t value) {
  std::string bytes(8, '\0');
  Store(&bytes, 0, value);
  return bytes;
}
std::string Bytes32(uint32_t value) { return Bytes64(value).substr(0, 4); }
std::string Reversed(const std::string& bytes) { return {bytes.rbegin(), bytes.rend()}; }

// The kinds: their functions, and what differs between them.

struct Plain {
  using Owner = Filter;
  static constexpr auto create = lfb_mapped_create;
  static constexpr auto open = lfb_mapped_open;
  static constexpr auto sync = lfb_mapped_sync;
  static constexpr auto put = lfb_filter_put_u64;
  static constexpr auto has = lfb_filter_might_contain_u64;
  static constexpr size_t kHeader = 512;
  static constexpr bool kTail = false;  // whether a file may have more bytes than it needs
  static constexpr lfb_status kNotOne = LFB_ERROR_NOT_MAPPED;  // for a plain filter in another form
  static constexpr lfb_status kNamed = LFB_OK;                 // from readers of plain filters
  static bool Here() { return true; }
  static lfb_config Of(uint64_t n, double fpp) { return Config(n, fpp, LFB_FAST); }
  static uint64_t Size(const Owner& filter) { return Stats(filter).bytes; }
  static Owner InMemory() { return Make(Of(1000, 0.01)); }
  static void Save(const Path& path) {
    EXPECT_EQ(lfb_filter_save(InMemory().get(), LFB_FORM_NATIVE, path.c_str()), LFB_OK);
  }
  // All ways to read a file agree.
  static void Agree(const Path& path, const lfb_read_limits* limits, lfb_status status) {
    const lfb_filter* reading = nullptr;
    const lfb_status read = lfb_mapped_open_read_only(path.c_str(), limits, &reading);
    lfb_mapped_close(reading);
    if (status != LFB_ERROR_NOT_MAPPED) {
      EXPECT_EQ(read, status);
    }
  }
  // What goes on when the file has lost its name.
  static void GoOn(const Owner&) {}
  static std::vector<std::pair<lfb_config, lfb_status>> Refused() { return {}; }
  static std::vector<Forgery> Forgeries(const std::string& whole) {
    const std::string zeros(8, '\0');
    return {
        {0, zeros, LFB_ERROR_NOT_MAPPED},  // while it is made without an unnamed file: as of Guava
        {8, Bytes32(1), LFB_ERROR_UNKNOWN_VERSION},
        {8, Bytes32(3), LFB_ERROR_UNKNOWN_VERSION},
        {12, Bytes32(512), LFB_ERROR_BAD_HEADER},
        {16, Reversed(whole.substr(16, 8)), LFB_ERROR_BYTE_ORDER},
        {16, "whatever", LFB_ERROR_BAD_HEADER},
        {24, zeros, LFB_ERROR_BAD_HEADER},                   // words over the head
        {24, std::string(8, '\x7f'), LFB_ERROR_BAD_HEADER},  // at no line
        {24, Bytes64(uint64_t{1} << 63), LFB_ERROR_BAD_HEADER},
        {24, Bytes64(4096), LFB_ERROR_BAD_HEADER},  // over the cells
        {32, zeros, LFB_ERROR_BAD_HEADER},
        {40, Bytes32(512), LFB_ERROR_BAD_HEADER},  // another number of cells
        {40, Bytes32(0), LFB_ERROR_BAD_HEADER},
        {44, Bytes32(8), LFB_ERROR_BAD_HEADER},  // cells of another size
        {48, std::string(4, '\1'), LFB_ERROR_BAD_HEADER},
        {52, std::string(4, '\1'), LFB_ERROR_BAD_HEADER},
        {56, "x", LFB_ERROR_BAD_HEADER},
        {60, "x", LFB_ERROR_BAD_HEADER},
        {60, std::string(1, '\0'), LFB_OK},
    };
  }
};

struct Grown {
  using Owner = Growing;
  static constexpr auto create = lfb_growing_mapped_create;
  static constexpr auto open = any::open_shared<lfb_growing>;
  static constexpr auto sync = any::sync<lfb_growing>;
  static constexpr auto put = lfb_growing_put_u64;
  static constexpr auto has = lfb_growing_might_contain_u64;
  static constexpr size_t kHeader = 512;
  static constexpr bool kTail = true;  // a process died while it appended
  static constexpr lfb_status kNotOne = LFB_ERROR_NOT_GROWING;
  static constexpr lfb_status kNamed = LFB_ERROR_GROWING_MAPPED;
  static bool Here() { return true; }
  static lfb_config Of(uint64_t n, double fpp) { return Config(n, fpp, LFB_FAST); }
  static uint64_t Size(const Owner& growing) { return Figures(growing).bytes; }
  static Owner InMemory() { return MakeGrowing(Of(1000, 0.01)); }
  static void Save(const Path& path) {
    EXPECT_EQ(any::save<lfb_growing>(InMemory().get(), path.c_str()), LFB_OK);
  }
  // Opened in place, a form that cannot be is read as a copy, and a pipe is not opened.
  static void Agree(const Path& path, const lfb_read_limits* limits, lfb_status status) {
    if (status == LFB_ERROR_NOT_MAPPED || status == LFB_ERROR_MAP) return;
    const lfb_growing* reading = nullptr;
    EXPECT_EQ(any::open_in_place<lfb_growing>(path.c_str(), limits, &reading), status);
    any::free<lfb_growing>(reading);
    if (status == LFB_OK) {
      lfb_growing* loaded = nullptr;
      EXPECT_EQ(any::load<lfb_growing>(path.c_str(), limits, &loaded), LFB_ERROR_GROWING_MAPPED);
    }
  }
  static void GoOn(const Owner& growing) {
    const uint32_t layers = Figures(growing).layers;
    for (uint64_t i = 5000; i < 40000; i++) put(growing.get(), i);
    EXPECT_GT(Figures(growing).layers, layers);
    EXPECT_EQ(Figures(growing).stuck, LFB_OK);
    for (uint64_t i = 5000; i < 40000; i++) ASSERT_TRUE(has(growing.get(), i));
  }
  static std::vector<std::pair<lfb_config, lfb_status>> Refused() {
    return {{Config(1024, 0.01, LFB_GO_FNV14), LFB_ERROR_CANNOT_GROW}};
  }
  static std::vector<Forgery> Forgeries(const std::string& whole) {
    return {
        {8, Bytes32(3), LFB_ERROR_UNKNOWN_VERSION},
        {8, Bytes32(0), LFB_ERROR_UNKNOWN_VERSION},
        {112, Reversed(whole.substr(112, 8)), LFB_ERROR_BYTE_ORDER},
        {112, Bytes64(0), LFB_ERROR_BAD_HEADER},
        {112, "whatever", LFB_ERROR_BAD_HEADER},
        {120, "x", LFB_ERROR_BAD_HEADER},
        {120, std::string(1, '\0'), LFB_OK},
    };
  }
};

struct Windowed {
  using Owner = Window;
  static constexpr auto create = lfb_window_mapped_create;
  static constexpr auto open = any::open_shared<lfb_window>;
  static constexpr auto sync = any::sync<lfb_window>;
  static constexpr auto put = lfb_window_put_u64;
  static constexpr auto has = lfb_window_might_contain_u64;
  static constexpr size_t kHeader = LFB_WINDOW_HEADER;
  static constexpr bool kTail = false;
  static constexpr lfb_status kNotOne = LFB_ERROR_NOT_WINDOW;
  static constexpr lfb_status kNamed = LFB_ERROR_WINDOW;
  static bool Here() { return lfb_pair_runs_here(); }
  static lfb_window_config Of(uint64_t n, double fpp) { return WindowConfig(n, fpp); }
  static uint64_t Size(const Owner& window) { return Stats(window).bytes; }
  static Owner InMemory() { return MakeWindow(Of(1000, 0.01)); }
  static void Save(const Path& path) {
    EXPECT_EQ(any::save<lfb_window>(InMemory().get(), path.c_str()), LFB_OK);
  }
  // Loading it as a copy, too; but that takes another form, and no pipe.
  static void Agree(const Path& path, const lfb_read_limits* limits, lfb_status status) {
    if (status == LFB_ERROR_NOT_MAPPED || status == LFB_ERROR_MAP) return;
    lfb_window* loaded = nullptr;
    EXPECT_EQ(any::load<lfb_window>(path.c_str(), limits, &loaded), status);
    lfb_window_free(loaded);
  }
  static void GoOn(const Owner& window) { Advance(window); }
  static std::vector<std::pair<lfb_window_config, lfb_status>> Refused() {
    std::vector<std::pair<lfb_window_config, lfb_status>> refused(3, {Of(1000, 0.01), LFB_OK});
    refused[0].first.generations = 4, refused[0].second = LFB_ERROR_BAD_GENERATIONS;
    refused[1].first.span = -1, refused[1].second = LFB_ERROR_BAD_SPAN;
    refused[2].first.expected_insertions = UINT64_MAX, refused[2].second = LFB_ERROR_TOO_MANY_BITS;
    return refused;
  }
  static std::vector<Forgery> Forgeries(const std::string& whole) {
    const uint64_t words_at = Fetch(whole, 88), order = Fetch(whole, 96);
    return {
        {8, Bytes32(1), LFB_ERROR_UNKNOWN_VERSION},
        {8, Bytes32(3), LFB_ERROR_UNKNOWN_VERSION},
        {48, Bytes64(4), LFB_ERROR_BAD_HEADER},  // the generation is in the head
        {56, Bytes64(12345), LFB_OK},            // and when it began
        {88, Bytes64(0), LFB_ERROR_BAD_HEADER},
        {88, Bytes64(4096), LFB_ERROR_BAD_HEADER},  // over the cells
        {88, Bytes64(words_at + 8), LFB_ERROR_BAD_HEADER},
        {88, Bytes64(words_at + 64), LFB_ERROR_TRUNCATED},
        {88, Bytes64((1 << 24) + 64), LFB_ERROR_BAD_HEADER},
        {88, Bytes64(UINT64_MAX - 63), LFB_ERROR_BAD_HEADER},
        {96, Bytes64(0), LFB_ERROR_BAD_HEADER},
        {96, Bytes64(order + 1), LFB_ERROR_BAD_HEADER},
        {96, Reversed(whole.substr(96, 8)), LFB_ERROR_BYTE_ORDER},
        {104, Bytes64(1), LFB_ERROR_BAD_HEADER},
        {240, Bytes64(1), LFB_ERROR_BAD_HEADER},
    };
  }
};

template <typename Kind>
class EveryMapped : public testing::Test {
 protected:
  using Owner = typename Kind::Owner;
  using OwnConfig = decltype(Kind::Of(0, 0));

  void SetUp() override {
    if (!Kind::Here()) NotHere("no exchange of 16 bytes");
  }

  static Owner Create(const Path& path, const OwnConfig& config = Kind::Of(1000, 0.01)) {
    return Made<Owner>(Kind::create, path.c_str(), &config);
  }
  static Owner Open(const Path& path) { return Made<Owner>(Kind::open, path.c_str(), nullptr); }

  // What opening and creating return.  A failure touches no output.
  static lfb_status Status(const std::function<lfb_status(typename Owner::pointer*)>& make) {
    const auto untouched = reinterpret_cast<typename Owner::pointer>(1);
    auto made = untouched;
    const lfb_status status = make(&made);
    EXPECT_EQ(status != LFB_OK, made == untouched);
    if (made != untouched) Owner{made}.reset();
    return status;
  }
  static lfb_status OpenStatus(const Path& path, const lfb_read_limits* limits = nullptr) {
    const lfb_status status =
        Status([&](auto** made) { return Kind::open(path.c_str(), limits, made); });
    const int error = errno;
    Kind::Agree(path, limits, status);
    errno = error;
    return status;
  }
  static lfb_status CreateStatus(const char* path, const OwnConfig& config) {
    return Status([&](auto** made) { return Kind::create(path, &config, made); });
  }

  static void PutSome(const Owner& owner, uint64_t from, uint64_t to) {
    for (uint64_t i = from; i < to; i++) Kind::put(owner.get(), i);
  }
  static void ExpectAll(const Owner& owner, uint64_t keys) {
    for (uint64_t i = 0; i < keys; i++) ASSERT_TRUE(Kind::has(owner.get(), i)) << i;
  }

  // The mode of a new file made with `mode`.
  static mode_t MadeMode(uint32_t mode, lfb_hash_id hash = LFB_HASH_XXH3, bool given = false,
                         bool keep_key = false) {
    const Path path;
    OwnConfig config = Kind::Of(1000, 0.01);
    config.seed = 0;
    config.hash = hash;
    config.key[0] = given;
    config.keep_key = keep_key;
    config.file_mode = mode;
    Create(path, config);
    struct stat found {};
    EXPECT_EQ(stat(path.c_str(), &found), 0);
    return found.st_mode & 07777;
  }
};

using Kinds = testing::Types<Plain, Grown, Windowed>;
TYPED_TEST_SUITE(EveryMapped, Kinds);

// ---- making -------------------------------------------------------------------------------

// 200 files, 4 creators each: one of them makes the file, and all see its content.
TYPED_TEST(EveryMapped, OneCreatorWins) {
  for (int round = 0; round < 200; round++) {
    const Path path;
    const auto config = TypeParam::Of(1000, 1e-6);
    std::atomic<int> made{0}, existed{0}, lost{0};
    RunTogether(4, [&](unsigned t) {
      typename TypeParam::Owner::pointer mine = nullptr;
      const lfb_status status = TypeParam::create(path.c_str(), &config, &mine);
      made += status == LFB_OK;
      existed += status == LFB_ERROR_EXISTS;
      if (status == LFB_ERROR_EXISTS) lost += TypeParam::open(path.c_str(), nullptr,
                                                              &mine) != LFB_OK;
      const typename TypeParam::Owner owner(mine);
      if (owner) TypeParam::put(mine, t);
    });
    ASSERT_EQ(made, 1);
    ASSERT_EQ(existed, 3);
    ASSERT_EQ(lost, 0);
    this->ExpectAll(this->Open(path), 4);
  }
}

TYPED_TEST(EveryMapped, WhatCannotBeMadeLeavesNoFile) {
  const Path path;
  auto rows = TypeParam::Refused();
  auto config = TypeParam::Of(1000, 0);
  rows.emplace_back(config, LFB_ERROR_FPP_TOO_LOW);
  config = TypeParam::Of(1000, 0.01);
  config.reserved[3] = 1;
  rows.emplace_back(config, LFB_ERROR_RESERVED);
  config = TypeParam::Of(uint64_t{1} << 42, 0.01);  // 5 TiB
  config.lazy_memory = true;
  rows.emplace_back(config, LFB_ERROR_WRITE);
  for (const auto& [refused, status] : rows) {
    EXPECT_EQ(this->CreateStatus(path.c_str(), refused), status);
    EXPECT_NE(access(path.c_str(), F_OK), 0);
  }
  config = TypeParam::Of(1000, 0.01);
  EXPECT_EQ(this->CreateStatus("/nowhere/at/all", config), LFB_ERROR_OPEN);
  EXPECT_EQ(errno, ENOENT);
  Overwrite(path, "mine");
  EXPECT_EQ(this->CreateStatus(path.c_str(), config), LFB_ERROR_EXISTS);
  EXPECT_EQ(Contents(path), "mine");
}

// Seen to fail, with 0666, when the mode was that of any file that the library saves.
TYPED_TEST(EveryMapped, ANewFileIsPrivateUnlessTheCallerAsksOtherwise) {
  const mode_t before = umask(0);
  EXPECT_EQ(this->MadeMode(0), 0600u);
  EXPECT_EQ(this->MadeMode(0640), 0640u);
  EXPECT_EQ(this->MadeMode(0666), 0666u);
  EXPECT_EQ(this->MadeMode(07640), 0640u) << "permissions alone";
  for (lfb_hash_id hash : {LFB_HASH_DEFAULT, LFB_HASH_SIPHASH13, LFB_HASH_AES}) {
    EXPECT_EQ(this->MadeMode(0666, hash), 0600u) << "a key that was drawn is in the file";
    EXPECT_EQ(this->MadeMode(0666, hash, true, true), 0600u);
    EXPECT_EQ(this->MadeMode(0666, hash, true, false), 0666u) << "its key is not in the file";
    EXPECT_EQ(this->MadeMode(0, hash, true, true), 0600u);
  }
  umask(027);
  EXPECT_EQ(this->MadeMode(0), 0600u);
  EXPECT_EQ(this->MadeMode(0666), 0640u);
  umask(0277);
  EXPECT_EQ(this->MadeMode(0), 0400u);
  umask(before);
}

// ---- opening ------------------------------------------------------------------------------

TYPED_TEST(EveryMapped, OtherFilesAreRefusedByName) {
  const Path path, own, pipe;
  EXPECT_EQ(this->OpenStatus(path), LFB_ERROR_OPEN);
  EXPECT_EQ(errno, ENOENT);
  for (const lfb_form form : {LFB_FORM_NATIVE, LFB_FORM_GUAVA}) {
    ASSERT_EQ(lfb_filter_save(Make(1000, 0.01).get(), form, path.c_str()), LFB_OK);
    EXPECT_EQ(this->OpenStatus(path), TypeParam::kNotOne);
  }
  if (TypeParam::kNamed != LFB_OK) {
    unlink(path.c_str());
    { Create(path, Config(1000, 0.01, LFB_FAST)); }
    EXPECT_EQ(this->OpenStatus(path), TypeParam::kNotOne);
  }
  TypeParam::Save(path);
  EXPECT_EQ(this->OpenStatus(path), LFB_ERROR_NOT_MAPPED);
  for (const std::string& other : {std::string("no filter at all"), std::string(5000, '?')}) {
    Overwrite(path, other);
    EXPECT_EQ(this->OpenStatus(path), LFB_ERROR_UNKNOWN_FORM);
  }
  { this->Create(own); }
  lfb_filter *loaded = nullptr, *opened = nullptr;
  EXPECT_EQ(lfb_filter_load(own.c_str(), nullptr, &loaded), TypeParam::kNamed);
  EXPECT_EQ(lfb_mapped_open(own.c_str(), nullptr, &opened), TypeParam::kNamed);
  lfb_filter_free(loaded), lfb_filter_free(opened);
  const auto folder = [](auto** made) { return TypeParam::open("/dev/shm", nullptr, made); };
  EXPECT_EQ(this->Status(folder), LFB_ERROR_OPEN);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(this->OpenStatus(pipe), LFB_ERROR_MAP) << "it does not wait for a writer";
}

// An incomplete file of any length is no filter.
TYPED_TEST(EveryMapped, HalfAFileIsRefused) {
  const Path path;
  { this->PutSome(this->Create(path), 0, 5000); }
  const std::string whole = Contents(path);
  std::vector<size_t> sizes = {4095, LFB_GROWING_HEAD - 1, LFB_GROWING_HEAD, whole.size() - 1};
  for (size_t size = 0; size < whole.size(); size += size < 600 ? 1 : 10007) sizes.push_back(size);
  for (const size_t size : sizes) {
    if (size >= whole.size()) continue;
    Overwrite(path, whole.substr(0, size));
    ASSERT_EQ(this->OpenStatus(path), LFB_ERROR_TRUNCATED) << size;
  }
  for (const std::string& more : {std::string("x"), std::string(100000, 'x')}) {
    Overwrite(path, whole + more);
    EXPECT_EQ(this->OpenStatus(path), TypeParam::kTail ? LFB_OK : LFB_ERROR_TRAILING_BYTES);
  }
  if (!TypeParam::kTail) Overwrite(path, whole);
  EXPECT_EQ(this->OpenStatus(path), LFB_OK);
  this->ExpectAll(this->Open(path), 5000);
}

TYPED_TEST(EveryMapped, EveryFieldOfTheHeadIsChecked) {
  const Path path;
  { this->PutSome(this->Create(path, TypeParam::Of(100, 0.01)), 0, 100); }
  const std::string whole = Contents(path);
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  for (size_t at = 0; at < TypeParam::kHeader; at++)  // any byte, with the old checksum
    for (const int flip : {1 << at % 8, 0x10, 0xff}) {
      const char damaged = static_cast<char>(whole[at] ^ flip);
      ASSERT_EQ(pwrite(fd, &damaged, 1, static_cast<off_t>(at)), 1);
      ASSERT_NE(this->OpenStatus(path), LFB_OK) << at;
      ASSERT_EQ(pwrite(fd, &whole[at], 1, static_cast<off_t>(at)), 1);
    }
  close(fd);
  for (const Forgery& forgery : TypeParam::Forgeries(whole)) {
    std::string forged = whole;
    forged.replace(forgery.at, forgery.bytes.size(), forgery.bytes);
    SealHeader(&forged);
    Overwrite(path, forged);
    EXPECT_EQ(this->OpenStatus(path), forgery.status) << forgery.at << " " << forgery.bytes;
  }
}

TYPED_TEST(EveryMapped, LimitsAndKeysHold) {
  const Path path;
  auto config = TypeParam::Of(1000, 1e-6);
  config.seed = 0;
  config.hash = LFB_HASH_SIPHASH13;
  config.key[3] = 9;
  const auto owner = this->Create(path, config);
  this->PutSome(owner, 0, 5000);
  lfb_read_limits limits{};
  EXPECT_EQ(this->OpenStatus(path), LFB_ERROR_KEY_NEEDED);
  EXPECT_EQ(this->OpenStatus(path, &limits), LFB_ERROR_KEY_NEEDED);
  const uint8_t wrong[16] = {1};
  limits.key = wrong;
  EXPECT_EQ(this->OpenStatus(path, &limits), LFB_ERROR_WRONG_KEY);
  limits.key = config.key;
  const uint64_t size = TypeParam::Size(owner);
  for (const uint64_t most : {uint64_t{1}, uint64_t{8}, size - 1}) {
    limits.max_bytes = most;
    EXPECT_EQ(this->OpenStatus(path, &limits), LFB_ERROR_OVER_LIMIT);
  }
  limits.max_bytes = size;
  const auto other = Made<typename TypeParam::Owner>(TypeParam::open, path.c_str(), &limits);
  this->ExpectAll(other, 5000);
  this->PutSome(other, 5000, 20000);
  this->ExpectAll(owner, 20000);
  limits.reserved[0] = 1;
  EXPECT_EQ(this->OpenStatus(path, &limits), LFB_ERROR_RESERVED);
}

// The blocks that a sparse copy lacks are reserved when it is opened, unless it is over the limit.
// Seen to be reserved first.
TYPED_TEST(EveryMapped, NothingIsReservedOfWhatIsOverTheLimit) {
  const Path path;
  { this->Create(path, TypeParam::Of(10'000'000, 0.01)); }
  const auto blocks = [&] {
    struct stat found {};
    EXPECT_EQ(stat(path.c_str(), &found), 0);
    return static_cast<uint64_t>(found.st_blocks);
  };
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 5 << 20, 4 << 20), 0);
  close(fd);
  const uint64_t before = blocks();
  lfb_read_limits limits{};
  limits.max_bytes = 1 << 20;
  EXPECT_EQ(this->OpenStatus(path, &limits), LFB_ERROR_OVER_LIMIT);
  EXPECT_EQ(blocks(), before);
  EXPECT_EQ(this->OpenStatus(path), LFB_OK);
  EXPECT_GE(blocks(), before + (4 << 20) / 512);
}

// ---- syncing ------------------------------------------------------------------------------

TYPED_TEST(EveryMapped, SyncReportsAReplacedOrShortenedFile) {
  const Path path, aside;
  const auto owner = this->Create(path);
  this->PutSome(owner, 0, 5000);
  EXPECT_EQ(TypeParam::sync(owner.get()), LFB_OK);
  EXPECT_EQ(TypeParam::sync(TypeParam::InMemory().get()), LFB_ERROR_NOT_MAPPED);
  ASSERT_EQ(rename(path.c_str(), aside.c_str()), 0);
  EXPECT_EQ(TypeParam::sync(owner.get()), LFB_ERROR_REPLACED);
  { this->Create(path); }
  EXPECT_EQ(TypeParam::sync(owner.get()), LFB_ERROR_REPLACED);
  Overwrite(path, "another");
  EXPECT_EQ(TypeParam::sync(owner.get()), LFB_ERROR_REPLACED);
  TypeParam::GoOn(owner);
  EXPECT_EQ(Contents(path), "another");
  this->ExpectAll(this->Open(aside), 5000);
  const auto size = static_cast<off_t>(std::filesystem::file_size(aside.c_str()));
  for (const off_t left : {size - 1, off_t{LFB_GROWING_HEAD}, off_t{100}}) {
    if (left >= size) continue;
    ASSERT_EQ(truncate(aside.c_str(), left), 0);
    EXPECT_EQ(TypeParam::sync(owner.get()), LFB_ERROR_TRUNCATED) << left;
  }
  EXPECT_EQ(this->OpenStatus(aside), LFB_ERROR_TRUNCATED) << "and closing it harms nothing";
}

}  // namespace
