#![doc = include_str!(concat!(env!("OUT_DIR"), "/README.md"))]
#![warn(missing_docs)]

use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::{fmt, io, marker::PhantomData, mem, ops::Deref, ptr, slice};

mod sys;
use key::{Part, Round};
pub use sys::{
    Comparison, Config, Estimate, Form, GrowingFigures, HashId, MemoryPreference, Previous, ProbesFormula,
};
use sys::{KeyKind, Kind, Opening, Verb};
pub use sys::{Stats, Status, Strategy, WindowConfig, WindowFigures, WindowGenerationFigures};
include!(concat!(env!("OUT_DIR"), "/status.rs"));

// SAFETY of the calls of the library: what a call is given lives until it returns, as `&self`, the arguments
// and the paths do, and results are written where variables of their types are.  Calls that need more say it.

/// The text of a constant string of the library.
fn text(string: *const c_char) -> &'static str {
    // SAFETY: the functions whose results come here return constant strings, never NULL.
    unsafe { CStr::from_ptr(string) }.to_str().unwrap_or("")
}

/// The version of the library, for example "0.9.0".
pub fn version() -> &'static str {
    text(unsafe { sys::lfb_version_text() })
}

// ---- errors ----

/// Why a call failed: a status of the library, and the operating system's error if a file is the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    status: Status,
    os: Option<i32>,
}

/// The result of a call that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// What happened, for a `match`: [`Status::EXISTS`], for example.
    pub fn status(&self) -> Status {
        self.status
    }

    /// The cause, if the status is one of a file.
    pub fn os_error(&self) -> Option<io::Error> {
        self.os.map(io::Error::from_raw_os_error)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(text(unsafe { sys::lfb_status_text(*self) }))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.os_error() {
            Some(cause) => write!(f, "{}: {cause}", self.status),
            None => write!(f, "{}", self.status),
        }
    }
}

impl std::error::Error for Error {}

fn check(status: Status) -> Result<()> {
    match status {
        Status::OK => Ok(()),
        Status::OPEN | Status::READ | Status::WRITE | Status::SYNC | Status::RENAME | Status::MAP => {
            Err(Error { status, os: io::Error::last_os_error().raw_os_error() })
        }
        _ => Err(Error { status, os: None }),
    }
}

/// What `call` writes to its argument if it succeeds.
fn made<T>(mut out: T, call: impl FnOnce(&mut T) -> Status) -> Result<T> {
    check(call(&mut out))?;
    Ok(out)
}

fn c_path(path: &Path) -> Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| Error { status: Status::OPEN, os: Some(22) })
}

// ---- keys ----

mod key {
    use super::sys;

    pub enum Part<'a> {
        Bytes(&'a [u8]),
        U64(u64),
    }

    pub enum Round<'a> {
        Bytes(&'a [sys::Key]),
        U64(&'a [u64]),
    }

    pub trait Sealed {
        fn part(&self) -> Part<'_>;

        /// Calls `each` with the keys in rounds, and the index of each round's first one.
        fn rounds(keys: &[Self], each: &mut dyn FnMut(usize, Round<'_>))
        where
            Self: Sized,
        {
            const MOST: usize = 1 << 16; // a multiple of 64: a round's answers are words of their own
            let (mut bytes, mut numbers) = (Vec::new(), Vec::new());
            for (index, round) in keys.chunks(MOST).enumerate() {
                bytes.clear();
                numbers.clear();
                for key in round {
                    match key.part() {
                        Part::Bytes(b) => bytes.push(sys::Key { bytes: b.as_ptr().cast(), size: b.len() }),
                        Part::U64(n) => numbers.push(n), // all keys of a type are of one kind
                    }
                }
                let round = if bytes.is_empty() { Round::U64(&numbers) } else { Round::Bytes(&bytes) };
                each(index * MOST, round);
            }
        }
    }
}

/// A key: a `u64`, which the library hashes as a number, or bytes: `str`, `String`, `[u8]`, `[u8; N]`,
/// `Vec<u8>`.  `"a"` and `b"a"` are one key; a number and its bytes are not.
pub trait Key: key::Sealed {}
impl<T: key::Sealed + ?Sized> Key for T {}

macro_rules! key_of_bytes {
    ($($name:ty)*) => {$(
        impl key::Sealed for $name {
            #[inline]
            fn part(&self) -> Part<'_> {
                Part::Bytes(self.as_ref())
            }
        }
    )*};
}
key_of_bytes! { str String [u8] Vec<u8> }

impl<const N: usize> key::Sealed for [u8; N] {
    #[inline]
    fn part(&self) -> Part<'_> {
        Part::Bytes(self)
    }
}

impl key::Sealed for u64 {
    #[inline]
    fn part(&self) -> Part<'_> {
        Part::U64(*self)
    }

