public import RxJSON
public import RxStreams

/// Emits events of files below a directory: `{"path","event","from","directory"}` with an absolute `path`. `from` is
/// the former path if `event` is `moved`, and otherwise null.
///
/// The source waits: it emits a batch of at most 256 files, and the next one after `settled`. Changes in between are
/// merged per file, so that each kind of event is emitted once, with the last path. No file that still exists is
/// missed; repeated writes to it may be. With an index on disk, what changed while the source was stopped or the
/// process was dead is emitted at the next start, and what was emitted but not settled is emitted again. The only
/// position is that there is an index on disk, which the source reports once it is there: if it is missing at a start
/// after that position, this is an error.
///
/// While the root is missing, nothing is emitted. Once it is back, the differences are.
public final class PathSource: StreamSource {
    private let options: PathOptions
    private let indexPath: String?
    private let definition: String?
    private let watcher: FileWatcher
    private let run = SourceRun<PathRun>()

    /// Creates a source that is not started.
    ///
    /// - Parameters:
    ///   - options: what it watches and emits.
    ///   - indexPath: the file of its index, in an existing directory; the source creates it, and no other source may
    ///     use it. An index of another root or definition is replaced. Nil for no persistence.
    ///   - definition: a text of what the source is made from; nil if an index of any definition will do.
    ///   - watcher: the process's.
    public init(_ options: PathOptions, indexPath: String?, definition: String? = nil, watcher: FileWatcher) {
        self.options = options
        self.indexPath = indexPath
        self.definition = definition
        self.watcher = watcher
    }

    public func start(after position: RawJSON?, into receiver: any SourceReceiver) {
        let started = PathRun(gate: ReceiverGate(receiver))
        run.set(started)
        watcher.execute { [watcher, options, indexPath, definition] in
            let storage = indexPath.map { SystemIndexStorage(path: $0) }
            started.start(options, storage, definition, hasIndex: position != nil, watcher.hub)
        }
    }

    /// Removes the index of a source that is not going to be used again, and has been stopped.
    ///
    /// - Parameter watcher: the watcher of the source, which may still be writing; nil if the process has had none.
    public static func removeIndex(at path: String, of watcher: FileWatcher?) {
        let remove: @Sendable () -> Void = { SystemIndexStorage(path: path).remove() }
        if let watcher { watcher.execute(remove) } else { remove() }
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
/// A path source between `start` and `stop`.
private final class PathRun: @unchecked Sendable {
    let gate: ReceiverGate
    private(set) var engine: PathEngine?

    init(gate: ReceiverGate) { self.gate = gate }

    func start(
        _ options: PathOptions, _ storage: SystemIndexStorage?, _ definition: String?, hasIndex: Bool, _ hub: WatchHub
    ) {
        let engine = PathEngine(
            options, hub: hub, storage: storage, definition: definition, hasIndex: hasIndex, output: GateOutput(gate)
        ) { [gate] in gate.call { $0.report(origin: .true) } }
        self.engine = engine
        hub.add(engine.user)
    }

    func stop(_ watcher: FileWatcher) {
        guard let engine else { return }
        engine.finish()
        watcher.remove(engine.user)
        self.engine = nil
    }
}
