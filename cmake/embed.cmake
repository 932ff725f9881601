# acceptd_embed(<target> <folder> <namespace>): the JSON files below the folder become embedded_files() of the namespace.
function(acceptd_embed target folder namespace)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded.cpp)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.json)
  list(SORT files)
  set(entries "")
  foreach(file IN LISTS files)
    file(READ ${folder}/${file} text)
    string(APPEND entries "      {\"${file}\", R\"EMBEDDED(${text})EMBEDDED\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${file})
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded.cpp)
  string(CONCAT content
    "// Generated from the files of an API description.\n#include \"types/hcp/description.hpp\"\n\nnamespace ${namespace} {\n\n"
    "const std::vector<EmbeddedFile>& embedded_files() {\n  static const std::vector<EmbeddedFile> kFiles{\n"
    "${entries}"
    "  };\n  return kFiles;\n}\n\n}  // namespace ${namespace}\n")
  set(old "")
  if(EXISTS ${source})
    file(READ ${source} old)
  endif()
  if(NOT old STREQUAL content)
    file(WRITE ${source} "${content}")
  endif()
  target_sources(${target} PRIVATE ${source})
endfunction()