    fn rounds(keys: &[u64], each: &mut dyn FnMut(usize, Round<'_>)) {
        each(0, Round::U64(keys));
    }
}

impl<T: key::Sealed + ?Sized> key::Sealed for &T {
    #[inline]
    fn part(&self) -> Part<'_> {
        (**self).part()
    }
}

/// The answers of a call for many keys, a bit for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers {
    words: Vec<u64>,
    len: usize,
    trues: usize,
}

impl Answers {
    /// The answer for the key of this index.  Panics if there is no such key.
    pub fn get(&self, index: usize) -> bool {
        assert!(index < self.len, "answer {index} of {}", self.len);
        self.words[index / 64] >> (index % 64) & 1 != 0
    }

    /// How many answers are true.
    pub fn trues(&self) -> usize {
        self.trues
    }

    /// The answers in the order of the keys.
    pub fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.len).map(|index| self.get(index))
    }
}

/// Calls `call` for all keys, and adds up what it returns.
fn counted<K: Key>(keys: &[K], mut call: impl FnMut(Round<'_>, *mut u64) -> usize) -> usize {
    let mut count = 0;
    K::rounds(keys, &mut |_, round| count += call(round, ptr::null_mut()));
    count
}

/// The same with answers.
fn answered<K: Key>(keys: &[K], mut call: impl FnMut(Round<'_>, *mut u64) -> usize) -> Answers {
    let mut words = vec![0; (keys.len() + 63) / 64];
    let mut trues = 0;
    K::rounds(keys, &mut |first, round| trues += call(round, words[first / 64..].as_mut_ptr()));
    Answers { words, len: keys.len(), trues }
}

/// A call of `lfb_any_many`, for `counted` and `answered`.
fn of_many(any: sys::Any, verb: Verb) -> impl FnMut(Round<'_>, *mut u64) -> usize {
    // SAFETY: the filter lives while `&self` of the caller does; the keys are a slice's; the answers are
    // NULL or have a bit for each of them.
    move |round, answers| unsafe {
        match round {
            Round::Bytes(keys) => sys::lfb_any_many(any, verb, keys.as_ptr(), keys.len(), answers),
            Round::U64(keys) => sys::lfb_any_many_u64(any, verb, keys.as_ptr(), keys.len(), answers),
        }
    }
}

// ---- what the kinds of filters share ----

// SAFETY: it is a pointer to a filter, which any thread may use and free; what may not run at once with
// other calls takes `&mut self` here.
unsafe impl Send for sys::Any {}
// SAFETY: as above.
unsafe impl Sync for sys::Any {}

/// What a reader accepts.  The default has no limit and no key.
#[derive(Clone, Default)]
pub struct Limits {
    /// Most bytes of the filter's words, checked before they are allocated; 0: no limit.
    pub max_bytes: u64,
    /// The key of the filter's keyed hash, if the file lacks it.
    pub key: Option<[u8; 16]>,
    /// Read damaged words as all ones instead of failing.
    pub open_damaged: bool,
}

/// A kind of filter that can be read: [`Filter`], [`Counting`], [`Growing`], [`Window`].
pub trait Readable: readable::Sealed {}
impl<T: readable::Sealed> Readable for T {}

mod readable {
    pub trait Sealed {
        const KIND: super::Kind;
        /// Takes ownership of the filter.
        fn of(any: super::sys::Any) -> Self;
    }
}

impl Limits {
    fn with<T>(&self, call: impl FnOnce(*const sys::ReadLimits) -> Result<T>) -> Result<T> {
        call(&sys::ReadLimits {
            max_bytes: self.max_bytes,
            key: self.key.as_ref().map_or(ptr::null(), |key| key.as_ptr()),
            damage: ptr::null_mut(),
            open_damaged: self.open_damaged,
            reserved: [0; 8],
        })
    }

    fn opened<T: Readable>(&self, path: &Path, how: Opening) -> Result<T> {
        let path = c_path(path)?;
        let none = sys::Any { kind: T::KIND, filter: ptr::null_mut() };
        // SAFETY: the path and the limits live during the call, which gives a filter of this kind or fails.
        self.with(|limits| made(none, |any| unsafe { sys::lfb_any_open(path.as_ptr(), T::KIND, how, limits, any) }))
            .map(T::of)
    }

    /// Reads a filter from a file into memory, and compares all checksums.
    pub fn load<T: Readable>(&self, path: impl AsRef<Path>) -> Result<T> {
        self.opened(path.as_ref(), Opening::COPY)
    }

    /// Opens a file that processes share, to put and query.
    pub fn open<T: Readable>(&self, path: impl AsRef<Path>) -> Result<T> {
        self.opened(path.as_ref(), Opening::SHARED)
    }

    /// Reads a filter from bytes; those after it are ignored.
    pub fn from_bytes<T: Readable>(&self, mut bytes: &[u8]) -> Result<T> {
        let none = sys::Any { kind: T::KIND, filter: ptr::null_mut() };
        let from: *mut &[u8] = &mut bytes;
        // SAFETY: `from` is what read_slice() takes, and lives during the call.
        self.with(|limits| {
            made(none, |any| unsafe { sys::lfb_any_read(read_slice, from.cast(), T::KIND, limits, any) })
        })
        .map(T::of)
    }
}

extern "C" fn read_slice(from: *mut c_void, bytes: *mut c_void, size: usize, got: *mut usize) -> Status {
    // SAFETY: from_bytes() passes a `&mut &[u8]`; the library has room for `size` bytes at `bytes`.
    unsafe {
        let from = &mut *from.cast::<&[u8]>();
        let (now, later) = from.split_at(size.min(from.len()));
        ptr::copy_nonoverlapping(now.as_ptr(), bytes.cast(), now.len());
        *from = later;
        *got = now.len();
    }
    Status::OK
}

extern "C" fn write_vec(to: *mut c_void, bytes: *const c_void, size: usize) -> Status {
    // SAFETY: written() passes a `&mut Vec<u8>`; the library has `size` bytes at `bytes`.
    let (to, bytes) = unsafe { (&mut *to.cast::<Vec<u8>>(), slice::from_raw_parts(bytes.cast(), size)) };
    if to.try_reserve(size).is_err() {
        return Status::NO_MEMORY;
    }
    to.extend_from_slice(bytes);
    Status::OK
}

fn written(call: impl FnOnce(*mut c_void) -> Status) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    check(call(ptr::addr_of_mut!(bytes).cast()))?;
    Ok(bytes)
}

/// One call with one key, of bytes or a number.
macro_rules! call {
    ($self:ident, $key:ident, $of_bytes:ident, $of_u64:ident) => {
        // SAFETY: the filter lives while `self` does, and the key's bytes while it does.
        unsafe {
            match $key.part() {
                Part::Bytes(bytes) => sys::$of_bytes($self.raw(), bytes.as_ptr().cast(), bytes.len()),
                Part::U64(number) => sys::$of_u64($self.raw(), number),
            }
        }
    };
}

/// Queries and files of a type whose first field is a `sys::Any`.
macro_rules! queries {
    ($name:ident, $raw:ident, $figures:ident, $query:ident, $query_u64:ident, $stats:ident) => {
        impl $name {
            #[inline]
            fn raw(&self) -> *mut sys::$raw {
                self.0.filter.cast()
            }

            /// Whether the key may be present; false is certain.
            #[inline]
            pub fn might_contain(&self, key: impl Key) -> bool {
                call!(self, key, $query, $query_u64)
            }

            /// The same for many keys, in less time.
            pub fn might_contain_many<K: Key>(&self, keys: &[K]) -> Answers {
                answered(keys, of_many(self.0, Verb::MIGHT_CONTAIN))
            }

            /// The figures now.
            pub fn stats(&self) -> $figures {
                let mut figures = $figures::default();
                unsafe { sys::$stats(self.raw(), &mut figures) };
                figures
            }

            /// Writes the filter to a file, atomically and durably, in its kind's own form.
            pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
                let path = c_path(path.as_ref())?;
                check(unsafe { sys::lfb_any_save(self.0, path.as_ptr()) })
            }

            /// The bytes that [`Self::save`] writes.
            pub fn to_bytes(&self) -> Result<Vec<u8>> {
                // SAFETY: the filter lives, and `to` is what write_vec() takes.
                written(|to| unsafe { sys::lfb_any_write(self.0, write_vec, to) })
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!("lfbloom::", stringify!($name)))
            }
        }
    };
}

