# portfile.cmake - builds lfbloom for vcpkg, from the tree that this file is in:
#
#     vcpkg install lfbloom --overlay-ports=packaging/vcpkg/ports
#
# vcpkg has no port of ConcurrencyKit (looked up in August 2026): ports/concurrencykit, beside this one.
#
# In a registry, the first line becomes vcpkg_from_github() with a release's checksum.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES redis LFBLOOM_REDIS)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DLFBLOOM_TESTS=OFF -DLFBLOOM_INSTALL=ON ${features})
vcpkg_cmake_install()
vcpkg_fixup_pkgconfig()

# lfbloomConfig.cmake finds the libraries by its own place, so it stays where it was installed.
set(VCPKG_POLICY_SKIP_MISPLACED_CMAKE_FILES_CHECK enabled)
set(VCPKG_POLICY_SKIP_LIB_CMAKE_MERGE_CHECK enabled)
if("redis" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES lfbloom AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
