// The named bounds on what one piece of input may cost. Kubernetes' own values where clients can
// see them; otherwise chosen so that the worst case stays cheap.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace skiff::limits {

// The largest request body, and so the largest text or binary document that is decoded.
inline constexpr size_t kMaxDocumentBytes = 3 * 1024 * 1024;

// What any document may have at most: values count their bytes and items in 32 bits.
inline constexpr size_t kMaxCountedBytes = UINT32_MAX;

// The largest message of gRPC that a client takes: protobuf counts in 31 bits.
inline constexpr size_t kMaxGrpcMessageBytes = INT32_MAX;

// How deep values may nest in any encoding. Recursion in codecs is bounded by this.
inline constexpr int kMaxDepth = 512;

// The stack that a thread must have to work on documents. A level of nesting takes up to 850 bytes
// of it (decoding protobuf) in an optimised build.
inline constexpr size_t kMinStackBytes = 1024 * 1024;
// What threads get: address space, of which only the touched pages cost memory. Sanitizers need
// several times the stack of an optimised build.
inline constexpr size_t kThreadStackBytes = 8 * kMinStackBytes;

// Values and keys of one YAML document, which scanning makes dear: about as many as the largest
// object that can be stored has, and several times those of a large CustomResourceDefinition. What
// aliases stand for may come to as many again.
inline constexpr size_t kMaxYamlNodes = 150'000;
// What the aliases of one YAML stream may expand to in all.
inline constexpr size_t kMaxYamlExpandedBytes = 3 * 1024 * 1024;
// Anchors of one YAML document.
inline constexpr size_t kMaxYamlAnchors = 10'000;
// %TAG directives of one YAML document, each of which libyaml compares with every other and with
// every tag. Nobody uses them.
inline constexpr size_t kMaxYamlTagDirectives = 16;
// The depth of [] and {}, summed over all values of a YAML text: libyaml looks at each of them for
// each value. Ordinary JSON needs about one per byte.
inline constexpr size_t kMaxYamlFlowWork = 5'000'000;

// One line of a log; what is longer is cut.
inline constexpr size_t kMaxLogLineBytes = 8 * 1024;

// skiff up: flags that are passed on to the server; the log file of a detached one, beyond which
// the next start begins another.
inline constexpr size_t kMaxPassedFlags = 500;
inline constexpr long kMaxUpLogBytes = 16 * 1024 * 1024;

// The answer of a server that a command asks how it is.
inline constexpr size_t kMaxProbeResponseBytes = 64 * 1024;

// Keys, certificates and kubeconfigs, each read whole.
inline constexpr size_t kMaxSmallFileBytes = 1024 * 1024;

// Combinations of label values that one metric tells apart.
inline constexpr size_t kMaxMetricCells = 10'000;

// Unknown and duplicate fields that one decoding reports; the rest is counted, not listed.
inline constexpr size_t kMaxFieldIssues = 100;

// What one error says, however long the lists and texts are that it is about: bytes of the message;
// causes, and their bytes together; bytes of what one cause says, of the path of its field, and of
// a value that it shows. What goes beyond is cut, and the message says so.
inline constexpr size_t kMaxStatusMessageBytes = 64 * 1024;
inline constexpr size_t kMaxStatusCauses = 100;
inline constexpr size_t kMaxStatusCauseBytes = 128 * 1024;
inline constexpr size_t kMaxCauseMessageBytes = 16 * 1024;
inline constexpr size_t kMaxCauseFieldBytes = 1024;
inline constexpr size_t kMaxCauseValueBytes = 4 * 1024;

// Members and entries that merging duplicate fields of one JSON text may visit in all.
inline constexpr size_t kMaxDuplicateMergeSteps = 1'000'000;

// JSON patch: operations in one patch, bytes that its copy operations may add, and bytes of values
// that its insertions and removals may shift in lists and maps.
inline constexpr size_t kMaxJsonPatchOperations = 10'000;
inline constexpr size_t kMaxJsonPatchCopyBytes = 3 * 1024 * 1024;
inline constexpr size_t kMaxJsonPatchShiftedBytes = 1024 * 1024 * 1024;

// The text of one quantity, and the digits before its decimal point. Kubernetes bounds neither and
// spends time and memory without end on 1e1000000000.
inline constexpr size_t kMaxQuantityBytes = 1024;
inline constexpr size_t kMaxQuantityDigits = 1024;

