// growings.h - making growing filters for tests.
#pragma once

#include <lfbloom/growing.h>

#include "bloom/growing/layers.h"
#include "tests/support/anys.h"

using Growing = std::unique_ptr<lfb_growing, Freed<lfb_growing_free>>;

inline Growing MakeGrowing(const lfb_config& config) {
  return Made<Growing>(lfb_growing_create, &config);
}

inline Growing Copy(const Growing& growing) {
  return Made<Growing>(any::copy<lfb_growing>, growing.get());
}

inline std::string Bytes(const Growing& growing) { return BytesBy(any::write<lfb_growing>,
                                                                  growing); }

inline lfb_growing_figures Figures(const Growing& growing) {
  lfb_growing_figures figures;
  lfb_growing_stats(growing.get(), &figures);
  return figures;
}

// Every strategy with filters that can grow.
inline std::vector<lfb_strategy_id> SizedStrategies() {
  std::vector<lfb_strategy_id> sized;
  for (lfb_strategy_id id : AllStrategies())
    if (id != LFB_GO_FNV14) sized.push_back(id);
  return sized;
}

// The probability by the row's rates, without what double hashing adds: a layer is full by that.
inline double FppByRates(const lfb_layer* layer, uint64_t bits_set) {
  const lfb_strategy* strategy = layer->filter->strategy;
  return strategy->rates->fpp_now(strategy, &layer->filter->description.geometry, bits_set);
}

// Checks the layers one by one.  Each level has exactly one layer, sized for its level.  Each layer
// except the newest is full and keeps to its fpp.
inline void ExpectOneLayerALevel(const Growing& growing) {
  const lfb_config& config = growing->config;
  const lfb_layer* layer = lfb_layers_newest(growing.get());
  for (uint32_t above = layer->number + 1; layer != nullptr; layer = layer->older) {
    ASSERT_EQ(layer->number, --above);
    const lfb_stats stats = [&] {
      lfb_stats of_layer;
      lfb_filter_stats(layer->filter, &of_layer);
      return of_layer;
    }();
    const double fpp = lfb_layers_fpp(config.fpp, layer->number);
    EXPECT_EQ(stats.expected_insertions,
              lfb_layers_insertions(config.expected_insertions, layer->number));
    EXPECT_EQ(stats.fpp, fpp);
    EXPECT_EQ(stats.bits_set, lfb_filter_recount(&layer->filter->layout.bits));
    if (above != Figures(growing).layers - 1) {
      EXPECT_GE(stats.bits_set, layer->full_bits) << "layer " << layer->number;
      EXPECT_LE(FppByRates(layer, stats.bits_set), fpp) << "layer " << layer->number;
    }
    EXPECT_EQ(layer->older == nullptr, above == 0);
  }
}
