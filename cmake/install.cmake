# make install: executables, man pages (docs/man/*.N) and shell completion (docs/completion/), each
# where Debian looks for it under the prefix.
include(GNUInstallDirs)

install(DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/ DESTINATION ${CMAKE_INSTALL_BINDIR}
  OPTIONAL USE_SOURCE_PERMISSIONS)

file(GLOB pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/man/*.[1-8])
foreach(page ${pages})
  string(REGEX MATCH "[1-8]$" section ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()

function(install_completion pattern folder rename)
  file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/completion/${pattern})
  foreach(script ${scripts})
    get_filename_component(command ${script} NAME_WE)
    string(REPLACE "@" ${command} name ${rename})
    install(FILES ${script} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} RENAME ${name})
  endforeach()
endfunction()
install_completion(*.bash bash-completion/completions @)
install_completion(*.zsh zsh/vendor-completions _@)
install_completion(*.fish fish/vendor_completions.d @.fish)