// Label and field selectors: bytes of the text, and requirements in it.
inline constexpr size_t kMaxSelectorBytes = 256 * 1024;
inline constexpr size_t kMaxSelectorRequirements = 1000;

// Differences that one comparison of documents lists, and bytes of each value that it shows.
inline constexpr size_t kMaxDifferences = 100;
inline constexpr size_t kMaxShownValueBytes = 120;

// Steps of one field path.
inline constexpr size_t kMaxFieldPathSteps = 64;

// The store: the keys and values of one transaction (what etcd takes by default, so that a cluster
// can move there), and one key of it, which etcd bounds by nothing else.
inline constexpr size_t kMaxStoreTransactionBytes = 1536 * 1024;
inline constexpr size_t kMaxStoreKeyBytes = kMaxStoreTransactionBytes;
inline constexpr size_t kMaxStoreTransactionWrites = 128;
// Transactions that wait for the disk, and the bytes of their values; more are turned away.
inline constexpr size_t kMaxStoreQueuedTransactions = 65'536;
inline constexpr size_t kMaxStoreQueuedBytes = 256 * 1024 * 1024;
// Requests about leases and compaction that wait for the disk.
inline constexpr size_t kMaxStoreQueuedTasks = 65'536;
// What the embedded store commits with one sync: transactions, and bytes of keys and values. The
// first of them waits for the last.
inline constexpr size_t kMaxStoreBatchTransactions = 1024;
inline constexpr size_t kMaxStoreBatchBytes = 4 * 1024 * 1024;
// Transactions that are prepared before the disk is offered them: few, so that a long queue does
// not keep it waiting, but not so few that each sync carries little.
inline constexpr size_t kStorePreparedAtOnce = 64;
// Places for rows of keys that the committer remembers, of 44 bytes each. With a million keys half
// of them are free, so that few rows push each other out.
inline constexpr size_t kMaxStoreCachedRows = 2 * 1024 * 1024;
// Keys after which no further lease is ended in the same batch.
inline constexpr size_t kMaxStoreExpiredKeys = 1024;
// The longest lease, as in etcd.
inline constexpr int64_t kMaxLeaseSeconds = 9'000'000'000;
// What scans and watches that catch up read at a time: entries, and bytes (the last entry may go
// beyond).
inline constexpr size_t kMaxStorePieceEntries = 1024;
inline constexpr size_t kStorePieceBytes = 1024 * 1024;
// Of a long scan, those that have been read and not been taken.
inline constexpr size_t kMaxStorePiecesAhead = 4;

// Different times to live whose objects share leases at a time.
inline constexpr size_t kMaxSharedLeases = 256;

// etcd: endpoints; bytes of one certificate file; one message to etcd, which takes 1.5 MiB and some
// more for what surrounds it; requests under way, more are turned away; entries and bytes that are
// asked for at once (an answer is held whole before it is passed on).
inline constexpr size_t kMaxEtcdEndpoints = 5;
inline constexpr size_t kMaxEtcdCertificateBytes = 1024 * 1024;
inline constexpr size_t kMaxEtcdSentBytes = 2 * 1024 * 1024;
inline constexpr size_t kMaxEtcdRequests = 10'000;
inline constexpr int64_t kEtcdFirstPageEntries = 500;
inline constexpr int64_t kMaxEtcdPageEntries = 50'000;
inline constexpr size_t kEtcdPageBytes = 16 * 1024 * 1024;
// Revisions that a watch remembers to tell a repeated event from a late one.
inline constexpr size_t kEtcdRememberedRevisions = 256;

// skiff etcd. Transactions that look at the state, which wait to be judged; what a stream of
// watches holds for a client that does not read, beyond which its watches wait in the log; watches
// and unanswered requests of one stream; the head and body of a snapshot's answer; sizes of what a
// request may be configured to have.
inline constexpr size_t kMaxStoreQueuedEvaluations = 65'536;
inline constexpr size_t kMaxEtcdServerQueuedBytes = 4 * 1024 * 1024;
inline constexpr size_t kMaxEtcdServerWatches = 1'000'000;
inline constexpr size_t kMaxEtcdServerKeepAlives = 10'000;
inline constexpr size_t kEtcdServerSnapshotBytes = 32 * 1024;
inline constexpr size_t kMaxEtcdServerRequestBytes = 256 * 1024 * 1024;
inline constexpr size_t kMaxEtcdServerJobs = 1024;
inline constexpr int kMaxEtcdServerNesting = 64;
// Damaged keys and files of the embedded store that are told apart.
inline constexpr size_t kMaxNotedDamage = 1000;

