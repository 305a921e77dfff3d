//! What the crate uses of lfbloom's C interface.  `//tests/package:rust_test` compares each line with the
//! headers: `ThatName` is `lfb_that_name` there, except that `Strategy` is `lfb_strategy_id`.

#![allow(missing_docs)]

use std::os::raw::{c_char, c_uint, c_void};

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident $prefix:literal { $($value:ident = $number:literal),* })*) => {$(
        $(#[$doc])*
        #[doc = concat!("\n\nThe C interface prefixes `", $prefix, "`.")]
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
        pub struct $name(pub(crate) c_uint);
        impl $name {
            $(pub const $value: $name = $name($number);)*
        }
    )*};
}

numbers! {
    /// The result of a C call.
    Status "LFB_" { }
    /// How an element becomes bits.
    Strategy "LFB_" { DEFAULT = 0, GUAVA_MITZ32 = 1, GUAVA_MITZ64 = 2, SBBF = 3, JAVA_DOUBLE = 4, GO_FNV14 = 5,
        REDIS_MITZ32 = 6, FAST_PAIR = 7, FAST = 8, TAGS = 9 }
    /// How the number of probes follows from n and p.
    ProbesFormula "LFB_PROBES_" { GUAVA_31 = 0, GUAVA_CURRENT = 1 }
    /// How a key's bytes become its hash, where the strategy leaves the choice.
    HashId "LFB_HASH_" { DEFAULT = 0, XXH3 = 1, SIPHASH13 = 2, AES = 3 }
    /// Less memory or fewer pairs of words per key.
    MemoryPreference "LFB_MEMORY_" { BALANCED = 0, SPEED = 1, SMALLEST = 2 }
    /// A serialised form.
    Form "LFB_FORM_" { NONE = 0, GUAVA = 1, NATIVE = 2, SBBF = 3, MAPPED = 4 }
    /// What happens to the version that a new one replaces.
    Previous "LFB_" { DROP_PREVIOUS = 0, KEEP_PREVIOUS = 1 }
    Kind "LFB_KIND_" { PLAIN = 1, GROWING = 2, COUNTING = 3, WINDOW = 4 }
    Verb "LFB_" { PUT = 0, MIGHT_CONTAIN = 1, CLAIM = 2, REMOVE = 3 }
    KeyKind "LFB_" { BYTES_KEY = 0, U64_KEY = 1 }
    Opening "LFB_OPEN_" { COPY = 0, SHARED = 2 }
}

macro_rules! structs {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* $(; $rest:ident: $words:ty)? })*) => {$(
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        pub struct $name {
            $(pub $field: $type,)*
            $(pub(crate) $rest: $words,)?
        }
    )*};
}

