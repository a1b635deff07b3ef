internal import Glibc

/// Uses the events of a hub. All calls are on the hub's thread.
protocol WatchUser: AnyObject {
    /// An event of a watch of this user. It may add and remove watches.
    func handle(_ event: WatchEvent)
    /// Events were lost: anything may have changed.
    func overflowed()
    /// Works for a few milliseconds.
    func turn() -> WatchTurn
}

/// When a user of a hub wants its next turn, apart from events.
enum WatchTurn: Equatable {
    case now
    /// At that uptime.
    case at(Duration)
    case idle

    /// The earlier one.
    func earlier(_ other: WatchTurn) -> WatchTurn {
        switch (self, other) {
        case (.now, _), (_, .now): .now
        case (.idle, let turn), (let turn, .idle): turn
        case (.at(let one), .at(let other)): .at(min(one, other))
        }
    }
}

/// Shares one inotify instance among the sources of a process. Has no thread: `turn` does the work.
final class WatchHub {
    /// The same file has one watch, even if several users watch it.
    private struct Subscription {
        let user: any WatchUser
        var events: WatchEvents
    }

    let kernel: any FileKernel
    private var users: [any WatchUser] = []
    private var subscriptions: [Int32: [Subscription]] = [:]

    init(kernel: any FileKernel) { self.kernel = kernel }

    /// The user has turns from now on.
    func add(_ user: any WatchUser) { users.append(user) }

    /// Removes a user and its watches. The last one closes the instance.
    func remove(_ user: any WatchUser) {
        users.removeAll { $0 === user }
        for watch in subscriptions.keys.filter({ subscriptions[$0]?.contains { $0.user === user } == true }) {
            unwatch(watch, for: user)
        }
        if users.isEmpty { kernel.close() }
    }

    /// Watches a file or a directory, in addition to what the user watches of it already.
    func watch(
        _ path: RawPath, _ events: WatchEvents, isDirectory: Bool = true, for user: any WatchUser
    ) throws(FileError) -> Int32 {
        try kernel.open()
        let watch = try kernel.watch(path, events, isDirectory: isDirectory)
        if let index = subscriptions[watch]?.firstIndex(where: { $0.user === user }) {
            subscriptions[watch]?[index].events.formUnion(events)
        } else {
            subscriptions[watch, default: []].append(Subscription(user: user, events: events))
        }
        return watch
    }

    /// Ends the user's events of a watch.
    func unwatch(_ watch: Int32, for user: any WatchUser) {
        guard var list = subscriptions[watch] else { return }
        list.removeAll { $0.user === user }
        if list.isEmpty {
            subscriptions[watch] = nil
            kernel.unwatch(watch)
        } else {
            subscriptions[watch] = list
        }
    }

    /// Passes on the events of one read, and gives every user a turn.
    func turn() -> WatchTurn {
        let count = kernel.read(dispatch)
        var next: WatchTurn = count > 0 ? .now : .idle
        for user in users { next = next.earlier(user.turn()) }
        return next
    }

    private func dispatch(_ event: WatchEvent) {
        if event.events.contains(.overflow) {
            for user in users { user.overflowed() }
            return
        }
        guard let list = subscriptions[event.watch] else { return }
        if event.events.contains(.ignored) { subscriptions[event.watch] = nil }
        let always: WatchEvents = [.ignored, .unmounted]
        for subscription in list where !event.events.isDisjoint(with: subscription.events.union(always)) {
            subscription.user.handle(event)
        }
    }
}