// The engine under the embedded store: writes of a family that are held in memory before they
// become a file; files of the write-ahead log; blocks kept in memory; files held open.
inline constexpr size_t kStoreWriteBufferBytes = 4 * 1024 * 1024;
inline constexpr size_t kMaxStoreWalBytes = 16 * 1024 * 1024;
inline constexpr size_t kStoreBlockCacheBytes = 4 * 1024 * 1024;
inline constexpr int kMaxStoreOpenFiles = 512;
// Descriptors that connections leave to the store and to whatever else opens files: a quarter of
// what the process may have, within these, but no fewer than the store's fewest and the first.
inline constexpr size_t kMinDescriptorReserve = 16;
inline constexpr size_t kMaxDescriptorReserve = kMaxStoreOpenFiles + 64;
// The least that --memory-limit may be, and how often the process looks how much it has.
inline constexpr uint64_t kMinMemoryLimitBytes = 32 * 1024 * 1024;
inline constexpr std::chrono::milliseconds kMemoryLookInterval{20};
// What is kept free of the disk is counted in units of an eighth of it, within these bounds
// (room.h); how much is written before the disk is asked again; what a transaction may add while
// there is little room, and very little, when what it writes is bounded as well: leases and
// heartbeats must go on.
inline constexpr uint64_t kMinStoreSpaceUnit = 16 * 1024 * 1024;
inline constexpr uint64_t kMaxStoreSpaceUnit = 64 * 1024 * 1024;
inline constexpr uint64_t kStoreFreeCheckBytes = 1024 * 1024;
inline constexpr int64_t kStoreSmallGrowthBytes = 4096;
inline constexpr int64_t kStoreTinyGrowthBytes = 512;
inline constexpr int64_t kStoreTinyWriteBytes = 64 * 1024;
// When to try again what was refused for lack of room.
inline constexpr int kStoreSpaceRetrySeconds = 5;
// Bytes of deleted records whose room is given back at once while there is little, and without
// that need, unless they are less than half of what the store has on disk.
inline constexpr uint64_t kStoreReclaimBytes = 8 * 1024 * 1024;
inline constexpr uint64_t kStoreReclaimUnasked = 64 * 1024 * 1024;
// A disk that has not answered a write for so long is taken for stuck.
inline constexpr std::chrono::seconds kStoreStuckAfter{5};
// The watch cache: field values kept with one object. Event, which has most, has a dozen.
inline constexpr size_t kMaxCachedFields = 32;
// A continue token: the longest key, each byte escaped as JSON and then in base64, and the rest.
inline constexpr size_t kMaxContinueTokenBytes = 40 * 1024;
// Past events of a resource, for watches that begin or catch up there: as Kubernetes keeps them,
// and the storage bytes that they hold.
inline constexpr size_t kMinRingEvents = 100;
inline constexpr size_t kMaxRingEvents = 100 * 1024;
inline constexpr size_t kMaxRingBytes = 128 * 1024 * 1024;
inline constexpr std::chrono::seconds kEventRingAge{75};
// Events that wait for the consumer of one watch; beyond them it catches up from the ring.
inline constexpr size_t kMaxWatcherEvents = 128;
// What one step of catching up, or of sending the initial state, looks at.
inline constexpr size_t kCatchUpEvents = 512;
// Watches of one resource.
inline constexpr size_t kMaxWatchers = 100'000;
// Objects that cannot be read, of which the answer to one list tells.
inline constexpr size_t kMaxUnreadableReported = 100;
// States of a resource that are kept for the next pages of lists, the bytes of objects that have
// been replaced since the oldest of them, and for how long it is kept.
inline constexpr size_t kMaxKeptSnapshots = 64;
inline constexpr size_t kMaxKeptSnapshotBytes = 128 * 1024 * 1024;
inline constexpr std::chrono::seconds kKeptSnapshotAge{300};
// Labels and fields of a resource by which entries are found for selectors, how long one is kept
// that no list uses, and the entries that are put into their order in one turn and between ticks.
inline constexpr size_t kMaxSelectorFacets = 16;
inline constexpr std::chrono::minutes kSelectorFacetAge{30};
inline constexpr size_t kFacetEntriesAtOnce = 512;
inline constexpr size_t kFacetEntriesPerTick = 64 * 1024;
// Selections whose narrowed entries are kept with a state, for the next pages.
inline constexpr size_t kMaxKeptNarrowings = 8;
// Reads that wait until a resource's cache is fresh enough, and how long they do; how often the
// store is asked for progress meanwhile.
inline constexpr size_t kMaxFreshnessWaiters = 10'000;
inline constexpr std::chrono::seconds kFreshnessWait{3};
inline constexpr std::chrono::milliseconds kProgressInterval{100};
// Bookmarks: how often a watch gets one, and how long before its deadline the last.
inline constexpr std::chrono::seconds kBookmarkInterval{60};
inline constexpr std::chrono::seconds kBookmarkMargin{2};
// The back-off of a cache that could not be filled.
inline constexpr std::chrono::seconds kCacheRetryInterval{1};
// Entries that a list reads from the store at once when the cache has not got them.
inline constexpr int64_t kListPageFromStore = 10'000;