structs! {
    /// The description of a filter to make: `lfb_config` in lfbloom/filter.h describes each field.
    #[derive(Default)]
    Config { expected_insertions: u64, fpp: f64, strategy: Strategy, probes_formula: ProbesFormula, hash: HashId,
        seed: u64, key: [u8; 16], keep_key: bool, memory_preference: MemoryPreference,
        lazy_memory: bool, foldable: bool, file_mode: u32, key_type: u32, copies: u64,
        bytes: u64; reserved: [u64; 6] }
    /// The description of a window to make: `lfb_window_config` in lfbloom/window.h describes each field.
    #[derive(Default)]
    WindowConfig { expected_insertions: u64, fpp: f64, generations: u32, span: f64, by_insertions: bool,
        lazy_memory: bool, memory_preference: MemoryPreference, hash: HashId, seed: u64, key: [u8; 16],
        keep_key: bool, file_mode: u32, key_type: u32; reserved: [u64; 7] }
    /// A filter's figures: `lfb_stats` in lfbloom/filter.h describes each field.
    #[derive(Debug, Default)]
    Stats { strategy: Strategy, form: Form, expected_insertions: u64, fpp: f64, bit_count: u64, reachable_bits: u64,
        probes: u32, words_per_key: u32, hash: HashId, key_kept: bool, seed: u64, bytes: u64, bits_set: u64,
        saturated: bool, approximate_count: u64, expected_fpp: f64, written: u64, counters_stuck: u64, key_type: u32,
        copies: u64, slots: u64, puts_refused: u64; reserved: [u64; 13] }
    /// A growing filter's figures: `lfb_growing_figures` in lfbloom/growing.h describes each field.
    #[derive(Debug, Default)]
    GrowingFigures { strategy: Strategy, first_insertions: u64, fpp: f64, layers: u32, hash: HashId, key_kept: bool,
        seed: u64, bit_count: u64, bytes: u64, bits_set: u64, approximate_count: u64, expected_fpp: f64,
        stuck: Status, written: u64; reserved: [u64; 17] }
    /// The figures of one live generation of a window.
    #[derive(Debug, Default)]
    WindowGenerationFigures { bits_set: u64, approximate_count: u64; reserved: [u64; 2] }
    /// A window's figures: `lfb_window_figures` in lfbloom/window.h describes each field.
    #[derive(Debug, Default)]
    WindowFigures { expected_insertions: u64, fpp: f64, generations: u32, span: f64, probes: u32, block_words: u32,
        hash: HashId, key_kept: bool, generation: u64, bytes: u64, bit_count: u64, expected_fpp: f64,
        live: [WindowGenerationFigures; 8]; reserved: [u64; 16] }
    /// An estimate, and its standard error.
    #[derive(Debug, Default)]
    Estimate { value: f64, error: f64 }
    /// What the keys of two filters have in common: `lfb_comparison` in lfbloom/filter.h.
    #[derive(Debug, Default)]
    Comparison { a: Estimate, b: Estimate, both: Estimate, either: Estimate, jaccard: Estimate, a_in_b: Estimate,
        b_in_a: Estimate; reserved: [u64; 8] }
    Key { bytes: *const c_void, size: usize }
    ReadLimits { max_bytes: u64, key: *const u8, damage: *mut Damage, open_damaged: bool, reserved: [u64; 8] }
    Any { kind: Kind, filter: *mut c_void }
}

macro_rules! opaque {
    ($($name:ident)*) => {$(
        #[repr(C)]
        pub struct $name([u8; 0]);
    )*};
}
opaque! { Filter Counting Growing Window Versions Damage }

pub type WriteFn = extern "C" fn(to: *mut c_void, bytes: *const c_void, size: usize) -> Status;
pub type ReadFn = extern "C" fn(from: *mut c_void, bytes: *mut c_void, size: usize, got: *mut usize) -> Status;