/// Making, reading and freeing a filter of a kind.
macro_rules! kind {
    ($name:ident, $kind:ident, $config:ident, $inner:expr, $create:ident) => {
        impl readable::Sealed for $name {
            const KIND: Kind = Kind::$kind;
            fn of(any: sys::Any) -> Self {
                $name($inner(any))
            }
        }

        impl $name {
            fn made<T>(call: impl FnOnce(&mut *mut T) -> Status) -> Result<Self> {
                let filter = made(ptr::null_mut(), call)?.cast();
                Ok(readable::Sealed::of(sys::Any { kind: Kind::$kind, filter }))
            }

            /// Makes an empty filter for `expected_insertions` keys, with the probability `fpp` of a false
            /// positive once they are in.
            pub fn new(expected_insertions: u64, fpp: f64) -> Result<Self> {
                Self::with(&$config::new(expected_insertions, fpp))
            }

            /// Makes an empty filter as described.
            pub fn with(config: &$config) -> Result<Self> {
                Self::made(|filter| unsafe { sys::$create(config, filter) })
            }

            /// Reads a filter from a file into memory; see also [`Limits::load`].
            pub fn load(path: impl AsRef<Path>) -> Result<Self> {
                Limits::default().load(path)
            }

            /// Reads a filter from bytes; see also [`Limits::from_bytes`].
            pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
                Limits::default().from_bytes(bytes)
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: this value owns the filter, and no call can use it any more.
                unsafe { sys::lfb_any_free(self.0.any()) }
            }
        }
    };
}

