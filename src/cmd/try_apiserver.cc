#include <csignal>
#include <cstdio>
#include <unistd.h>
#include "apiserver/server.h"
using namespace skiff;
int main(int argc, char** argv) {
  SystemClock clock; SystemRandom random; FileLogSink sink(2); Log log(clock, sink, 2);
  ApiServerOptions o;
  o.bind_address = IpAddress::LoopbackV4();
  o.secure_port = static_cast<uint16_t>(atoi(argv[2]));
  std::string d = argv[1];
  o.storage.data_dir = d; o.tls.cert_file = d + "/tls.crt"; o.tls.private_key_file = d + "/tls.key";
  o.token_auth_file = d + "/tokens.csv";
  o.client_ca_file = d + "/ca.crt";
  o.authorization_modes = {argc > 3 ? AuthorizationMode::kRbac : AuthorizationMode::kAlwaysAllow};
  sigset_t set; sigemptyset(&set); sigaddset(&set, SIGTERM); sigaddset(&set, SIGINT);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  auto server = ApiServer::Start(std::move(o), clock, random, log);
  if (!server) { std::fprintf(stderr, "%s\n", server.error().ToString().c_str()); return 1; }
  int sig; sigwait(&set, &sig);
  (*server)->Drain();
  return 0;
}
