// failing_kinds.cc - rows of objects that are made in memory, written, read, saved and loaded.
#include "tests/whole/failing_rows.h"
#include "tests/support/streams.h"

namespace failing {

namespace {

// ---- filters ------------------------------------------------------------------------

// Writes to memory and reads from it.
template <typename T, typename Writer, typename Reader, typename Asker>
Act Rereading(const T& from, const Writer& write, const Reader& read, const Asker& ask) {
  const auto bytes = std::make_shared<std::string>();
  EXPECT_EQ(write(from.get(), AppendTo, bytes.get()), LFB_OK);
  return Reading<typename T::element_type>(
      [bytes, read](auto made) {
        Source source{*bytes};
        source.step = 4096;
        return read(Source::Read, &source, nullptr, made);
      },
      ask);
}

// Saves to a new file, which is whole or does not exist.
template <typename T, typename Saver, typename Loader>
Act Saving(const T& what, const std::string& path, const Saver& save, const Loader& load) {
  return [what, path, save, load] {
    const lfb_status status = save(what.get(), path.c_str());
    const Spared now;
    if (status != LFB_ERROR_SYNC) {  // of the folder: the file exists
      EXPECT_EQ(std::filesystem::exists(path), status == LFB_OK);
    }
    if (status == LFB_OK) {
      typename T::element_type* loaded = nullptr;
      EXPECT_EQ(load(path.c_str(), nullptr, &loaded), LFB_OK);
      if (loaded != nullptr) UseAndFree(loaded);
    }
    std::filesystem::remove(path);
    return status;
  };
}

template <typename T, typename Saver, typename Loader, typename Asker>
Act Loading(const T& what, const std::string& path, const Saver& save, const Loader& load,
            const Asker& ask) {
  EXPECT_EQ(save(what.get(), path.c_str()), LFB_OK);
  return Reading<typename T::element_type>(
      [path, load](auto made) { return load(path.c_str(), nullptr, made); }, ask);
}

// close(): of a file that was written to, not of a folder.
const std::map<std::string, Statuses> kSaved = {
    {"close", {LFB_OK, LFB_ERROR_WRITE}}, {"stat", {LFB_OK, LFB_ERROR_OPEN}}};

// One form of a filter: written, read, saved and loaded.
void AddForm(lfb_form form, lfb_strategy_id strategy, uint64_t n, Rows* rows) {
  const lfb_config config = Config(n, 0.01, strategy);
  const auto ask = lfb_filter_might_contain_u64;
  const auto write = [form](const lfb_filter* filter, lfb_write_fn to, void* context) {
    return lfb_filter_write(filter, form, to, context);
  };
  const auto save = [form](const lfb_filter* filter, const char* path) {
    return lfb_filter_save(filter, form, path);
  };
  rows->push_back({"lfb_filter_write", 1, [=](const std::string&) {
                     const SharedFilter filter = WithKey(config);
                     return [=] {
                       std::string bytes;
                       return write(filter.get(), AppendTo, &bytes);
                     };
                   }});
  rows->push_back({"lfb_filter_read", 4, [=](const std::string&) {
                     return Rereading(WithKey(config), write, lfb_filter_read, ask);
                   }});
  rows->push_back({"lfb_filter_save", 8, [=](const std::string& directory) {
                     return Saving(WithKey(config), directory + "/a", save, lfb_filter_load);
                   }, kSaved});
  rows->push_back({"lfb_form_of_file", 2, [=](const std::string& directory) {
                     const std::string path = directory + "/a";
                     EXPECT_EQ(save(WithKey(config).get(), path.c_str()), LFB_OK);
                     return [=] {
                       lfb_form found = LFB_FORM_NONE;
                       const lfb_status status = lfb_form_of_file(path.c_str(), &found);
                       EXPECT_EQ(found, status == LFB_OK ? form : LFB_FORM_NONE);
                       return status;
                     };
                   }});
  rows->push_back({"lfb_filter_load", 5, [=](const std::string& directory) {
                     return Loading(WithKey(config), directory + "/a", save, lfb_filter_load, ask);
                   }});
}

// A delta written, saved and applied from a file.
void AddDelta(Rows* rows) {
  const lfb_config config = Config(kFew, 0.01, LFB_FAST);
  rows->push_back({"lfb_delta_write", 1, [=](const std::string&) {
                     const SharedFilter earlier(Make(config));
                     const SharedFilter later = WithKey(config);
                     return [=] {
                       std::string bytes;
                       return lfb_delta_write(earlier.get(), later.get(), AppendTo, &bytes);
                     };
                   }});
  rows->push_back({"lfb_delta_save", 8, [=](const std::string& directory) {
                     const SharedFilter earlier(Make(config));
                     const SharedFilter later = WithKey(config);
                     const std::string path = directory + "/a";
                     return [=] { return lfb_delta_save(earlier.get(), later.get(), path.c_str()); };
                   }, kSaved});
  rows->push_back({"lfb_delta_apply_file", 4, [=](const std::string& directory) {
                     const SharedFilter earlier(Make(config));
                     const SharedFilter later = WithKey(config);
                     const std::string path = directory + "/a";
                     EXPECT_EQ(lfb_delta_save(earlier.get(), later.get(), path.c_str()), LFB_OK);
                     return [=] {
                       const lfb_status status =
                           lfb_delta_apply_file(earlier.get(), path.c_str(), nullptr);
                       EXPECT_TRUE(status != LFB_OK ||
                                   lfb_filter_might_contain_u64(earlier.get(), kKey));
                       return status;
                     };
                   }});
}

// A batch so big that it allocates memory: without it only time is lost.
Act BigBatch(const std::string&) {
  const lfb_config config = Config(200'000, 0.01, LFB_FAST);
  std::vector<uint64_t> keys(300'000);
  for (uint64_t i = 0; i < keys.size(); i++) keys[i] = i;
  return [config, keys] {
    Filter filter;
    {
      const Spared now;
      filter = Make(config);
    }
    lfb_filter_put_many_u64(filter.get(), keys.data(), keys.size(), nullptr);
    const Spared now;
    EXPECT_EQ(lfb_filter_might_contain_many_u64(filter.get(), keys.data(), keys.size(), nullptr),
              keys.size());
    filter.reset();
    return LFB_OK;
  };
}

}  // namespace

void AddFilters(Rows* rows) {
  lfb_config keyed = Seedless(kFew);
  keyed.hash = LFB_HASH_SIPHASH13;
  rows->push_back({"lfb_filter_create", 5, ToCreate(lfb_filter_create, keyed)});
  rows->push_back({"lfb_filter_put_many_u64", 0, BigBatch, {{"*", {LFB_OK}}}});
  for (uint64_t n : {kFew, kMany}) {
    rows->push_back({"lfb_filter_create", 5, ToCreate(lfb_filter_create, Seedless(n)), kPopulated});
    // EINVAL: a Linux that populates nothing, so each page is touched
    rows->push_back({"lfb_filter_create", 4, ToCreate(lfb_filter_create, Seedless(n)), {}, EINVAL});
    rows->push_back({"lfb_filter_copy", 4, [n](const std::string&) {
                       const SharedFilter filter = WithKey(Config(n, 0.01, LFB_FAST));
                       return Reading<lfb_filter>(
                           [filter](lfb_filter** copy) {
                             return lfb_filter_copy(filter.get(), copy);
                           },
                           lfb_filter_might_contain_u64);
                     }, kPopulated});
    rows->push_back({"lfb_filter_fold", 4, [n](const std::string&) {
                       lfb_config config = Config(n, 0.01, LFB_FAST);
                       config.foldable = true;
                       const SharedFilter filter = WithKey(config);
                       return Reading<lfb_filter>(
                           [filter](lfb_filter** folded) {
                             return lfb_filter_fold(filter.get(), 2, folded);
                           },
                           lfb_filter_might_contain_u64);
                     }, kPopulated});
    AddForm(LFB_FORM_NATIVE, LFB_FAST, n, rows);
  }
  AddDelta(rows);
  AddForm(LFB_FORM_GUAVA, LFB_GUAVA_MITZ64, kFew, rows);
  AddForm(LFB_FORM_SBBF, LFB_SBBF, kFew, rows);
  AddForm(LFB_FORM_MAPPED, LFB_FAST, kFew, rows);
}

namespace {

// ---- the other calls of one kind ----------------------------------------------------

template <typename T>
struct Kind {
  lfb_status (*write)(const T*, lfb_write_fn, void*);
  lfb_status (*read)(lfb_read_fn, void*, const lfb_read_limits*, T**);
  lfb_status (*save)(const T*, const char*);
  lfb_status (*load)(const char*, const lfb_read_limits*, T**);
  lfb_status (*copy)(const T*, T**);
  bool (*ask)(const T*, uint64_t);
};

// Copied, unless there are no copies of the kind, written, read, saved and loaded.
template <typename T>
void AddKind(const std::string& name, const Kind<T>& kind,
             const std::function<std::shared_ptr<T>()>& make, Rows* rows) {
  if (kind.copy != nullptr)
    rows->push_back({name + "_copy", 4, [=](const std::string&) {
                       const auto from = make();
                       return Reading<T>([=](T** copy) { return kind.copy(from.get(), copy); },
                                         kind.ask);
                     }, kPopulated});
  rows->push_back({name + "_write", 1, [=](const std::string&) {
                     const auto from = make();
                     return [=] {
                       std::string bytes;
                       return kind.write(from.get(), AppendTo, &bytes);
                     };
                   }});
  rows->push_back({name + "_read", 5, [=](const std::string&) {
                     return Rereading(make(), kind.write, kind.read, kind.ask);
                   }});
  rows->push_back({name + "_save", 8, [=](const std::string& directory) {
                     return Saving(make(), directory + "/a", kind.save, kind.load);
                   }, kSaved});
  rows->push_back({name + "_load", 5, [=](const std::string& directory) {
                     return Loading(make(), directory + "/a", kind.save, kind.load, kind.ask);
                   }});
}

}  // namespace

void AddCounting(Rows* rows) {
  const Kind<lfb_counting> kind = {lfb_counting_write, lfb_counting_read, lfb_counting_save,
                                   lfb_counting_load,  lfb_counting_copy,
                                   lfb_counting_might_contain_u64};
  AddKind<lfb_counting>("lfb_counting", kind, [] { return CountedWithKey(kFew); }, rows);
  for (uint64_t n : {kFew, kMany}) {
    rows->push_back({"lfb_counting_create", 6, ToCreate(lfb_counting_create, Seedless(n)),
                     kPopulated});
    rows->push_back({"lfb_counting_to_filter", 4, [n](const std::string&) {
                       const SharedCounting counting = CountedWithKey(n);
                       return Reading<lfb_filter>(
                           [counting](lfb_filter** filter) {
                             return lfb_counting_to_filter(counting.get(), filter);
                           },
                           lfb_filter_might_contain_u64);
                     }, kPopulated});
  }
}

void AddWindow(Rows* rows) {
  const Kind<lfb_window> kind = {lfb_window_write, lfb_window_read, lfb_window_save,
                                 lfb_window_load,  nullptr, lfb_window_might_contain_u64};
  const auto with_key = [] {
    SharedWindow window(MakeWindow(WindowConfig(kFew, 0.01)));
    lfb_window_put_u64(window.get(), kKey);
    return window;
  };
  AddKind<lfb_window>("lfb_window", kind, with_key, rows);
  rows->push_back({"lfb_window_prometheus", 1, [=](const std::string&) {
                     const SharedWindow window = with_key();
                     return [window] {
                       const lfb_window* windows[] = {window.get()};
                       const char* names[] = {"seen"};
                       std::string text;
                       const lfb_status status =
                           lfb_window_prometheus(windows, names, 1, AppendTo, &text);
                       EXPECT_EQ(text.empty(), status != LFB_OK);
                       return status;
                     };
                   }});
  lfb_window_config config = WindowConfig(kFew, 0.01);
  config.seed = 0;
  for (uint64_t n : {kFew, kMany}) {
    config.expected_insertions = n;
    rows->push_back({"lfb_window_create", 5, ToCreate(lfb_window_create, config), kPopulated});
  }
  rows->push_back({"lfb_window_advance", 0, [](const std::string&) {
                     const SharedWindow window(MakeWindow(WindowConfig(kFew, 0.01)));
                     Advance(window, 100);
                     return [window] {
                       return lfb_window_advance(window.get(), lfb_window_generation(window.get()));
                     };
                   }});
  rows->push_back({"lfb_window_start_clock", 2, [](const std::string&) {
                     const SharedWindow window(MakeWindow(WindowConfig(kFew, 0.01)));
                     return [window] {
                       const lfb_status status = lfb_window_start_clock(window.get(), 1e9);
                       lfb_window_stop_clock(window.get());
                       return status;
                     };
                   }});
  rows->push_back({"lfb_window_config_plan", 0, [](const std::string&) {
                     return [] {
                       const lfb_window_config planned = WindowConfig(kFew, 0.01);
                       lfb_window_figures figures;
                       return lfb_window_config_plan(&planned, &figures);
                     };
                   }, {{"*", {LFB_OK}}}});
}

void AddGrowing(Rows* rows) {
  const Kind<lfb_growing> kind = {lfb_growing_write, lfb_growing_read, lfb_growing_save,
                                  lfb_growing_load,  lfb_growing_copy,
                                  lfb_growing_might_contain_u64};
  rows->push_back({"lfb_growing_create", 6, ToCreate(lfb_growing_create, Seedless(kFew))});
  AddKind<lfb_growing>("lfb_growing", kind, GrownWithKey, rows);
  rows->push_back({"lfb_growing_to_filter", 4, [](const std::string&) {
                     const SharedGrowing growing(MakeGrowing(Config(kFew, 0.01, LFB_SBBF)));
                     for (uint64_t i = 0; i < 5 * kFew; i++) lfb_growing_put_u64(growing.get(), i);
                     return Reading<lfb_filter>(
                         [growing](lfb_filter** filter) {
                           return lfb_growing_to_filter(growing.get(), filter);
                         },
                         lfb_filter_might_contain_u64);
                   }, kPopulated});
}

// ---- builders and watches -----------------------------------------------------------

// Puts each key twice, so that the filter is made a second time.  Without memory for that the larger
// one stays; without memory for a hash there is none.
Act SizedBuilder(const std::string&) {
  const lfb_config config = Seedless(kFew);
  std::vector<uint64_t> keys(40'000);
  for (uint64_t i = 0; i < keys.size(); i++) keys[i] = i / 2;
  return [config, keys] {
    lfb_builder* builder = nullptr;
    {
      const Spared now;
      EXPECT_EQ(lfb_builder_create_unsized(&config, 2, &builder), LFB_OK);
    }
    lfb_builder_put_many_u64(builder, 1, keys.data(), keys.size());
    const lfb_status status = lfb_builder_size(builder);
    const Spared now;
    if (status != LFB_OK) {
      lfb_builder_free(builder);
      return status;
    }
    const Filter filter(lfb_builder_finish(builder, nullptr));
    EXPECT_EQ(lfb_filter_might_contain_many_u64(filter.get(), keys.data(), keys.size(), nullptr),
              keys.size());
    return status;
  };
}

void AddBuilder(Rows* rows) {
  rows->push_back({"lfb_builder_create_unsized", 7, [](const std::string&) {
                     const lfb_config config = Seedless(kFew);
                     return [config] {
                       return Make<lfb_builder>(
                           [config](lfb_builder** builder) {
                             return lfb_builder_create_unsized(&config, 2, builder);
                           },
                           lfb_builder_free);
                     };
                   }});
  rows->push_back({"lfb_builder_size", 7, SizedBuilder,
                   {{"*", {LFB_OK, LFB_ERROR_NO_MEMORY}}}});
  for (unsigned threads : {1u, 3u})
    rows->push_back({"lfb_builder_create", 7, [=](const std::string&) {
                       const lfb_config config = Seedless(kFew);
                       return Making<lfb_builder>([=](lfb_builder** builder) {
                         return lfb_builder_create(&config, threads, builder);
                       });
                     }});
}

void AddWatches(Rows* rows) {
  static const lfb_watch_config config = {0.9, 0.9, nullptr, nullptr, nullptr, {}};
  const auto create = [](const std::string&) {
    const SharedFilter filter = WithKey(Seedless(kFew));
    return Making<lfb_watch>([=](lfb_watch** watch) {
      return lfb_watch_create(filter.get(), &config, watch);
    });
  };
  const auto create_over = [](const std::string&) {
    const SharedFilter filter = WithKey(Seedless(kFew));
    return Making<lfb_watch>([=](lfb_watch** watch) {
      const auto stats = [](const void* of, lfb_stats* now) {
        lfb_filter_stats(static_cast<const lfb_filter*>(of), now);
      };
      return lfb_watch_create_over(stats, filter.get(), &config, watch);
    });
  };
  const auto prometheus = [](const std::string&) {
    const SharedFilter filter = WithKey(Seedless(kFew));
    lfb_watch* made = nullptr;
    EXPECT_EQ(lfb_watch_create(filter.get(), &config, &made), LFB_OK);
    const std::shared_ptr<lfb_watch> watch(made, [filter](lfb_watch* it) { lfb_watch_free(it); });
    return [=] {
      const lfb_watch* watches[] = {watch.get()};
      std::string text;
      const lfb_status status = lfb_watch_prometheus(watches, 1, AppendTo, &text);
      EXPECT_EQ(text.empty(), status != LFB_OK);
      return status;
    };
  };
  rows->push_back({"lfb_watch_create", 4, create});
  rows->push_back({"lfb_watch_create_over", 4, create_over});
  rows->push_back({"lfb_watch_prometheus", 1, prometheus});
}

}  // namespace failing