macro_rules! puts {
    ($name:ident, $put:ident, $put_u64:ident) => {
        impl $name {
            /// Puts a key.  Returns whether that changed anything: true means that the key was new.
            #[inline]
            pub fn put(&self, key: impl Key) -> bool {
                call!(self, key, $put, $put_u64)
            }

            /// Puts many keys.  Returns how many of them were new.
            pub fn put_many<K: Key>(&self, keys: &[K]) -> usize {
                counted(keys, of_many(self.0.any(), Verb::PUT))
            }

            /// Puts many keys.  Returns which of them were new.
            pub fn put_many_answers<K: Key>(&self, keys: &[K]) -> Answers {
                answered(keys, of_many(self.0.any(), Verb::PUT))
            }
        }
    };
}

/// Claims, and files that processes share.
macro_rules! claims_and_shares {
    ($name:ident, $config:ident, $claim:ident, $claim_u64:ident, $create:ident) => {
        impl $name {
            /// Puts a key, and returns true to at most one of all callers that claim it, in all threads and
            /// processes.
            #[inline]
            pub fn claim(&self, key: impl Key) -> bool {
                call!(self, key, $claim, $claim_u64)
            }

            /// Claims many keys.
            pub fn claim_many<K: Key>(&self, keys: &[K]) -> Answers {
                answered(keys, of_many(self.0.any(), Verb::CLAIM))
            }

            /// Makes an empty filter in a new file that processes share.
            pub fn create(path: impl AsRef<Path>, config: &$config) -> Result<Self> {
                let path = c_path(path.as_ref())?;
                Self::made(|filter| unsafe { sys::$create(path.as_ptr(), config, filter) })
            }

            /// Opens such a file; see also [`Limits::open`].
            pub fn open(path: impl AsRef<Path>) -> Result<Self> {
                Limits::default().open(path)
            }

            /// Makes durable what was put into such a file.
            pub fn sync(&self) -> Result<()> {
                check(unsafe { sys::lfb_any_sync(self.0.any()) })
            }
        }
    };
}

impl sys::Any {
    fn any(self) -> sys::Any {
        self
    }
}

// ---- the filter ----

impl Config {
    /// The description of a filter for `expected_insertions` keys, with the probability `fpp` of a false
    /// positive once they are in.  All other fields are the default.
    pub fn new(expected_insertions: u64, fpp: f64) -> Config {
        Config { expected_insertions, fpp, ..Config::default() }
    }

    /// The figures of an empty filter of this description, without making it.
    pub fn plan(&self) -> Result<Stats> {
        made(Stats::default(), |stats| unsafe { sys::lfb_config_plan(self, stats) })
    }

    /// The probability of a false positive that such a filter has once it holds `insertions` keys.
    pub fn fpp_after(&self, insertions: u64) -> Result<f64> {
        made(0.0, |fpp| unsafe { sys::lfb_config_fpp_after(self, insertions, fpp) })
    }

