internal import RxStreams
internal import RxTime

/// A path source without a thread: turns events of a hub into batches of elements.
final class PathEngine: WatchUser {
    private let options: PathOptions
    private let hub: WatchHub
    private let output: any FileOutput
    private let watches: DirectoryWatches
    private let index: PathIndex
    private let reconciler: PathReconciler
    private let moves: PathMoves
    private let scanner: PathScanner
    private let wait: DirectoryWait
    private let root: RawPath

    private var problems = PathProblems()
    private var reported: String?
    private var isOpen = false
    private var mustLook = true
    /// Until the first scan has ended.
    private var isFirstScan = false
    private var retryAt: Duration?
    /// Events came since the last turn.
    private var hasEvents = false
    private var postponed = 0

    /// Turns without a batch while events keep coming that may complete a move.
    private static let mostPostponed = 100

    private var kernel: any FileKernel { hub.kernel }

    /// - Parameter storage: the index on disk; nil for one in memory, which a restart forgets.
    init(_ options: PathOptions, hub: WatchHub, storage: (any IndexStorage)?, output: any FileOutput) {
        self.options = options
        self.hub = hub
        self.output = output
        root = RawPath(options.root)
        let kernel = hub.kernel
        // Objects that need this one, which is not complete yet.
        let link = EngineLink()
        watches = DirectoryWatches(hub: hub, user: link)
        index = PathIndex(options: options, root: root, log: IndexLog(storage), watches: watches) { kernel.time }
        reconciler = PathReconciler(index: index, kernel: kernel, recursive: options.recursive) { [unowned link] in
            link.engine?.scanner.add($0, deep: $1)
        }
        moves = PathMoves(index: index, reconciler: reconciler, kernel: kernel) { [unowned link] in
            link.engine?.scanner.add($0, deep: $1)
        }
        scanner = PathScanner(
            index: index, kernel: kernel, watches: watches, recursive: options.recursive, reconciler: reconciler
        ) { [unowned link] in link.engine?.note($0) }
        wait = DirectoryWait(root, hub: hub, user: link)
        self.link = link
        link.engine = self
        load()
    }

    private let link: EngineLink

    /// The user that the hub knows.
    var user: any WatchUser { link }

    /// Entries of the index, and the bytes of memory that they occupy.
    var size: (entries: Int, memory: Int) { (index.tree.count, index.tree.memory) }

    private func load() {
        let contents = index.log.load(root: root, into: index.tree)
        if let contents {
            index.removeLoaded()
            isFirstScan = !contents.isComplete
            reconciler.baseline = contents.isComplete ? nil : contents.firstStart
        } else {
            let start = kernel.time.microseconds &* 1000
            isFirstScan = !options.existing
            reconciler.baseline = options.existing ? nil : start
            index.log.begin(root: root, firstStart: start, isComplete: options.existing)
        }
    }

    /// The receiver has taken the batch.
    func settled() {
        index.settle()
        index.log.flush()
    }

    /// Writes what is settled. The engine is not used afterwards.
    func finish() { index.log.flush() }

    // MARK: Events

    func handle(_ event: WatchEvent) {
        hasEvents = true
        if wait.owns(event.watch) {
            mustLook = true
            if event.events.contains(.ignored) { wait.forget(event.watch) }
            // Paths do not lead to the index any more.
            if isOpen, !event.events.isDisjoint(with: .gone) { close() }
        }
        guard let directory = watches.directory(of: event.watch) else { return }
        if !event.events.isDisjoint(with: .gone) {
            if event.events.contains(.ignored) { watches.forget(event.watch) }
            if directory == PathEntry.root {
                mustLook = true
                close()
            }
        } else if event.name.isEmpty {
            guard index.tree[directory].flags.contains(.unreadable) else { return }
            scanner.add(directory, deep: false)
        } else if event.events.contains(.movedFrom) {
            moves.left(directory, event.name, cookie: event.cookie)
        } else if event.events.contains(.movedTo) {
            moves.arrived(directory, event.name, cookie: event.cookie)
        } else if event.events.contains(.created) {
            reconciler.look(directory, event.name, .created)
        } else if event.events.contains(.written) {
            reconciler.look(directory, event.name, .written)
        } else if event.events.contains(.removed) {
            reconciler.look(directory, event.name, .removed)
        } else if event.events.contains(.attributes) {
            reconciler.look(directory, event.name, .attributes)
        }
    }

