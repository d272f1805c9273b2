// Work in a process of its own, for what may end it: RocksDB's assertions above all.
//
// A test that uses this must leave RocksDB to the children: its threads do not survive a fork.
#pragma once

#include <functional>
#include <string>

namespace skiff {

struct ChildResult {
  bool exited = false;  // by itself, not by a signal
  std::string report;   // what the body returned; of a child that died, its last words on stderr
};

// Runs `body` in a child and waits for it. What was last noted is part of the report if the child
// dies.
ChildResult RunInChild(const std::function<std::string()>& body);

// Notes what the child is about to do, so that its death can be told from.
void RecordProgress(const std::string& what);

}  // namespace skiff