    /// Takes the hash of a filter and its key, so that filters of one size can be put together.
    pub fn take_hash(&mut self, filter: &View) -> Result<()> {
        check(unsafe { sys::lfb_config_take_hash(self, filter.raw()) })
    }
}

impl Strategy {
    /// The name, for example "fast-pair"; "" of a number that is no strategy's.
    pub fn name(self) -> &'static str {
        let name = unsafe { sys::lfb_strategy_name(self) };
        if name.is_null() {
            ""
        } else {
            text(name)
        }
    }
}

/// A filter that is queried only: what a [`Filter`], a [`Mapped`] file and a [`Section`] have in common.
pub struct View(sys::Any);

queries!(View, Filter, Stats, lfb_filter_might_contain, lfb_filter_might_contain_u64, lfb_filter_stats);

impl View {
    fn any(&self) -> sys::Any {
        self.0
    }

    /// Whether a key may be present whose good 64-bit hash the caller has.
    #[inline]
    pub fn might_contain_hash(&self, hash: u64) -> bool {
        unsafe { sys::lfb_filter_might_contain_hash(self.raw(), hash) }
    }

    /// Estimates how many keys two filters have in common.
    pub fn compare(&self, other: &View) -> Result<Comparison> {
        made(Comparison::default(), |result| unsafe { sys::lfb_filter_compare(self.raw(), other.raw(), result) })
    }

    /// Copies the filter into memory.
    pub fn copy(&self) -> Result<Filter> {
        Filter::made(|copy| unsafe { sys::lfb_filter_copy(self.raw(), copy) })
    }

    /// Makes a filter of 1/`factor` of the size that has all keys.
    pub fn fold(&self, factor: u64) -> Result<Filter> {
        Filter::made(|folded| unsafe { sys::lfb_filter_fold(self.raw(), factor, folded) })
    }

    /// Writes the filter to a file in a form: for Guava, for Parquet, or to be shared by processes.
    pub fn save_as(&self, form: Form, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path(path.as_ref())?;
        check(unsafe { sys::lfb_filter_save(self.raw(), form, path.as_ptr()) })
    }

    /// The bytes that [`View::save_as`] writes.
    pub fn to_bytes_as(&self, form: Form) -> Result<Vec<u8>> {
        // SAFETY: the filter lives, and `to` is what write_vec() takes.
        written(|to| unsafe { sys::lfb_filter_write(self.raw(), form, write_vec, to) })
    }
}

macro_rules! derefs {
    ($($name:ty: $field:tt -> $target:ident),*) => {$(
        impl Deref for $name {
            type Target = $target;
            fn deref(&self) -> &$target {
                &self.$field
            }
        }
    )*};
}
derefs! { Filter: 0 -> View, Mapped: 0 -> View, Section<'_>: view -> View, Building<'_>: filter -> Filter }

/// A Bloom filter that any number of threads insert into and query at once: lfbloom/filter.h.
#[derive(Debug)]
pub struct Filter(View);

kind!(Filter, PLAIN, Config, View, lfb_filter_create);
puts!(Filter, lfb_filter_put, lfb_filter_put_u64);
claims_and_shares!(Filter, Config, lfb_filter_claim, lfb_filter_claim_u64, lfb_mapped_create);

impl Filter {
    /// Puts a key by its hash: 64 bits that the caller has mixed well.
    #[inline]
    pub fn put_hash(&self, hash: u64) -> bool {
        unsafe { sys::lfb_filter_put_hash(self.raw(), hash) }
    }

    /// Claims a key by its hash.
    #[inline]
    pub fn claim_hash(&self, hash: u64) -> bool {
        unsafe { sys::lfb_filter_claim_hash(self.raw(), hash) }
    }

    /// Puts all keys of another filter of the same size, strategy and hash ([`Config::take_hash`]).
    pub fn put_all(&self, from: &View) -> Result<()> {
        check(unsafe { sys::lfb_filter_put_all(self.raw(), from.raw()) })
    }
}

/// A filter file of any form, queried in place and read-only; processes share its pages.  A file that is cut
/// short kills the processes that have it open, as any mapped file does.
#[derive(Debug)]
pub struct Mapped(View);

impl Mapped {
    /// Opens a file; see also [`Limits::map`].
    pub fn open(path: impl AsRef<Path>) -> Result<Mapped> {
        Limits::default().map(path)
    }

    /// Compares the checksums of a native file's words.
    pub fn verify(&self) -> Result<()> {
        check(unsafe { sys::lfb_mapped_verify(self.raw()) })
    }
}

