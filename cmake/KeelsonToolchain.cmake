# Compiler cache, linker, warnings and sanitizers.
set(KEELSON_SANITIZE none CACHE STRING "none, address (with undefined) or thread")
option(KEELSON_FUZZ "build the fuzz targets (clang)" OFF)

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=time_macros,include_file_ctime,include_file_mtime ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_compile_options(-Wall -Wextra -Werror -Wno-missing-field-initializers -Wno-psabi -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ 12 offers std::expected only to compilers that claim this level of concepts.
  add_compile_options(-D__cpp_concepts=202002L -Wno-builtin-macro-redefined -Wno-macro-redefined -Wthread-safety
                      -Wno-missing-designated-field-initializers -Wno-unused-private-field -Wno-unknown-warning-option)
else()
  # g++ 12 sees dangling and uninitialised values in coroutine frames and std::expected that are not there.
  # It takes what a batch of sources includes for headers, and their anonymous namespaces for mistakes.
  add_compile_options(-Wno-maybe-uninitialized -Wno-dangling-pointer -Wno-array-bounds -Wno-stringop-overread -Wno-stringop-overflow -Wno-restrict
                      -Wno-subobject-linkage)
endif()

if(KEELSON_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -O1)
  add_link_options(-fsanitize=address,undefined)
elseif(KEELSON_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -Wno-tsan -O1)
  add_link_options(-fsanitize=thread)
endif()
