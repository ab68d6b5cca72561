# Compiler cache, linker, warnings and sanitizers.
set(KEELSON_SANITIZE none CACHE STRING "none, address (with undefined) or thread")
option(KEELSON_FUZZ "build the fuzz targets" OFF)

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=time_macros,include_file_ctime,include_file_mtime ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
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