    func overflowed() {
        mustLook = true
        moves.expireAll()
        scanner.add(PathEntry.root, deep: true)
    }

    // MARK: Turns

    func turn() -> WatchTurn {
        if let retryAt, retryAt <= kernel.uptime { retry() }
        if mustLook { look() }
        moves.expire()
        if isOpen { scan() }
        index.log.flush()
        problems.disk = index.log.failure.map { "cannot write the index: \(WatchReason.text($0))" }
        reportProblems()
        // What is below a directory of half a move has no path, until the other half is read: at once, as a rule.
        let isIncomplete = hasEvents && moves.deadline != nil && postponed < Self.mostPostponed
        hasEvents = false
        postponed = isIncomplete ? postponed + 1 : 0
        if isIncomplete { return .now }
        let elements = index.pending.next(at: kernel.time)
        if !elements.isEmpty { output.emit(elements) }
        if mustLook || isOpen && !scanner.isIdle { return .now }
        var next = WatchTurn.idle
        for time in [moves.deadline, retryAt] { next = next.earlier(time.map(WatchTurn.at) ?? .idle) }
        return next
    }

    private func look() {
        mustLook = false
        switch wait.look() {
        case .present(let status):
            problems.root = nil
            let stamp = PathEntry.Stamp(status, hasContent: true)
            // Another directory, or the same one after an interruption: the differences are emitted.
            if isOpen, index.tree[PathEntry.root].stamp.isSameFile(as: stamp) { return }
            close()
            index.tree[PathEntry.root].stamp = stamp
            isOpen = true
            scanner.add(PathEntry.root, deep: true)
        case .missing(let reason, let mustRetry):
            close()
            problems.root = reason
            if mustRetry { retryLater() }
        }
    }

    /// Stops watching. The index stays, so that the differences are emitted once the root is back.
    private func close() {
        guard isOpen else { return }
        isOpen = false
        watches.removeAll()
        moves.undoAll()
        scanner.cancel()
    }

    private func scan() {
        guard !scanner.isIdle else { return }
        scanner.step()
        problems.isFull = index.isFull
        if scanner.isIdle, isFirstScan {
            isFirstScan = false
            reconciler.baseline = nil
            index.log.complete()
        }
    }

    private func note(_ trouble: PathScanner.Trouble) {
        switch trouble {
        case .noWatch(let reason): problems.watches = problems.watches ?? reason
        case .unreadable(let reason):
            problems.unreadable = problems.unreadable ?? reason
            problems.unreadableCount += 1
        }
        retryLater()
    }

    private func retryLater() {
        if retryAt == nil { retryAt = kernel.uptime + WatchReason.retry }
    }

    /// Scans again what could not be watched or read.
    private func retry() {
        retryAt = nil
        problems.watches = nil
        problems.unreadable = nil
        problems.unreadableCount = 0
        if !isOpen { mustLook = true }
        let again: PathEntry.Flags = [.unwatched, .unreadable]
        let tree = index.tree
        if !tree[PathEntry.root].flags.isDisjoint(with: again) { scanner.add(PathEntry.root, deep: false) }
        for id in tree.ids where tree[id].isAlive && !tree[id].flags.isDisjoint(with: again) {
            scanner.add(id, deep: false)
        }
    }

    private func reportProblems() {
        if index.hasRoomAgain() { scanner.add(PathEntry.root, deep: true) }
        problems.isFull = index.isFull
        // Not in the middle of a scan, which may find the same problem again.
        guard problems.root != nil || scanner.isIdle || problems.reason(options) != nil else { return }
        let reason = problems.reason(options)
        guard reason != reported else { return }
        reported = reason
        output.report(waiting: reason)
    }
}

/// Stands for an engine while it is created, and in the hub.
final class EngineLink: WatchUser {
    weak var engine: PathEngine?

    func handle(_ event: WatchEvent) { engine?.handle(event) }
    func overflowed() { engine?.overflowed() }
    func turn() -> WatchTurn { engine?.turn() ?? .idle }
}