// HTTP: the head of a request (as Go bounds it; a request line and fields), fields in it, and the
// body.
inline constexpr size_t kMaxHttpHeaderBytes = 1024 * 1024;
inline constexpr size_t kMaxHttpHeaderFields = 1000;
inline constexpr size_t kMaxHttpRequestLineBytes = 256 * 1024;
inline constexpr size_t kMaxHttpBodyBytes = kMaxDocumentBytes;
// What requests and answers on their way hold in memory, of a server (unless it has less memory)
// and of one connection. Of the former one part in so many is for heads, whose senders are not
// known yet; one connection has so many of the largest size, and is let through with so little even
// when others have used that part up.
inline constexpr size_t kMaxHttpMemoryBytes = 512 * 1024 * 1024;
inline constexpr size_t kMaxHttpConnectionMemoryBytes = 64 * 1024 * 1024;
inline constexpr size_t kHttpHeadShare = 8;
inline constexpr size_t kHttpHeadsOfConnection = 4;
inline constexpr size_t kSmallHttpHeadBytes = 64 * 1024;
// What a connection that is idle takes, by TLS, for the number of them that fits into little
// memory.
inline constexpr size_t kHttpIdleConnectionBytes = 32 * 1024;
// A line with the size of a chunk and extensions that nobody uses; the trailer after the last one.
inline constexpr size_t kMaxHttpChunkLineBytes = 256;
inline constexpr size_t kMaxHttpTrailerBytes = 8 * 1024;
// Lines and ends of chunks may have as many bytes as the chunks themselves, and these besides: tiny
// chunks cost the server more than the client.
inline constexpr size_t kHttpChunkOverheadAllowance = 16 * 1024;
// HTTP/2, as kube-apiserver sets them: streams of a connection at a time, what a stream may send
// ahead, and the largest frame.
inline constexpr uint32_t kHttp2MaxStreams = 100;
inline constexpr uint32_t kHttp2StreamWindowBytes = 256 * 1024;
inline constexpr uint32_t kHttp2MaxFrameBytes = 256 * 1024;
inline constexpr size_t kHttp2MaxContinuations = 16;
// Resets and control frames (PING, SETTINGS, PRIORITY, empty DATA) of a client: so many at once,
// and so many a second in the long run.
inline constexpr uint32_t kHttp2ResetBurst = 1000;
inline constexpr uint32_t kHttp2ResetsPerSecond = 33;
inline constexpr uint32_t kHttp2ControlBurst = 2000;
inline constexpr uint32_t kHttp2ControlPerSecond = 200;
// Frames that wait to be sent in answer to those of the client.
inline constexpr size_t kHttp2MaxOutboundAcks = 1000;
// Connections of a server, if the process may have so many descriptors, and those that wait to be
// accepted.
inline constexpr size_t kMaxHttpConnections = 50'000;
inline constexpr int kHttpAcceptBacklog = 4096;
// How long a loop that was given a new connection may take to look at it, before the one that
// accepted it keeps it.
inline constexpr std::chrono::milliseconds kHttpHandOverTime{10};
// What is read from a socket at once, what is made for it at once, and how often that is repeated
// before other connections have their turn. Encrypted bytes that wait for a client come to one such
// piece, and what TLS itself says meanwhile.
inline constexpr size_t kHttpReadBytes = 64 * 1024;
inline constexpr size_t kHttpWriteBytes = 64 * 1024;
inline constexpr int kHttpPiecesPerTurn = 4;
inline constexpr size_t kMaxHttpPendingBytes = 256 * 1024;
// Times: as kube-apiserver and Go set them, where they set any. A body must come within the time
// that a request may take; a client must take something of what it asked for within the last.
inline constexpr std::chrono::seconds kTlsHandshakeTimeout{10};
inline constexpr std::chrono::seconds kHttpHeaderTimeout{32};
inline constexpr std::chrono::seconds kHttpBodyTimeout{60};
inline constexpr std::chrono::seconds kHttpIdleTimeout{90};
inline constexpr std::chrono::seconds kHttpWriteTimeout{60};
// An answer that is at hand must be taken at this rate at the least, in that time besides.
inline constexpr size_t kHttpAnswerBytesPerSecond = 4096;
inline constexpr std::chrono::seconds kTcpKeepAlive{180};
// How long a connection is read after the last answer, so that the client gets to see that one.
inline constexpr std::chrono::milliseconds kHttpLinger{500};
// Event loops. What each part of a turn (events, posted tasks, timers, the end of the turn) may
// take before the rest of it waits for the next turn, and what a piece of long work may take in one
// go; entries of a cache that such work looks at before it looks at the clock. A loop whose turn
// takes longer than the third gets no new connections if another can have them, and one whose turn
// takes longer than the fourth is reported as stuck; how often that is looked for.
inline constexpr std::chrono::milliseconds kLoopPhaseTime{5};
inline constexpr std::chrono::milliseconds kWorkAtOnce{3};
inline constexpr size_t kEntriesPerClockCheck = 64;
inline constexpr std::chrono::milliseconds kLateLoop{100};
inline constexpr std::chrono::milliseconds kStuckLoop{1000};
inline constexpr std::chrono::milliseconds kStuckLoopCheckInterval{200};
// What a server that was asked to end may take beyond the time that it gives to what is under way:
// for its control loops and for closing the store. Then the process ends whatever goes on.
inline constexpr std::chrono::seconds kShutdownMargin{20};
// TLS: one file of certificates or a key; certificates for names; how often files are looked at.
inline constexpr size_t kMaxTlsFileBytes = 4 * 1024 * 1024;
inline constexpr size_t kMaxSniCertificates = 1000;
inline constexpr std::chrono::seconds kTlsFileCheckInterval{10};
// Encoded answers that each thread keeps for the next who asks for the same, and the largest of
// them.
inline constexpr size_t kResponseCacheEntries = 32;
inline constexpr size_t kMaxCachedResponseBytes = 64 * 1024;
// A client of an HTTP server: connections to it, addresses that are tried, requests that wait for a
// connection with room; what a server may send ahead on a stream and on a connection.
inline constexpr size_t kClientConnections = 4;
// Over HTTP/1.1 each request that is under way, and so each watch, has a connection of its own;
// those that wait to be used again are fewer.
inline constexpr size_t kClientHttp1Connections = 1024;
inline constexpr size_t kClientHttp1Idle = 25;
inline constexpr size_t kMaxClientAddresses = 16;
inline constexpr size_t kMaxClientWaiting = 100'000;
inline constexpr int32_t kClientStreamWindowBytes = 4 * 1024 * 1024;
inline constexpr int32_t kClientConnectionWindowBytes = 16 * 1024 * 1024;
inline constexpr std::chrono::seconds kClientConnectTimeout{10};
inline constexpr std::chrono::seconds kClientRequestTimeout{60};
// A server that is silent for so long while answers are awaited is asked whether it is there, and
// is taken for lost after that long again. A connection that is not used is closed.
inline constexpr std::chrono::seconds kClientPingAfter{15};
inline constexpr std::chrono::seconds kClientIdleTimeout{60};
// WebSocket: one message of a client, its fragments joined, and answers to its pings that wait.
inline constexpr size_t kMaxWebSocketMessageBytes = kMaxDocumentBytes;
inline constexpr size_t kMaxWebSocketControlBytes = 64 * 1024;

