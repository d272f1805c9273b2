# make install: executables, and the man pages and completion scripts that the build has them print
# (src/cmd/CMakeLists.txt), each where Debian looks for it under the prefix.
include(GNUInstallDirs)

# But for `etcd`, which is `skiff etcd` by another name for envtest, and would hide the real one.
install(DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/ DESTINATION ${CMAKE_INSTALL_BINDIR}
  OPTIONAL USE_SOURCE_PERMISSIONS PATTERN etcd EXCLUDE)

install(DIRECTORY ${CMAKE_BINARY_DIR}/share/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
  OPTIONAL FILES_MATCHING PATTERN *.1)

# Sanitizer builds make none.
set(completion ${CMAKE_BINARY_DIR}/share/completion)
install(FILES ${completion}/skiff.zsh RENAME _skiff OPTIONAL
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
# A script knows all programs. These shells look for it under the name of the one that is typed.
foreach(program skiff kube-apiserver kube-controller-manager)
  install(FILES ${completion}/skiff.bash RENAME ${program} OPTIONAL
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${completion}/skiff.fish RENAME ${program}.fish OPTIONAL
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endforeach()
