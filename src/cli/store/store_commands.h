// The commands of the group `skiff store`: what a store holds, moved, kept and looked at from the
// outside. Each is in a file of its own, store_NAME.cc.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/common/command.h"

namespace skiff::cli {

inline constexpr std::string_view kStoreDescription =
    "The store holds all objects of the cluster. It is either embedded, a directory of the API "
    "server, or an etcd. A store is named by --data-dir DIR or by --etcd-servers URLS.\n\n"
    "What only reads (backup, inspect, copy from it) works while a server is running.";

inline constexpr std::string_view kStoreExitCodes[] = {
    "success",
    "the store cannot be read or written, or what was read is wrong",
    "the command line is wrong",
};

inline constexpr std::string_view kBackupDescription =
    "Writes all keys of a store, as they are at one revision, to one file. The store may be in "
    "use: writers are not stopped. The file appears, or replaces an older one, only when it is "
    "complete and on disk, and only its owner can read it, since it holds secrets as they are "
    "stored. With - for FILE, it goes to standard output.\n\n"
    "Every record of the file has a checksum, and so has the file. 'skiff store inspect --verify "
    "--backup FILE' checks them.";
inline constexpr Example kBackupExamples[] = {
    {"of an embedded store",
     "skiff store backup --data-dir /var/lib/skiff/store /backup/skiff.bak"},
    {"of an etcd",
     "skiff store backup --etcd-servers https://10.0.0.1:2379 --etcd-cafile ca.crt "
     "--etcd-certfile client.crt --etcd-keyfile client.key skiff.bak"},
    {"through a pipe", "skiff store backup --data-dir /var/lib/skiff/store - | gzip >skiff.bak.gz"},
};
std::unique_ptr<CommandRun> MakeStoreBackup();

inline constexpr std::string_view kRestoreDescription =
    "Makes an embedded store of a backup, in a directory that does not exist or is empty. All of "
    "the backup is checked first, and the directory appears only when it is complete.\n\n"
    "The revision of the new store is that of the backup plus --bump-revision. Clients may have "
    "seen revisions later than the backup. If those numbers were given to other changes, a watch "
    "could go on from one of them and miss what happened in between. The default leaves room for "
    "a thousand million changes made since the backup, and a client that comes with one of the old "
    "revisions is told that it has expired (410 Gone), whereupon it lists anew. 0 is right only "
    "if nothing has changed since the backup was taken.\n\n"
    "Leases, such as those of events, go on with the time that remained when the backup was taken. "
    "To bring a backup into an etcd, restore it and use 'skiff store copy'.";
inline constexpr Example kRestoreExamples[] = {
    {"into a new directory", "skiff store restore /backup/skiff.bak --data-dir /var/lib/skiff-new"},
};
std::unique_ptr<CommandRun> MakeStoreRestore();

inline constexpr std::string_view kInspectDescription =
    "Without KEY, tells what a store or a backup holds: its revisions, its size, and how many keys "
    "and bytes there are of each resource, the largest first. With --verify it reads every record, "
    "also those of old revisions, compares all checksums, and checks that the parts of the store "
    "agree.\n\n"
    "With KEY, tells of that key; with -o json or -o yaml also the object that is stored there. "
    "Secrets are not shown unless --show-secrets is given.";
inline constexpr Example kInspectExamples[] = {
    {"what takes the space", "skiff store inspect --data-dir /var/lib/skiff/store"},
    {"is a backup sound?", "skiff store inspect --backup skiff.bak --verify"},
    {"one object as it is stored",
     "skiff store inspect --data-dir /var/lib/skiff/store /registry/pods/default/web -o yaml"},
};
std::unique_ptr<CommandRun> MakeStoreInspect();

inline constexpr std::string_view kSalvageDescription =
    "Reads all that can be read of an embedded store with damaged or missing files, and makes a "
    "new "
    "store of it, in a directory that does not exist or is empty. The damaged one is not changed. "
    "Stop the server first.\n\n"
    "Whatever is lost is named on standard error: keys, and writes of which only the revision is "
    "known. Keys that cannot be read are taken from --backup if they are in it, as they were when "
    "it was made. If something is lost for good, the exit code is 1; the new store is made all the "
    "same.\n\n"
    "The revision of the new store is the last one that could be read plus --bump-revision, for "
    "the "
    "reasons that 'skiff store restore' has.";
inline constexpr Example kSalvageExamples[] = {
    {"with what the last backup has",
     "skiff store salvage --data-dir /var/lib/skiff/store --to /var/lib/skiff/salvaged --backup "
     "/backup/skiff.bak"},
};
std::unique_ptr<CommandRun> MakeStoreSalvage();

inline constexpr std::string_view kCopyDescription =
    "Copies the keys under --etcd-prefix from one store to another: from embedded to etcd, from "
    "etcd to embedded, or between two of a kind. A store is named by its directory, DIR or "
    "embedded:DIR, or by the URLs of its servers, separated by commas. The source is only read. "
    "Stop the API servers of both first: a source that changes meanwhile is an error.\n\n"
    "An embedded target is a directory that does not exist or is empty; it appears when it is "
    "complete, and keeps the revisions of the source, so that clients can go on where they were. "
    "An etcd target must have no keys under the prefix unless --overwrite is given. There the keys "
    "get new revisions, in the order of the old ones, and clients must list anew: restart those "
    "that do not.\n\n"
    "In the end everything is read back from the target and compared, key by key and byte by byte. "
    "What is copied passes through a temporary file (TMPDIR, or --temporary-dir), which needs as "
    "much room as the data has.";
inline constexpr Example kCopyExamples[] = {
    {"one machine is not enough any more",
     "skiff store copy --from /var/lib/skiff/store --to "
     "https://10.0.0.1:2379,https://10.0.0.2:2379 "
     "--to-cafile ca.crt --to-certfile client.crt --to-keyfile client.key"},
    {"take over the cluster of another API server",
     "skiff store copy --from http://127.0.0.1:2379 --to embedded:/var/lib/skiff/store"},
};
std::unique_ptr<CommandRun> MakeStoreCopy();

inline constexpr std::string_view kCompactDescription =
    "Forgets old states: those before --revision, or all but the newest. A running server does "
    "this by itself every few minutes, so this is of use for a store that no server has open, and "
    "for an etcd without an API server. Watches that are further behind end and list anew. The "
    "room on disk is used again, and given back in part; 'skiff store defrag' gives back the rest.";
inline constexpr Example kCompactExamples[] = {
    {"all but the newest state", "skiff store compact --data-dir /var/lib/skiff/store"},
    {"in an etcd", "skiff store compact --etcd-servers http://127.0.0.1:2379 --revision 1000"},
};
std::unique_ptr<CommandRun> MakeStoreCompact();

inline constexpr std::string_view kDefragDescription =
    "Rewrites the files of an embedded store so that nothing dead is left in them. The server must "
    "not be running; a running one gives room back by itself. While it works, it needs as much "
    "room again as the live data has. Interrupting it does no harm.\n\n"
    "The members of an etcd are defragmented one by one with 'etcdctl defrag'.";
inline constexpr Example kDefragExamples[] = {
    {"of an embedded store", "skiff store defrag --data-dir /var/lib/skiff/store"},
};
std::unique_ptr<CommandRun> MakeStoreDefrag();

// Says on standard error why a command failed; kExitFailure.
int StoreFailure(std::string_view command, const Status& status);

}  // namespace skiff::cli