// Backups of the store: one frame, several times what a store takes by default, as an etcd may be
// set to take more.
inline constexpr size_t kMaxBackupFrameBytes = 16 * 1024 * 1024;
// Keys that a comparison after a copy names; the rest is counted. Kinds of keys that skiff store
// inspect tells apart; the rest is one line.
inline constexpr size_t kMaxShownCopyFaults = 10;
inline constexpr size_t kMaxInspectedKinds = 10'000;

// skiff convert: one input; one document of it (by default, and at most, as values count bytes in
// 32 bits); lines of diagnostics; output held in memory before it moves to a temporary file; Lists
// in Lists, each level of which is checked anew.
inline constexpr size_t kMaxConvertInputBytes = size_t{8} * 1024 * 1024 * 1024;
inline constexpr size_t kConvertDocumentBytes = 256 * 1024 * 1024;
inline constexpr size_t kMaxConvertDocumentBytes = 1024 * 1024 * 1024;
inline constexpr size_t kMaxConvertDiagnostics = 100;
inline constexpr size_t kMaxConvertBufferedBytes = 64 * 1024 * 1024;
inline constexpr int kMaxNestedLists = 8;

// The API server: parameters of one query, and parts of one path.
inline constexpr size_t kMaxQueryParameters = 1000;
inline constexpr size_t kMaxPathParts = 64;
// From here on answers are compressed for clients that can take it, as Kubernetes does.
inline constexpr size_t kMinGzipBytes = 128 * 1024;
// Texts of the Warning headers of one answer, together.
inline constexpr size_t kMaxWarningBytes = 4096;
// Keys and values of an object's annotations, together.
inline constexpr size_t kMaxAnnotationBytes = 256 * 1024;
// How often a write is tried that others get ahead of.
inline constexpr int kMaxWriteTries = 100;
// Applies that are known to change nothing, of 40 bytes each.
inline constexpr size_t kNoopApplyCacheEntries = 4096;
// Names that are generated for one object, when others have them already.
inline constexpr int kMaxGenerateNameTries = 8;
// How long a create waits before it looks again for what admission lacked, and how often it looks
// for the service account that a controller makes in each new namespace.
inline constexpr std::chrono::milliseconds kAdmissionLookInterval{150};
inline constexpr int kDefaultServiceAccountRetries = 10;
// Amounts that a LimitRange may give the containers of one pod: more do not fit into an object.
inline constexpr size_t kMaxDefaultedAmounts = 150'000;
// --admission-control-config-file, and each file that it names.
inline constexpr size_t kMaxAdmissionConfigBytes = size_t{1} << 20;
// Objects of one resource whose meaning an admission plugin remembers.
inline constexpr size_t kMaxRememberedObjects = 4096;
// The plugin EventRateLimit: buckets of one limit, unless it says so itself, and at most.
inline constexpr size_t kDefaultEventRateBuckets = 4096;
inline constexpr size_t kMaxEventRateBuckets = size_t{1} << 20;
// Accept headers: media ranges, and parameters of one. Real clients send up to six and four.
inline constexpr size_t kMaxAcceptRanges = 32;
inline constexpr size_t kMaxAcceptParameters = 16;

