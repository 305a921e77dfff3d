/*
 * lfbloom/mapped.h - one filter in a file that any number of processes map into memory: when one
 * process puts a key, all others find it at once.
 *
 * The file is in the page cache, or on /dev/shm in memory only.  A filter that is made or opened
 * here is used through lfbloom/filter.h like any other.  Nothing in the file belongs to a thread
 * or a process: there is no lock, no owner, no server and no message, only atomic words.
 *
 * lfb_mapped_open_read_only() also opens a file in any other form of lfb_form in place: what is
 * said here of opening, of SIGBUS and of file systems holds for it, too, but it reserves no blocks.
 *
 * Guarantees
 *
 * Found, Changed, Progress, Stopped, Not a message
 *            As in lfbloom/filter.h, for the threads of any number of processes.  After the file
 *            is opened, no put, query or claim makes a system call; only the first touch of a page
 *            enters the kernel.
 * Crash      If a put returned, its key is found, regardless of which process dies, by SIGKILL or
 *            otherwise, at any instruction.  If a process died after it had won a claim, the next
 *            claim that needs the same cell completes it; no other claim of that key wins
 *            (lfbloom/filter.h, 4).
 *            After a crash of the operating system or a power cut, all that was put before the
 *            last lfb_mapped_sync() is found.
 * Count      lfb_filter_stats() counts the bits in the words.  The count is exact while no put or
 *            claim is running, never above the true number, and correct again at once after any
 *            process dies.  It takes 0.1 s per GiB.
 * Quiet      A put of a present key writes to no memory that others read.
 * Opening    It takes the same time for any size: pages are mapped when they are touched.
 *
 * Environment
 *
 * fork       A child uses the filter as its parent does; each of them closes it.  Nothing has to
 *            be opened again: the child may have another user, root directory or limit, or a
 *            seccomp filter that allows no system call at all.
 * SIGBUS     Everything that can be checked is checked when the file is opened.  The file's blocks
 *            are reserved when it is made; blocks lost since (by a sparse copy) are reserved when
 *            it is opened.  So a full disk makes no put fail.  If the file system or a sandbox
 *            refuses fallocate(), blocks can be missing, and on a full disk a put into one of them
 *            kills the process.  If a mapped file is cut short, each process that touches the
 *            missing part is killed, as with any mapping: never write over it.  To replace it,
 *            rename another file to its path, as
 *            lfb_filter_save() does.  Processes that have the old file open continue with it.
 * Descriptor If the program closes the filter's descriptor, put, query, claim, stats and close
 *            continue to work, and lfb_mapped_sync() fails.
 * Trust      A user that can write to the file can change its words to any value, and can cut it
 *            short.  A user that can only read it cannot affect others.  A new file has mode 0600
 *            unless config.file_mode sets another; if it holds the key of its hash, at most 0600
 *            (config.keep_key).
 * Not on     Do not use file systems with mappings that are not coherent between processes: NFS or
 *            FUSE between several hosts.  Do not claim in one file from processes of 32 and of 64
 *            bits: they decide claims differently.
 *
 * Which calls may run at once on one filter
 *
 *               | put, claim, might_contain, stats, sync | close, free
 *   sync        |                  yes                   |     no
 *   close, free |        no, in this process             |     no
 *
 * All other pairs: as the table in lfbloom/filter.h, for the threads of all processes; close and
 * free concern only the calling process.
 */
#ifndef LFBLOOM_MAPPED_H
#define LFBLOOM_MAPPED_H

#include <lfbloom/filter.h>

LFB_EXTERN_C_BEGIN

/*
 * Makes an empty filter in a new file and opens it.  The path never names an incomplete file.  If
 * several processes make the same file at once, one succeeds.  The others get LFB_ERROR_EXISTS and
 * may open the file, which is complete; its configuration is that of the first.
 *
 * To write an existing filter into such a file, use lfb_filter_save() with LFB_FORM_MAPPED.
 *
 * Takes  config  as lfb_filter_create(), and file_mode.  lazy_memory delays only the first touch
 *                of the file's blocks; they are reserved as without it.
 * Fails  as lfb_filter_create(), and LFB_ERROR_EXISTS, _OPEN, _WRITE (for example no space),
 *        _MAP, _SYNC with the cause in errno: no file is left.  LFB_ERROR_NO_PAIRS: strategy
 *        guava-mitz64 on a processor without a 16-byte compare-and-exchange.
 * Owner  the caller, until lfb_mapped_close() or lfb_filter_free().
 */
LFB_CHECKED lfb_status lfb_mapped_create(const char *path, const lfb_config *config,
                                         lfb_filter **filter);