impl Limits {
    /// Opens a filter file of any form, to be queried in place.
    pub fn map(&self, path: impl AsRef<Path>) -> Result<Mapped> {
        let path = c_path(path.as_ref())?;
        let filter = self.with(|limits| {
            made(ptr::null(), |filter| unsafe { sys::lfb_mapped_open_read_only(path.as_ptr(), limits, filter) })
        })?;
        Ok(Mapped(View(sys::Any { kind: Kind::PLAIN, filter: filter as *mut c_void })))
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: this value owns the filter, and no call can use it any more.
        unsafe { sys::lfb_mapped_close(self.raw()) }
    }
}

// ---- the other kinds ----

/// Makes the plain filter of the keys that are present.
fn plain(any: sys::Any) -> Result<Filter> {
    Filter::made(|filter| unsafe { sys::lfb_any_to_plain(any, filter) })
}

/// Whether all keys were put.
fn stored(all: bool) -> Result<()> {
    check(if all { Status::OK } else { Status::FULL })
}

/// A filter from which keys can be removed, each as often as it was put ([`Config::copies`]): lfbloom/counting.h.
pub struct Counting(sys::Any);

queries!(Counting, Counting, Stats, lfb_counting_might_contain, lfb_counting_might_contain_u64, lfb_counting_stats);
kind!(Counting, COUNTING, Config, sys::Any::any, lfb_counting_create);

impl Counting {
    /// Puts a key once more.  Fails with [`Status::FULL`]: then it is not stored, and must not be removed.
    #[inline]
    pub fn put(&self, key: impl Key) -> Result<()> {
        stored(call!(self, key, lfb_counting_put, lfb_counting_put_u64))
    }

    /// Puts many keys.  Fails with [`Status::FULL`] if any was not stored.
    pub fn put_many<K: Key>(&self, keys: &[K]) -> Result<()> {
        stored(counted(keys, of_many(self.0, Verb::PUT)) == keys.len())
    }

    /// Puts many keys.  Returns which of them were stored.
    #[must_use]
    pub fn put_many_answers<K: Key>(&self, keys: &[K]) -> Answers {
        answered(keys, of_many(self.0, Verb::PUT))
    }

    /// Takes back one put of the key.  Returns whether it did; false: the key was definitely absent.
    #[inline]
    pub fn remove(&self, key: impl Key) -> bool {
        call!(self, key, lfb_counting_remove, lfb_counting_remove_u64)
    }

    /// Takes back one put of each key.
    pub fn remove_many<K: Key>(&self, keys: &[K]) -> Answers {
        answered(keys, of_many(self.0, Verb::REMOVE))
    }

    /// Adds all keys of another one, as often as they are present there.
    pub fn put_all(&self, from: &Counting) -> Result<()> {
        check(unsafe { sys::lfb_counting_put_all(self.raw(), from.raw()) })
    }

    /// A plain filter of the keys that are present now; of [`Strategy::TAGS`] there is none.
    pub fn to_filter(&self) -> Result<Filter> {
        plain(self.0)
    }
}

/// A filter for an unknown number of keys: lfbloom/growing.h.
pub struct Growing(sys::Any);

queries!(
    Growing,
    Growing,
    GrowingFigures,
    lfb_growing_might_contain,
    lfb_growing_might_contain_u64,
    lfb_growing_stats
);
kind!(Growing, GROWING, Config, sys::Any::any, lfb_growing_create);
puts!(Growing, lfb_growing_put, lfb_growing_put_u64);
claims_and_shares!(Growing, Config, lfb_growing_claim, lfb_growing_claim_u64, lfb_growing_mapped_create);

impl Growing {
    /// Fails with the reason if the newest layer is full and no other can follow it.
    pub fn stuck(&self) -> Result<()> {
        check(unsafe { sys::lfb_growing_stuck(self.raw()) })
    }

    /// A plain filter of all keys.
    pub fn to_filter(&self) -> Result<Filter> {
        plain(self.0)
    }
}

impl WindowConfig {
    /// The description of a window for `expected_insertions` keys per span, with the probability `fpp` of a
    /// false positive.  All other fields are the default: set `span`, or `by_insertions`, or call
    /// [`Window::advance`].
    pub fn new(expected_insertions: u64, fpp: f64) -> WindowConfig {
        WindowConfig { expected_insertions, fpp, ..WindowConfig::default() }
    }

