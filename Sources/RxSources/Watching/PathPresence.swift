/// Reports whether there is a file or a directory at a path: at first, and at each change.
public final class PathPresence: Sendable {
    private let user: PresenceUser
    private let watcher: FileWatcher
    private let gate: Gate<@Sendable (Bool) -> Void>

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - path: absolute.
    ///   - watcher: the process's.
    ///   - report: called on the watcher's thread until `stop` returns; it must not wait.
    public init(_ path: String, watcher: FileWatcher, report: @escaping @Sendable (Bool) -> Void) {
        self.watcher = watcher
        let gate = Gate(report)
        self.gate = gate
        let user = PresenceUser(RawPath(path), hub: watcher.hub) { isPresent in gate.call { $0(isPresent) } }
        self.user = user
        watcher.execute { [watcher] in watcher.hub.add(user) }
    }

    /// Ends the reports. Does not wait for the watcher's thread, which may be waiting for a disk.
    public func stop() {
        gate.close()
        watcher.execute { [watcher, user] in watcher.remove(user) }
    }
}

// Sendable: everything is used on the watcher's thread.
/// Watches all directories above a path, as far as they exist.
final class PresenceUser: WatchUser, @unchecked Sendable {
    private static let events: WatchEvents = [
        .created, .movedTo, .removed, .movedFrom, .removedItself, .movedItself, .attributes,
    ]
    /// How often the path is looked at without an event: what is mounted, the target of a link, and a directory that
    /// cannot be watched are not announced. Rarely, since each look is a few system calls.
    private static let retryInterval = Duration.seconds(5)

    private let path: RawPath
    private unowned let hub: WatchHub
    private let report: @Sendable (Bool) -> Void
    /// The next component of the path in each watched directory.
    private var watches: [Int32: [UInt8]] = [:]
    private var mustLook = true
    private var retryAt: Duration?
    private var last: Bool?

    init(_ path: RawPath, hub: WatchHub, report: @escaping @Sendable (Bool) -> Void) {
        self.path = path
        self.hub = hub
        self.report = report
    }

    func handle(_ event: WatchEvent) {
        guard let name = watches[event.watch] else { return }
        if event.name.isEmpty || event.name.elementsEqual(name) { mustLook = true }
    }

    func overflowed() { mustLook = true }

    func turn() -> WatchTurn {
        if let retryAt, retryAt <= hub.kernel.uptime { mustLook = true }
        if mustLook { look() }
        return retryAt.map { .at($0) } ?? .idle
    }

    private func look() {
        (mustLook, retryAt) = (false, hub.kernel.uptime + Self.retryInterval)
        let former = watches
        watches = [:]
        // From the top, so that what appears meanwhile is an event of a directory that is watched already.
        for (directory, name) in steps {
            if let watch = try? hub.watch(directory, Self.events, for: self) { watches[watch] = name }
        }
        for watch in former.keys where watches[watch] == nil { hub.unwatch(watch, for: self) }
        let isPresent: Bool
        do throws(FileError) {
            _ = try hub.kernel.status(path, following: true)
            isPresent = true
        } catch { isPresent = false }
        guard isPresent != last else { return }
        last = isPresent
        report(isPresent)
    }

    /// The directories above the path, the highest first, each with the next component.
    private var steps: [(directory: RawPath, name: [UInt8])] {
        var steps: [(RawPath, [UInt8])] = []
        var below = path
        while below.count > 1 {
            steps.append((below.parent, Array(below.name)))
            below = below.parent
        }
        return steps.reversed()
    }
}
