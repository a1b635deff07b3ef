internal import RxStreams
internal import RxTime

/// A path source without a thread: turns events of a hub into batches of elements.
///
/// Events and scans only mark names as dirty. Once the kernel's queue is empty and the receiver can take a batch, the
/// dirty names are looked at, and what differs from the index is emitted. So the changes of a file while the receiver
/// is busy are one.
final class PathEngine: WatchUser {
    private let options: PathOptions
    private let hub: WatchHub
    private let output: any FileOutput
    private let index: PathIndex
    private let dirty: DirtyPaths
    private let moves: PathMoves
    private let directories: PathDirectories
    private let contents: PathContents
    private let reconciler: PathReconciler
    private let scanner: PathScanner
    private let events: PathEvents
    private let wait: DirectoryWait
    private let root: RawPath
    private let log: IndexLog

    private var problems = PathProblems()
    private var reported: String?
    private var isOpen = false
    private var mustLook = true
    /// Until the first scan has ended.
    private var isFirstScan = false
    private var retryAt: Duration?
    /// When the path of the root is checked: the kernel does not announce that something is mounted over it.
    private var checkAt: Duration?
    private var hasReportedLongName = false
    private var hasReportedDamage = false
    private var whenIndexed: (() -> Void)?
    /// Events came since the last turn.
    private var hasEvents = false
    private var postponed = 0

    /// Names that are looked at in a turn: some milliseconds.
    private static let portion = 512
    /// Turns without a look while events keep coming.
    private static let mostPostponed = 100

    private var kernel: any FileKernel { hub.kernel }

    /// - Parameters:
    ///   - storage: the index on disk; nil for one in memory, which a restart forgets.
    ///   - definition: what the source is made from: an index of another one is replaced.
    ///   - hasIndex: whether an earlier run has left an index on disk.
    ///   - whenIndexed: called in a turn, once, when there is one that was not expected.
    init(
        _ options: PathOptions, hub: WatchHub, storage: (any IndexStorage)?, definition: String? = nil,
        hasIndex: Bool = false, output: any FileOutput, whenIndexed: @escaping () -> Void = {}
    ) {
        self.whenIndexed = hasIndex ? nil : whenIndexed
        self.options = options
        self.hub = hub
        self.output = output
        root = RawPath(options.root)
        log = IndexLog(storage, definition: definition)
        let kernel = hub.kernel
        link = EngineLink()
        index = PathIndex(options: options, root: root, log: log)
        dirty = DirtyPaths(tree: index.tree, kernel: kernel)
        moves = PathMoves(index: index, dirty: dirty, kernel: kernel)
        events = PathEvents(index: index, dirty: dirty, moves: moves)
        directories = PathDirectories(index: index, hub: hub, user: link)
        contents = PathContents(index: index, kernel: kernel)
        reconciler = PathReconciler(
            index: index, dirty: dirty, moves: moves, directories: directories, contents: contents,
            recursive: options.recursive)
        scanner = PathScanner(index: index, dirty: dirty, directories: directories, recursive: options.recursive)
        wait = DirectoryWait(root, hub: hub, user: link)
        link.engine = self
        index.willRelease = { [unowned dirty, unowned moves, unowned directories] id in
            moves.forget(id)
            directories.forget(id)
            dirty.forget(id)
        }
        reconciler.scan = { [scanner] in if $1 { scanner.addAll(below: $0) } else { scanner.add($0) } }
        reconciler.report = { [unowned self] in note($0) }
        scanner.report = { [unowned self] in note($0) }
        reconciler.rootIsElsewhere = { [unowned self] in mustLook = true }
        scanner.rootIsElsewhere = { [unowned self] in mustLook = true }
        load(isExpected: hasIndex)
    }

    private let link: EngineLink

    /// The user that the hub knows.
    var user: any WatchUser { link }

    /// Entries of the index, and the bytes of memory that they occupy.
    var size: (entries: Int, memory: Int) { (index.tree.count, index.tree.memory) }

    private func load(isExpected: Bool) {
        let contents = log.load(root: root, into: index.tree, isExpected: isExpected)
        if let contents {
            isFirstScan = !contents.isComplete
            self.contents.baseline = contents.isComplete ? nil : contents.firstStart
        } else {
            let start = kernel.time.microseconds &* 1000
            isFirstScan = !options.existing
            self.contents.baseline = options.existing ? nil : start
            log.begin(root: root, firstStart: start, isComplete: options.existing)
        }
    }

    /// The receiver has taken the batch.
    func settled() {
        index.settle()
        log.flush()
    }

    /// Writes what is settled. The engine is not used afterwards.
    func finish() { log.flush() }

    // MARK: Events

    func handle(_ event: WatchEvent) {
        hasEvents = true
        if wait.owns(event.watch) {
            mustLook = true
            if event.events.contains(.ignored) { wait.forget(event.watch) }
            // Paths do not lead to the index any more.
            if isOpen, !event.events.isDisjoint(with: .gone) { close() }
        }
        guard let directory = directories.directory(of: event.watch) else { return }
        if !event.events.isDisjoint(with: .gone) {
            gone(directory, event)
        } else if !event.name.isEmpty {
            events.changed(directory, event)
        } else if index.tree[directory].flags.contains(.unreadable) {
            scanner.add(directory)
        }
    }