    /// The figures of an empty window of this description, without making it.
    pub fn plan(&self) -> Result<WindowFigures> {
        made(WindowFigures::default(), |figures| unsafe { sys::lfb_window_config_plan(self, figures) })
    }
}

/// A filter that forgets keys after a span of time or of insertions: lfbloom/window.h.
pub struct Window(sys::Any);

queries!(Window, Window, WindowFigures, lfb_window_might_contain, lfb_window_might_contain_u64, lfb_window_stats);
kind!(Window, WINDOW, WindowConfig, sys::Any::any, lfb_window_create);
puts!(Window, lfb_window_put, lfb_window_put_u64);
claims_and_shares!(Window, WindowConfig, lfb_window_claim, lfb_window_claim_u64, lfb_window_mapped_create);

impl Window {
    /// The number of the current generation.
    pub fn generation(&self) -> u64 {
        unsafe { sys::lfb_window_generation(self.raw()) }
    }

    /// Ends generation `from` and begins the next.  Of all calls with one generation, one succeeds.
    pub fn advance(&self, from: u64) -> Result<()> {
        check(unsafe { sys::lfb_window_advance(self.raw(), from) })
    }

    /// Ends the generations that are over by the clock.  Returns how many it has ended.
    pub fn tick(&self) -> Result<u32> {
        made(0, |ended| unsafe { sys::lfb_window_tick(self.raw(), ended) })
    }

    /// Starts a thread that ends each generation when it is over.
    pub fn start_clock(&mut self) -> Result<()> {
        // SAFETY: the window lives, and no other thread starts or stops its clock now: `&mut self`.
        check(unsafe { sys::lfb_window_start_clock(self.raw()) })
    }

    /// Stops that thread.
    pub fn stop_clock(&mut self) {
        // SAFETY: as start_clock().
        unsafe { sys::lfb_window_stop_clock(self.raw()) }
    }
}

// ---- versions ----

/// A filter that is replaced while threads use it: lfbloom/versions.h.
#[derive(Debug)]
pub struct Versions(*mut sys::Versions);

// SAFETY: any thread may call everything but lfb_versions_free(), which is called by drop() alone.
unsafe impl Send for Versions {}
// SAFETY: as above.
unsafe impl Sync for Versions {}

impl Versions {
    fn raw(&self) -> *mut sys::Versions {
        self.0
    }

    /// Makes an empty filter as the first version.
    pub fn new(config: &Config) -> Result<Versions> {
        made(ptr::null_mut(), |versions| unsafe { sys::lfb_versions_create(config, versions) }).map(Versions)
    }

    /// The same with a filter as the first version.  If it fails, the filter is freed.
    pub fn with(filter: Filter) -> Result<Versions> {
        let versions =
            made(ptr::null_mut(), |versions| unsafe { sys::lfb_versions_create_with(filter.raw(), versions) })?;
        mem::forget(filter); // the handle owns it now
        Ok(Versions(versions))
    }

    /// The same without a version: until one is published, each query answers "maybe".
    pub fn waiting() -> Result<Versions> {
        made(ptr::null_mut(), |versions| unsafe { sys::lfb_versions_create_waiting(versions) }).map(Versions)
    }

