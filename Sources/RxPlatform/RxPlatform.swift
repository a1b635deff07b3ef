/// RxPlatform: the outside world of a daemon, as one value that `main` makes and passes down.
///
/// A `Platform` has the clocks, entropy, queues and timers, the disk, and the signals. `Platform.system` is the real
/// one. A test, or a simulation of the whole daemon in one thread, puts its own parts in its place.
///
/// Rules:
/// * Code of the daemon uses the outside world only through the platform that it was given. `.ci/outside` lists the
///   files that may use it directly and rejects any other.
/// * The parts are structs with closures, or a class for queues: no existential types. `WallClock.system` costs no
///   indirect call, since each execution reads it.
/// * A loop (RxLoop), programs (RxProcess), the jq worker (RxJq), and sockets (UnixSocket) have seams of their own in
///   the modules that know their types.
///
/// Reading order: Platform, WallClock, MonotonicClock, Entropy; Queues, WorkQueue, QueueTimer, DispatchWorkQueue; Disk,
/// FileLock, Signals; SystemErrorName, the texts of error numbers. LazyDescriptors is for the start of a daemon.