// --runtime-config: entries that name a version or a resource.
inline constexpr size_t kMaxRuntimeConfigEntries = 1'000;
// Authentication: one bearer token; a file of tokens or of keys; keys of one file; tokens whose
// users are remembered, and for how long, as Kubernetes does.
inline constexpr size_t kMaxTokenBytes = 64 * 1024;
inline constexpr size_t kMaxTokenFileBytes = 16 * 1024 * 1024;
inline constexpr size_t kMaxKeyFileBytes = 1024 * 1024;
inline constexpr size_t kMaxKeysPerFile = 100;
inline constexpr size_t kMaxCachedTokens = 16'384;
inline constexpr std::chrono::seconds kTokenCacheAge{10};

// RBAC: pieces (one verb of one object of one resource) that the rules of one role may come to
// where they are compared with those of its author.
inline constexpr size_t kMaxRulePieces = 100'000;

// Profiles of the process itself: how long one may take; frames of a stack; samples that wait for
// the thread that counts them; different stacks of one profile; threads that are looked at; the
// largest program or library whose symbols are read.
inline constexpr std::chrono::seconds kMaxProfileTime{3600};
inline constexpr size_t kMaxProfileFrames = 128;
inline constexpr size_t kMaxWaitingSamples = 1024;
inline constexpr size_t kMaxProfileStacks = 100'000;
inline constexpr size_t kMaxProfiledThreads = 4096;
inline constexpr size_t kMaxSymbolFileBytes = size_t{2} * 1024 * 1024 * 1024;

