# make install: the executable, links to it, and the man pages and completion scripts that the
# build has it print (src/cmd/CMakeLists.txt), each where Debian looks for it under the prefix.
include(GNUInstallDirs)

# The programs that are skiff by another name. `etcd` is one too, for envtest, but is not installed:
# it would hide the real one.
set(SKIFF_PROGRAMS kube-apiserver kube-controller-manager)

install(PROGRAMS ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/skiff DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(program ${SKIFF_PROGRAMS})
  install(FILES ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${program} DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()

install(DIRECTORY ${CMAKE_BINARY_DIR}/share/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
  OPTIONAL FILES_MATCHING PATTERN *.1)

# Sanitizer builds make none.
set(completion ${CMAKE_BINARY_DIR}/share/completion)
install(FILES ${completion}/skiff.zsh RENAME _skiff OPTIONAL
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
# A script knows all programs. These shells look for it under the name of the one that is typed.
foreach(program skiff ${SKIFF_PROGRAMS})
  install(FILES ${completion}/skiff.bash RENAME ${program} OPTIONAL
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${completion}/skiff.fish RENAME ${program}.fish OPTIONAL
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endforeach()