#[rustfmt::skip] // one line each
extern "C" {
    pub fn lfb_status_text(status: Status) -> *const c_char;
    pub fn lfb_strategy_name(strategy: Strategy) -> *const c_char;
    pub fn lfb_version_text() -> *const c_char;

    pub fn lfb_config_plan(config: *const Config, stats: *mut Stats) -> Status;
    pub fn lfb_config_fpp_after(config: *const Config, insertions: u64, fpp: *mut f64) -> Status;
    pub fn lfb_config_take_hash(config: *mut Config, filter: *const Filter) -> Status;

    pub fn lfb_filter_create(config: *const Config, filter: *mut *mut Filter) -> Status;
    pub fn lfb_filter_put(filter: *mut Filter, bytes: *const c_void, size: usize) -> bool;
    pub fn lfb_filter_put_u64(filter: *mut Filter, key: u64) -> bool;
    pub fn lfb_filter_put_hash(filter: *mut Filter, hash: u64) -> bool;
    pub fn lfb_filter_claim(filter: *mut Filter, bytes: *const c_void, size: usize) -> bool;
    pub fn lfb_filter_claim_u64(filter: *mut Filter, key: u64) -> bool;
    pub fn lfb_filter_claim_hash(filter: *mut Filter, hash: u64) -> bool;
    pub fn lfb_filter_might_contain(filter: *const Filter, bytes: *const c_void, size: usize) -> bool;
    pub fn lfb_filter_might_contain_u64(filter: *const Filter, key: u64) -> bool;
    pub fn lfb_filter_might_contain_hash(filter: *const Filter, hash: u64) -> bool;
    pub fn lfb_filter_put_all(into: *mut Filter, from: *const Filter) -> Status;
    pub fn lfb_filter_compare(a: *const Filter, b: *const Filter, result: *mut Comparison) -> Status;
    pub fn lfb_filter_fold(filter: *const Filter, factor: u64, folded: *mut *mut Filter) -> Status;
    pub fn lfb_filter_copy(filter: *const Filter, copy: *mut *mut Filter) -> Status;
    pub fn lfb_filter_stats(filter: *const Filter, stats: *mut Stats);
    pub fn lfb_filter_write(filter: *const Filter, form: Form, write: WriteFn, to: *mut c_void) -> Status;
    pub fn lfb_filter_save(filter: *const Filter, form: Form, path: *const c_char) -> Status;

    pub fn lfb_mapped_create(path: *const c_char, config: *const Config, filter: *mut *mut Filter) -> Status;
    pub fn lfb_mapped_open_read_only(path: *const c_char, limits: *const ReadLimits, filter: *mut *const Filter) -> Status;
    pub fn lfb_mapped_verify(filter: *const Filter) -> Status;
    pub fn lfb_mapped_close(filter: *const Filter);

    pub fn lfb_counting_create(config: *const Config, counting: *mut *mut Counting) -> Status;
    pub fn lfb_counting_put(counting: *mut Counting, bytes: *const c_void, size: usize) -> bool;
    pub fn lfb_counting_put_u64(counting: *mut Counting, key: u64) -> bool;
    pub fn lfb_counting_remove(counting: *mut Counting, bytes: *const c_void, size: usize) -> bool;
    pub fn lfb_counting_remove_u64(counting: *mut Counting, key: u64) -> bool;
    pub fn lfb_counting_might_contain(counting: *const Counting, bytes: *const c_void, size: usize) -> bool;
    pub fn lfb_counting_might_contain_u64(counting: *const Counting, key: u64) -> bool;
    pub fn lfb_counting_put_all(into: *mut Counting, from: *const Counting) -> Status;
    pub fn lfb_counting_stats(counting: *const Counting, stats: *mut Stats);

    pub fn lfb_growing_create(config: *const Config, growing: *mut *mut Growing) -> Status;
    pub fn lfb_growing_mapped_create(path: *const c_char, config: *const Config, growing: *mut *mut Growing) -> Status;
    pub fn lfb_growing_stuck(growing: *const Growing) -> Status;
    pub fn lfb_growing_put(growing: *mut Growing, bytes: *const c_void, size: usize) -> bool;
    pub fn lfb_growing_put_u64(growing: *mut Growing, key: u64) -> bool;
    pub fn lfb_growing_claim(growing: *mut Growing, bytes: *const c_void, size: usize) -> bool;
    pub fn lfb_growing_claim_u64(growing: *mut Growing, key: u64) -> bool;
    pub fn lfb_growing_might_contain(growing: *const Growing, bytes: *const c_void, size: usize) -> bool;
    pub fn lfb_growing_might_contain_u64(growing: *const Growing, key: u64) -> bool;
    pub fn lfb_growing_stats(growing: *const Growing, figures: *mut GrowingFigures);

    pub fn lfb_window_create(config: *const WindowConfig, window: *mut *mut Window) -> Status;
    pub fn lfb_window_mapped_create(path: *const c_char, config: *const WindowConfig, window: *mut *mut Window) -> Status;
    pub fn lfb_window_config_plan(config: *const WindowConfig, figures: *mut WindowFigures) -> Status;
    pub fn lfb_window_put(window: *mut Window, bytes: *const c_void, size: usize) -> bool;
    pub fn lfb_window_put_u64(window: *mut Window, key: u64) -> bool;
    pub fn lfb_window_claim(window: *mut Window, bytes: *const c_void, size: usize) -> bool;
    pub fn lfb_window_claim_u64(window: *mut Window, key: u64) -> bool;
    pub fn lfb_window_might_contain(window: *const Window, bytes: *const c_void, size: usize) -> bool;
    pub fn lfb_window_might_contain_u64(window: *const Window, key: u64) -> bool;
    pub fn lfb_window_generation(window: *const Window) -> u64;
    pub fn lfb_window_advance(window: *mut Window, from: u64) -> Status;
    pub fn lfb_window_tick(window: *mut Window, ended: *mut u32) -> Status;
    pub fn lfb_window_start_clock(window: *mut Window) -> Status;
    pub fn lfb_window_stop_clock(window: *mut Window);
    pub fn lfb_window_stats(window: *const Window, figures: *mut WindowFigures);

    pub fn lfb_any_many(any: Any, verb: Verb, keys: *const Key, count: usize, answers: *mut u64) -> usize;
    pub fn lfb_any_many_u64(any: Any, verb: Verb, keys: *const u64, count: usize, answers: *mut u64) -> usize;
    pub fn lfb_any_open(path: *const c_char, kind: Kind, how: Opening, limits: *const ReadLimits, any: *mut Any) -> Status;
    pub fn lfb_any_read(read: ReadFn, from: *mut c_void, kind: Kind, limits: *const ReadLimits, any: *mut Any) -> Status;
    pub fn lfb_any_write(any: Any, write: WriteFn, to: *mut c_void) -> Status;
    pub fn lfb_any_save(any: Any, path: *const c_char) -> Status;
    pub fn lfb_any_sync(any: Any) -> Status;
    pub fn lfb_any_to_plain(any: Any, plain: *mut *mut Filter) -> Status;
    pub fn lfb_any_free(any: Any);

    pub fn lfb_versions_create(config: *const Config, versions: *mut *mut Versions) -> Status;
    pub fn lfb_versions_create_with(filter: *mut Filter, versions: *mut *mut Versions) -> Status;
    pub fn lfb_versions_create_waiting(versions: *mut *mut Versions) -> Status;
    pub fn lfb_versions_free(versions: *mut Versions);
    pub fn lfb_versions_enter(versions: *const Versions, number: *mut u64) -> *const Filter;
    pub fn lfb_versions_leave(versions: *const Versions);
    pub fn lfb_versions_number(versions: *const Versions) -> u64;
    pub fn lfb_versions_put(versions: *mut Versions, bytes: *const c_void, size: usize) -> bool;
    pub fn lfb_versions_put_u64(versions: *mut Versions, key: u64) -> bool;
    pub fn lfb_versions_many(versions: *const Versions, verb: Verb, keys: *const c_void, count: usize, answers: *mut u64, kind: KeyKind) -> usize;
    pub fn lfb_versions_might_contain(versions: *const Versions, bytes: *const c_void, size: usize) -> bool;
    pub fn lfb_versions_might_contain_u64(versions: *const Versions, key: u64) -> bool;
    pub fn lfb_versions_begin_rebuild(versions: *mut Versions, config: *const Config, building: *mut *mut Filter) -> Status;
    pub fn lfb_versions_begin_rebuild_with(versions: *mut Versions, filter: *mut Filter) -> Status;
    pub fn lfb_versions_publish(versions: *mut Versions, previous: Previous, number: *mut u64) -> Status;
    pub fn lfb_versions_abandon(versions: *mut Versions) -> Status;
    pub fn lfb_versions_rollback(versions: *mut Versions, number: *mut u64) -> Status;
    pub fn lfb_versions_drop_previous(versions: *mut Versions) -> Status;
    pub fn lfb_versions_reclaim(versions: *mut Versions) -> u64;
}
