"""The manual pages: of the tool, its commands and its help topics, and of the library.

packaging/CMakeLists.txt reads this list, too.
"""

PAGES = [
    "lfbloom.1",
    "lfbloom.3",
    "lfbloom-build.1",
    "lfbloom-claim.1",
    "lfbloom-compare.1",
    "lfbloom-convert.1",
    "lfbloom-dedupe.1",
    "lfbloom-demo.1",
    "lfbloom-diff.1",
    "lfbloom-fold.1",
    "lfbloom-info.1",
    "lfbloom-keys.7",
    "lfbloom-merge.1",
    "lfbloom-patch.1",
    "lfbloom-plan.1",
    "lfbloom-query.1",
    "lfbloom-redis.7",
    "lfbloom-remote.1",
    "lfbloom-remove.1",
    "lfbloom-verify.1",
]
