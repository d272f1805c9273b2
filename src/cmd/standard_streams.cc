// Keeps the numbers of the standard streams from being given to something else.
//
// A program that is started with one of them closed (`skiff … <&-`) would get its number for the
// next file it opens, and gRPC opens some before main(). What was meant for standard output would
// then go there. So whatever is closed is opened the wrong way round, before anything else runs: to
// use it is the error that it was.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace {

// Runs before sanitizers are ready.
[[gnu::no_sanitize("address", "undefined", "thread")]] void HoldStandardStreams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is the one that is closed, since those before it are open.
    const int wrong_way = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (open("/dev/null", wrong_way) != stream) _exit(1);
  }
}

// What stands in this section runs before the initialisers of all libraries, shared ones too.
[[gnu::section(".preinit_array"),
  gnu::used]] void (*const hold_standard_streams)() = HoldStandardStreams;

}  // namespace
