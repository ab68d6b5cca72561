# keelson_storage: the files in this folder that are not the backend's.
add_library(keelson_storage INTERFACE)
target_link_libraries(keelson_storage INTERFACE keelson_storage_backend keelson_base)
