// Every group of figures, one function per *_bench.cc, in the order in which main.cc runs them.
#pragma once

#include "bench/report.h"

namespace skiff::bench {

void BenchJson(Report& report);
void BenchProtobuf(Report& report);
void BenchTranscode(Report& report);
void BenchDocuments(Report& report);
void BenchSelectors(Report& report);
void BenchCel(Report& report);
void BenchPolicies(Report& report);
void BenchBadInput(Report& report);
void BenchStore(Report& report);
void BenchCache(Report& report);
void BenchScale(Report& report);
void BenchWatches(Report& report);
void BenchTables(Report& report);
void BenchFields(Report& report);

}  // namespace skiff::bench
