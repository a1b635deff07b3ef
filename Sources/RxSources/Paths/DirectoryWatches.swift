/// The watches of directories in the index.
final class DirectoryWatches {
    typealias ID = PathEntry.ID

    /// What is needed of a directory, whatever is emitted.
    private static let events: WatchEvents = [
        .written, .movedFrom, .movedTo, .created, .removed, .removedItself, .movedItself, .attributes,
    ]

    private let hub: WatchHub
    private unowned let user: any WatchUser
    private var directories: [Int32: ID] = [:]
    private var watches: [ID: Int32] = [:]

    init(hub: WatchHub, user: any WatchUser) {
        self.hub = hub
        self.user = user
    }

    /// The directory that a watch belongs to.
    func directory(of watch: Int32) -> ID? { directories[watch] }

    /// Watches a directory, again if its watch has gone.
    func add(_ id: ID, _ path: RawPath) throws(FileError) {
        let events = id == PathEntry.root ? Self.events : Self.events.union(.notFollowing)
        let watch = try hub.watch(path, events, for: user)
        if let old = watches[id], old != watch { drop(old) }
        if let other = directories[watch], other != id { watches[other] = nil }
        directories[watch] = id
        watches[id] = watch
    }

    /// Ends the watch of a directory, if it has one.
    func remove(_ id: ID) {
        guard let watch = watches.removeValue(forKey: id) else { return }
        drop(watch)
    }

    /// The kernel has removed a watch.
    func forget(_ watch: Int32) {
        guard let id = directories.removeValue(forKey: watch) else { return }
        watches[id] = nil
    }

    func removeAll() {
        for watch in directories.keys { hub.unwatch(watch, for: user) }
        directories = [:]
        watches = [:]
    }

    private func drop(_ watch: Int32) {
        directories[watch] = nil
        hub.unwatch(watch, for: user)
    }
}
