internal import Rx
public import RxJSON
public import RxStreams

/// Emits the lines of a growing file, across rotation and truncation: `{"line","path"}`, without the end of line.
///
/// - A last line waits for its end. If its file is rotated meanwhile, it is emitted once the file has been read.
/// - A line longer than 1 MiB is cut there; its element has the number of missing bytes, too: `{"line","path","cut"}`.
/// - What is not UTF-8 is replaced by U+FFFD.
/// - A renamed file is read to its end first, then the new one from its beginning. A renamed file that its writer goes
///   on writing to is followed until the new one has content, or for 5 s.
/// - A file that is shorter than what was read of it, or that begins with something else, is read from its beginning.
///   Lines that were truncated away before they were read are lost. A file that was truncated and that has the same
///   first 256 bytes again and at least its former length, when it is looked at, counts as the same.
/// - While the log is missing, the rotated files that follow the one that was read are read, in the order of the times
///   of their last writes.
/// - A first start emits new lines only, with the last line if it has no end yet. A later start goes on behind the last
///   settled line, or where the first start began, in the rotated file if that is still there (`log.1`,
///   `log-20260101`) and in those that followed, and otherwise from the beginning of the file.
/// - A symbolic link is looked at every 5 seconds. Rotated files are looked for beside the link only.
///
/// The source waits: it emits a batch of at most 512 lines and about 256 KiB, and the next one after `settled`.
public final class LineSource: StreamSource {
    private let path: String
    private let watcher: FileWatcher
    private let keepsPosition: Bool
    private let run = SourceRun<LineRun>()
    private let first = Locked<RawJSON?>(nil)

    /// Creates a source that is not started.
    ///
    /// - Parameters:
    ///   - path: an absolute path. It may be a symbolic link.
    ///   - watcher: the process's.
    ///   - keepsPosition: whether positions are stored, so that a first start needs an `origin`: it reads the end of
    ///     the log, unless that is on another machine.
    public init(path: String, watcher: FileWatcher, keepsPosition: Bool = false) {
        self.path = path
        self.watcher = watcher
        self.keepsPosition = keepsPosition
    }

    public var origin: RawJSON? { first.withLock { $0 } }

    public func start(after position: RawJSON?, into receiver: any SourceReceiver) {
        var origin: RawJSON?
        if keepsPosition, position == nil { origin = LineOrigin.position(of: RawPath(path), mounts: MountTable()) }
        first.withLock { [origin] in $0 = origin }
        let started = LineRun(gate: ReceiverGate(receiver))
        run.set(started)
        watcher.execute { [watcher, path, origin] in started.start(path, position ?? origin, watcher.hub) }
    }

    public func settled(through position: RawJSON?) {
        guard let run = run.get() else { return }
        watcher.execute { run.engine?.settled() }
    }

    /// Does not wait for the watcher's thread, which may be waiting for a disk.
    public func stop() {
        guard let run = run.take() else { return }
        run.gate.close()
        watcher.execute { [watcher] in run.stop(watcher) }
    }
}

// Sendable: everything but the gate belongs to the watcher's thread.
/// A line source between `start` and `stop`.
private final class LineRun: @unchecked Sendable {
    let gate: ReceiverGate
    private(set) var engine: LineEngine?

    init(gate: ReceiverGate) { self.gate = gate }

    func start(_ path: String, _ position: RawJSON?, _ hub: WatchHub) {
        let engine = LineEngine(path, after: position, hub: hub, output: GateOutput(gate))
        self.engine = engine
        hub.add(engine)
    }

    func stop(_ watcher: FileWatcher) {
        if let engine { watcher.remove(engine) }
        engine = nil
    }
}