/*
 * Opens such a file for putting and querying.
 *
 * Takes  limits  its max_bytes and key are used; NULL for none.  Blocks that the file lacks are
 *                reserved.  Without max_bytes they may take at most half of the free space on its
 *                file system; more is LFB_ERROR_WRITE.
 * Fails  LFB_ERROR_OPEN (no permission, a read-only file system, a directory), _READ, _WRITE
 *        (blocks that the file lacks cannot be reserved), _MAP, with the cause in errno.
 *        LFB_ERROR_NOT_MAPPED (a filter in another form), _NO_PAIRS, _UNKNOWN_FORM,
 *        _UNKNOWN_VERSION, _BYTE_ORDER, _BAD_CHECKSUM, _BAD_HEADER, _BAD_STRATEGY, _OLD_FAST,
 *        _BAD_PROBES, _BAD_WORD_COUNT, _TRUNCATED, _TRAILING_BYTES, _KEY_NEEDED, _WRONG_KEY,
 *        _OVER_LIMIT, _NO_MEMORY.  LFB_ERROR_GROWING, _GROWING_MAPPED, _COUNTING, _WINDOW: not a
 *        plain filter.
 * Owner  as lfb_mapped_create().
 */
LFB_CHECKED lfb_status lfb_mapped_open(const char *path, const lfb_read_limits *limits,
                                       lfb_filter **filter);

/*
 * Opens a mapped file, or one in any other form of lfb_form, for querying only.  Read permission is
 * enough, on a read-only file system, too.  Nothing is written, and nothing is loaded: all
 * processes that open the file share its pages in the page cache.  Answers are those of the
 * filter that lfb_filter_load() reads.
 *
 * The filter is const: a put or claim would be a bad access.  It can be copied (into memory),
 * written and saved, and put into another one.  The puts of other processes into a mapped file are
 * found at once.
 *
 * Checks lfb_filter_load() compares the checksums of a native file's words; this call reads its
 *        header only, which has a checksum of its own.  If words are damaged, answers are wrong,
 *        and present keys may be missing: lfb_mapped_verify() compares the checksums.
 * Speed  Words of the native form are queried by the same code as in memory.  Guava's and
 *        Parquet's begin at no multiple of 8 bytes and are read by code of their own
 *        (docs/performance.md, Files).  Private memory has huge pages; a page cache may
 *        have none.
 * Fails  as lfb_mapped_open(), but not with LFB_ERROR_NOT_MAPPED or _WRITE.
 *        LFB_ERROR_BYTE_ORDER: a mapped file of the other byte order; on a big-endian processor
 *        each native file, too.
 *        LFB_ERROR_MAP with ENODATA: a file on a tmpfs lacks blocks, as a sparse copy does.  To
 *        read the missing blocks would take memory, or kill the process if there is none.
 *        lfb_mapped_open() reserves the blocks.  lfb_filter_load() needs no mapping.
 * Owner  as lfb_mapped_open().
 */
LFB_CHECKED lfb_status lfb_mapped_open_read_only(const char *path, const lfb_read_limits *limits,
                                                 const lfb_filter **filter);

/*
 * Compares the checksums of the words of a native file that lfb_mapped_open_read_only() has opened,
 * as lfb_filter_load() does: reads the whole file, some 0.1 seconds per GiB in the page cache.  Any
 * thread may call it, while others query.  Other forms have no such checksums: LFB_OK.
 *
 * Fails  LFB_ERROR_BAD_CHECKSUM; LFB_ERROR_NOT_MAPPED: the filter is not in a file.
 */
LFB_CHECKED lfb_status lfb_mapped_verify(const lfb_filter *filter);

/*
 * Makes durable the file's name and all that was put before the call.  Without it the operating
 * system decides when it writes to a disk.
 *
 * Fails  LFB_ERROR_NOT_MAPPED   the filter is in private memory
 *        LFB_ERROR_TRUNCATED    either the file was cut short (then do not use the filter any
 *                               more), or the program closed the filter's descriptor (then only
 *                               lfb_mapped_sync() fails)
 *        LFB_ERROR_SYNC         with the cause in errno
 *        LFB_ERROR_REPLACED     the filter is synced, but the path now leads to another file
 *        LFB_ERROR_NO_MEMORY
 */
LFB_CHECKED lfb_status lfb_mapped_sync(const lfb_filter *filter);

/*
 * Closes a filter that no call is using; the file stays.  It does what lfb_filter_free() does,
 * for a const filter, too: a filter in private memory is freed, and NULL is ignored.
 */
LFB_API void lfb_mapped_close(const lfb_filter *filter);

LFB_EXTERN_C_END

#endif
