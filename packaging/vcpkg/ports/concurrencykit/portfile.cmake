# portfile.cmake - builds ConcurrencyKit for vcpkg, for lfbloom: vcpkg has no port of it.
#
# Its configure is none of autoconf's, and it builds in the folder of its sources.
vcpkg_from_git(OUT_SOURCE_PATH SOURCE_PATH URL https://github.com/concurrencykit/ck
  REF 351415ccaa78798332e556f661fc7e832447f3da) # tag 0.7.1
set(VCPKG_BUILD_TYPE release)

vcpkg_execute_required_process(WORKING_DIRECTORY "${SOURCE_PATH}" LOGNAME "configure-${TARGET_TRIPLET}"
  COMMAND ./configure "--prefix=${CURRENT_PACKAGES_DIR}")
vcpkg_execute_required_process(WORKING_DIRECTORY "${SOURCE_PATH}" LOGNAME "build-${TARGET_TRIPLET}"
  COMMAND make -C src)
vcpkg_execute_required_process(WORKING_DIRECTORY "${SOURCE_PATH}" LOGNAME "install-${TARGET_TRIPLET}"
  COMMAND make install)
vcpkg_fixup_pkgconfig()

if(VCPKG_LIBRARY_LINKAGE STREQUAL "static")
  file(GLOB other "${CURRENT_PACKAGES_DIR}/lib/libck.so*")
else()
  set(other "${CURRENT_PACKAGES_DIR}/lib/libck.a")
endif()
file(REMOVE ${other})
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/man")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
