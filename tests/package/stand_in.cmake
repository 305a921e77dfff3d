# stand_in.cmake - runs PORT, a portfile.cmake, as vcpkg would: cmake -DOUT=.. -DPORT=.. -P stand_in.cmake
cmake_minimum_required(VERSION 3.16)
set(FEATURES core)
set(CURRENT_PACKAGES_DIR ${OUT})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}")
  endif()
endfunction()

# vcpkg_check_features(OUT_FEATURE_OPTIONS out FEATURES name option)
function(vcpkg_check_features key out features name option)
  set(value OFF)
  if(name IN_LIST FEATURES)
    set(value ON)
  endif()
  set(${out} -D${option}=${value} PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "vcpkg has no ${arg_UNPARSED_ARGUMENTS}")
  endif()
  run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${OUT}.build -DCMAKE_INSTALL_PREFIX=${OUT}
    -DCMAKE_INSTALL_LIBDIR=lib -Werror=dev --warn-unused-vars ${arg_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
  run(${CMAKE_COMMAND} --build ${OUT}.build --target install --parallel 2)
endfunction()

function(vcpkg_fixup_pkgconfig)
endfunction()

function(vcpkg_copy_tools)
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  configure_file(${arg_FILE_LIST} ${OUT}/share/lfbloom/copyright COPYONLY)
endfunction()

include(${PORT})
