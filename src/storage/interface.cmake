# keelson_storage: the files in this folder that are not the backend's.
keelson_library(storage
  SRCS continue_token.cc decode.cc event_filter.cc failed_watch.cc interface.cc label_selector_lexer.cc object.cc
       object_factory.cc request_plan.cc resource_metrics.cc resource_version.cc selection.cc stored_encoding.cc
  DEPS keelson_storage_backend keelson_api_codec keelson_api_conversion keelson_api_defaulting keelson_api_meta keelson_api_patch
       keelson_api_types
       keelson_api_validation)
keelson_test(storage_test
  SRCS continue_token_test.cc object_factory_test.cc selection_test.cc stored_encoding_test.cc
  DEPS keelson_storage keelson_storage_test_objects)