// /logs: entries of one directory, and bytes of a file that are read at once.
inline constexpr size_t kMaxLogEntries = 10'000;
inline constexpr size_t kLogPieceBytes = 64 * 1024;

// PodSecurity: pods of a namespace that are looked at when it gets a stricter level, and how long
// that may take. As Kubernetes has them.
inline constexpr size_t kMaxPodsToCheck = 3000;
inline constexpr std::chrono::seconds kMaxPodCheckTime{1};

// FlowSchemas that requests are compared with.
inline constexpr size_t kMaxFlowSchemas = 10'000;

// Events that wait to be written, beyond which new ones are dropped; objects, kinds of events and
// events whose past a recorder remembers, as Kubernetes does.
inline constexpr size_t kMaxQueuedEvents = 1'000;
inline constexpr size_t kMaxRememberedEvents = 4'096;

// Components that let an API server decide who may ask them: answers that are remembered.
inline constexpr size_t kMaxCachedReviews = 4'096;

// The Origin header of a browser, which regular expressions are tried on.
inline constexpr size_t kMaxOriginBytes = 4096;

// Clients: objects of one page of a list that informers ask for; informers of one set; keys that a
// queue of work begins before it lets others of its executor go on.
inline constexpr int64_t kInformerPageSize = 500;
inline constexpr size_t kMaxInformers = 10'000;
inline constexpr size_t kMaxKeysPerTurn = 64;
// Calls of one client within the server's process that are not answered yet; its watches.
inline constexpr size_t kMaxInProcessCalls = 10'000;
inline constexpr size_t kMaxInProcessWatches = 10'000;
// Control loops: calls that one step makes at a time for many objects; how often a change is tried
// that others get ahead of; objects of one page of a namespace's contents; what a condition says;
// owners that are remembered not to exist.
inline constexpr size_t kControllerConcurrency = 16;
inline constexpr int kMaxConflictTries = 10;
inline constexpr int64_t kNamespacePageItems = 500;
inline constexpr size_t kMaxConditionMessageBytes = 32 * 1024;
inline constexpr size_t kAbsentOwnerCacheEntries = 500;

// Clients over HTTPS: kubeconfigs of a list; a file with a kubeconfig, a token or certificates; how
// often such files are looked at, as other clients of Kubernetes do.
inline constexpr size_t kMaxKubeconfigs = 64;
inline constexpr size_t kMaxCredentialFileBytes = 4 * 1024 * 1024;
inline constexpr std::chrono::seconds kCredentialCheckInterval{60};
// One answer that is no watch, such as a page of a list, inflated if it was compressed, of which
// so much is inflated at a time; one event of a watch; a document of discovery, and what is asked
// for one by one where there is no such document.
inline constexpr size_t kMaxApiResponseBytes = 256 * 1024 * 1024;
inline constexpr size_t kInflateBytes = 64 * 1024;
inline constexpr size_t kMaxApiEventBytes = 64 * 1024 * 1024;
inline constexpr size_t kMaxDiscoveredVersions = 10'000;
inline constexpr std::chrono::seconds kDiscoveryKept{10};
// Calls of one client that wait for their turn under its rate limit, or for a token.
inline constexpr size_t kMaxThrottledCalls = 10'000;
// How often a call is tried again, and how long after its start; the back-off after a connection
// that failed doubles from one bound to the other.
inline constexpr int kApiRetries = 10;
inline constexpr std::chrono::seconds kApiRetryTime{30};
inline constexpr std::chrono::milliseconds kApiRetryFirst{100};
inline constexpr std::chrono::seconds kApiRetryLongest{5};
// Tokens of service accounts that a client asks for, and how long they live at the least, whatever
// the clocks say; tries to get one.
inline constexpr std::chrono::seconds kRequestedTokenLife{3600};
inline constexpr std::chrono::minutes kShortestTokenLife{10};
inline constexpr int kTokenTries = 4;
inline constexpr std::chrono::milliseconds kTokenRetryFirst{500};
// The least time between two looks for the addresses of a server that cannot be reached.
inline constexpr std::chrono::seconds kResolveInterval{5};
// Watches are ended by the server after a time between the first and twice that.
inline constexpr std::chrono::seconds kWatchTime{300};

}  // namespace skiff::limits
