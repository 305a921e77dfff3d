"""The sources of the core that liblfbloom_redis.so has its own, hidden copies of.

They hash keys, size and describe filters and know their forms, and touch no filter that
liblfbloom.so made: that may be of another version, with other structs.  CMakeLists.txt reads this
list, too.
"""

INNER = [
    "atomic/threads/slots.c",
    "atomic/threads/stripes.c",
    "bloom/files/guava_header.c",
    "bloom/files/magic.c",
    "bloom/files/native_header.c",
    "bloom/filter/description.c",
    "bloom/filter/digest.c",
    "bloom/filter/digest256.c",
    "bloom/filter/figures.c",
    "bloom/filter/pieces.c",
    "bloom/hashing/aes_derive.c",
    "bloom/hashing/aes_portable.c",
    "bloom/hashing/hasher.c",
    "bloom/hashing/row_aes128.c",
    "bloom/hashing/row_fixed.c",
    "bloom/hashing/row_siphash.c",
    "bloom/hashing/row_vaes.c",
    "bloom/hashing/row_xxh3.c",
    "bloom/hashing/simd.c",
    "bloom/growing/growing_header.c",
    "bloom/strategies/block_model.c",
    "bloom/strategies/classic.c",
    "bloom/strategies/fast/fast.c",
    "bloom/strategies/fast/fast_size.c",
    "bloom/strategies/rates.c",
    "bloom/strategies/sbbf.c",
    "bloom/strategies/sbbf256.c",
    "bloom/strategies/sizing.c",
    "bloom/strategies/spread.c",
    "bloom/strategies/strategies.c",
    "bloom/strategies/tags_size.c",
]
