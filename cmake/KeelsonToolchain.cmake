# Compiler cache, linker, warnings and sanitizers.
set(KEELSON_SANITIZE none CACHE STRING "none, address (with undefined) or thread")
option(KEELSON_FUZZ "build the fuzz targets" OFF)
set(KEELSON_PROFILE "" CACHE STRING "empty; record: write what runs to LLVM_PROFILE_FILE; a file: optimize for it")
option(KEELSON_LTO "optimize across all sources when linking" OFF)

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=time_macros,include_file_ctime,include_file_mtime ${CCACHE})
endif()
# lld reads clang's intermediate code; Debian 12's mold does not, and fails on the sections of a recorded profile.
find_program(MOLD mold)
if(KEELSON_LTO OR KEELSON_PROFILE)
  add_link_options(-fuse-ld=lld)
elseif(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_compile_options(-Wall -Wextra -Werror -Wthread-safety -Wno-missing-field-initializers
                    -Wno-missing-designated-field-initializers -fno-omit-frame-pointer)
# libstdc++ 12 offers std::expected only to compilers that claim this level of concepts, and its stable_sort
# uses what it deprecates.
add_compile_options(-D__cpp_concepts=202002L -Wno-builtin-macro-redefined -Wno-macro-redefined
                    -Wno-deprecated-declarations)

if(KEELSON_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -O1)
  add_link_options(-fsanitize=address,undefined)
elseif(KEELSON_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -O1)
  add_link_options(-fsanitize=thread)
endif()

# Release builds (scripts/release.sh). The compiler optimizes for what a recorded run did most.
if(KEELSON_PROFILE STREQUAL "record")
  add_compile_options(-fprofile-generate -fprofile-update=atomic)
  add_link_options(-fprofile-generate)
elseif(KEELSON_PROFILE)
  # What the run never came by has no profile, and schemac has a main() of its own: neither is a mistake.
  add_compile_options(-fprofile-use=${KEELSON_PROFILE} -Wno-profile-instr-unprofiled -Wno-profile-instr-out-of-date
                      -Wno-backend-plugin)
  add_link_options(-fprofile-use=${KEELSON_PROFILE})
endif()
if(KEELSON_LTO)
  add_compile_options(-flto=thin)
  add_link_options(-flto=thin)
  find_program(LLVM_AR llvm-ar-19 REQUIRED)
  find_program(LLVM_RANLIB llvm-ranlib-19 REQUIRED)
  set(CMAKE_AR ${LLVM_AR})
  set(CMAKE_RANLIB ${LLVM_RANLIB})
endif()