    /// Enters a section of this thread: the version stays as it is until the section is dropped.
    pub fn enter(&self) -> Section<'_> {
        let mut number = 0;
        // SAFETY: the handle lives longer than the section, which is dropped by this thread: it is not Send.
        let filter = unsafe { sys::lfb_versions_enter(self.0, &mut number) };
        let view = View(sys::Any { kind: Kind::PLAIN, filter: filter as *mut c_void });
        Section { versions: self, view, number, of_thread: PhantomData }
    }

    /// The current version's number; 0: there is none.
    pub fn number(&self) -> u64 {
        unsafe { sys::lfb_versions_number(self.0) }
    }

    /// Puts a key into the current version, the one that is being built, and the previous one.
    #[inline]
    pub fn put(&self, key: impl Key) -> bool {
        call!(self, key, lfb_versions_put, lfb_versions_put_u64)
    }

    /// Whether the key may be present in the current version; false is certain.
    #[inline]
    pub fn might_contain(&self, key: impl Key) -> bool {
        call!(self, key, lfb_versions_might_contain, lfb_versions_might_contain_u64)
    }

    /// Puts many keys.  Returns how many of them were new.
    pub fn put_many<K: Key>(&self, keys: &[K]) -> usize {
        // SAFETY: the handle lives; the keys are a slice's; the answers are NULL.
        counted(keys, |round, answers| unsafe {
            match round {
                Round::Bytes(keys) => sys::lfb_versions_many(
                    self.0, Verb::PUT, keys.as_ptr().cast(), keys.len(), answers, KeyKind::BYTES_KEY),
                Round::U64(keys) => sys::lfb_versions_many(
                    self.0, Verb::PUT, keys.as_ptr().cast(), keys.len(), answers, KeyKind::U64_KEY),
            }
        })
    }

    /// Queries many keys in one section.
    pub fn might_contain_many<K: Key>(&self, keys: &[K]) -> Answers {
        self.enter().might_contain_many(keys)
    }

    /// Begins a new version: an empty filter, to be filled.  Waits until the sections in progress have been
    /// left; fails in a section of this thread.
    pub fn begin_rebuild(&self, config: &Config) -> Result<Building<'_>> {
        let filter =
            made(ptr::null_mut(), |building| unsafe { sys::lfb_versions_begin_rebuild(self.0, config, building) })?;
        Ok(self.building(filter))
    }

    /// The same with a filter that is filled already.  If it fails, the filter is freed.
    pub fn begin_rebuild_with(&self, filter: Filter) -> Result<Building<'_>> {
        check(unsafe { sys::lfb_versions_begin_rebuild_with(self.0, filter.raw()) })?;
        let raw = filter.raw();
        mem::forget(filter); // the handle owns it now
        Ok(self.building(raw))
    }

    fn building(&self, filter: *mut sys::Filter) -> Building<'_> {
        let any = sys::Any { kind: Kind::PLAIN, filter: filter.cast() };
        Building { versions: self, filter: mem::ManuallyDrop::new(Filter(View(any))) }
    }

    /// Makes the previous version the current one again.  Returns its new number.
    pub fn rollback(&self) -> Result<u64> {
        made(0, |number| unsafe { sys::lfb_versions_rollback(self.0, number) })
    }

    /// Drops the previous version, if it was kept.
    pub fn drop_previous(&self) -> Result<()> {
        check(unsafe { sys::lfb_versions_drop_previous(self.0) })
    }

    /// Frees dropped versions that no section can use.  Returns how many still wait.
    pub fn reclaim(&self) -> u64 {
        unsafe { sys::lfb_versions_reclaim(self.0) }
    }
}

impl Drop for Versions {
    fn drop(&mut self) {
        // SAFETY: no section and no version being built borrows the handle any more.
        unsafe { sys::lfb_versions_free(self.0) }
    }
}

/// A section: the version that was current when it was entered.  It belongs to its thread:
///
/// ```compile_fail,E0277
/// # let versions = lfbloom::Versions::waiting().unwrap();
/// let section = versions.enter();
/// std::thread::scope(|threads| threads.spawn(move || section.number()).join()).unwrap();
/// ```
///
/// and the handle lives longer:
///
/// ```compile_fail,E0505
/// # let versions = lfbloom::Versions::waiting().unwrap();
/// let section = versions.enter();
/// drop(versions);
/// section.number();
/// ```
#[derive(Debug)]
pub struct Section<'a> {
    versions: &'a Versions,
    view: View,
    number: u64,
    of_thread: PhantomData<*const ()>,
}

impl Section<'_> {
    /// The version's number.
    pub fn number(&self) -> u64 {
        self.number
    }
}

impl Drop for Section<'_> {
    fn drop(&mut self) {
        // SAFETY: this thread has entered the section.  If it has others, the library leaves the innermost
        // one, and keeps all versions until the last is left.
        unsafe { sys::lfb_versions_leave(self.versions.0) }
    }
}

/// A version that is being built: a [`Filter`] to fill.  Dropped, it is abandoned.
#[derive(Debug)]
pub struct Building<'a> {
    versions: &'a Versions,
    filter: mem::ManuallyDrop<Filter>,
}

impl Building<'_> {
    /// Makes this version the current one.  Returns its number.
    pub fn publish(self, previous: Previous) -> Result<u64> {
        // SAFETY: the handle lives, and the result is written.  The filter is not used any more: `self`.
        let number = made(0, |number| unsafe { sys::lfb_versions_publish(self.versions.0, previous, number) });
        mem::forget(self);
        number
    }
}

impl Drop for Building<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle lives, and its version being built is this one: only publish() and this end it.
        // It cannot fail.
        let _ = unsafe { sys::lfb_versions_abandon(self.versions.0) };
    }
}

#[cfg(test)]
mod tests;