    private func gone(_ directory: PathEntry.ID, _ event: WatchEvent) {
        if event.events.contains(.ignored) {
            directories.ended(event.watch)
            // Its inode may be another one's by now.
            if directory != PathEntry.root {
                index.tree[directory].stamp = PathEntry.Stamp()
                dirty.mark(directory, .removed)
            }
        }
        guard directory == PathEntry.root else { return }
        mustLook = true
        close()
    }

    func overflowed() {
        hasEvents = true
        mustLook = true
        if isOpen { scanner.addAll(below: PathEntry.root) }
    }

    // MARK: Turns

    func turn() -> WatchTurn {
        if let retryAt, retryAt <= kernel.uptime { retry() }
        if let checkAt, checkAt <= kernel.uptime { check() }
        if mustLook { look() }
        moves.expire()
        dirty.expire()
        let isBusy = work()
        directories.rest()
        log.flush()
        if let whenIndexed, log.isOnDisk {
            self.whenIndexed = nil
            whenIndexed()
        }
        problems.disk = log.failure.map { "cannot write the index: \(WatchReason.text($0))" }
        reportProblems()
        let elements = index.nextBatch()
        if !elements.isEmpty { output.emit(elements) }
        if mustLook || isBusy { return .now }
        var next = WatchTurn.idle
        for time in [moves.deadline, dirty.deadline, retryAt, checkAt] {
            next = next.earlier(time.map(WatchTurn.at) ?? .idle)
        }
        return next
    }

    /// Works for some milliseconds, and returns whether there is more to do at once.
    private func work() -> Bool {
        if isOpen { scanner.step() }
        // Halves of moves are read together, as a rule, and several changes of a name are one.
        let isPostponed = hasEvents && postponed < Self.mostPostponed
        postponed = isPostponed ? postponed + 1 : 0
        hasEvents = false
        var left = isPostponed ? 0 : Self.portion
        while left > 0, !index.outbox.isFull, !index.outbox.isWaiting {
            left -= 1
            if index.isDraining {
                index.drain()
            } else if isOpen, let (id, time) = dirty.next() {
                reconciler.look(id, at: time)
            } else {
                break
            }
        }
        endFirstScan()
        let canLook = !index.outbox.isWaiting && (index.isDraining || isOpen && dirty.count > 0)
        return isPostponed || canLook || isOpen && scanner.isReady
    }

    private func endFirstScan() {
        guard isFirstScan, isOpen, scanner.isIdle, dirty.count == 0, !index.isDraining else { return }
        isFirstScan = false
        contents.baseline = nil
        index.complete()
    }

    private func look() {
        mustLook = false
        switch wait.look() {
        case .present(let status):
            problems.root = nil
            checkAt = kernel.uptime + WatchReason.retry
            let stamp = PathEntry.Stamp(status, hasContent: true)
            // Another directory, or the same one after an interruption: the differences are emitted.
            if isOpen, index.tree[PathEntry.root].stamp.isSameFile(as: stamp) {
                if index.tree[PathEntry.root].flags.contains(.scanWanted) { scanner.add(PathEntry.root) }
                return
            }
            close()
            index.tree[PathEntry.root].stamp = stamp
            isOpen = true
            scanner.addAll(below: PathEntry.root)
        case .missing(let reason):
            close()
            checkAt = nil
            problems.root = reason
            retryLater()
        }
    }

    private func check() {
        checkAt = kernel.uptime + WatchReason.retry
        do throws(FileError) {
            let stamp = PathEntry.Stamp(try kernel.status(root, following: true), hasContent: false)
            if !index.tree[PathEntry.root].stamp.isSameFile(as: stamp) { mustLook = true }
        } catch { mustLook = true }
    }

    /// Stops watching. The index stays, so that the differences are emitted once the root is back.
    private func close() {
        guard isOpen else { return }
        isOpen = false
        directories.removeAll()
        moves.removeAll()
        dirty.removeAll()
        scanner.cancel()
        index.forgetHints()
    }

    private func note(_ trouble: PathTrouble) {
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
        if !tree[PathEntry.root].flags.isDisjoint(with: again) { scanner.add(PathEntry.root) }
        for id in tree.ids where !tree[id].flags.isDisjoint(with: again) { scanner.add(id) }
    }

    private func reportProblems() {
        if let damage = log.damage, !hasReportedDamage {
            hasReportedDamage = true
            output.report(error: damage.text(existing: options.existing))
        }
        if let name = index.longName, !hasReportedLongName {
            hasReportedLongName = true
            let path = index.absolute(name).text
            output.report(
                error: "\(path) is passed over, and so are others like it: its name has more than "
                    + "\(PathTree.longestName) bytes")
        }
        if index.hasRoomAgain() { scanner.addAll(below: PathEntry.root) }
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
