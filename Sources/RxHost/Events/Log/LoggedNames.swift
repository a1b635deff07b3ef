internal import RxStore

/// Since when the store keeps the events of each name, as the next host has to know. Used with the log's lock held.
struct LoggedNames {
    private struct Key: Hashable {
        let kind: HostedKind
        let name: String
    }

    /// What the store has, or is about to have.
    private var stored: [Key: LoggedName] = [:]
    private var unwritten: [LoggedName] = []
    /// Names that the store does not know may have had events up to this one.
    private var unnamed: UInt64 = 0
    /// Whether there is a store.
    private var isStored = false

    /// The names of a store, as an earlier host left them.
    mutating func begin(with log: RecoveredLog) {
        (isStored, unnamed) = (true, log.unnamed)
        for name in log.names {
            guard let kind = HostedKind(rawValue: name.kind) else { continue }
            stored[Key(kind: kind, name: name.name)] = name
        }
    }

    /// The name is there for the first time in this host.
    ///
    /// - Parameters:
    ///   - isLogged: whether the store keeps its events.
    ///   - now: the newest event.
    /// - Returns: the last event of earlier hosts that may be missing although the retention has not removed it.
    mutating func enter(_ source: Hosted, isLogged: Bool, at now: Mark) -> Mark {
        let known = stored[Key(kind: source.kind, name: source.name)]
        let lost =
            if let known {
                // What the store has of a name whose events it no longer keeps is not all that there was.
                isLogged ? known.since.map { Mark(cursor: $0, time: known.time) } ?? now : now
            } else {
                Mark(cursor: isLogged ? 0 : unnamed, time: now.time)
            }
        set(isLogged ? lost : nil, of: source, at: now)
        return lost
    }

    /// The store keeps the events of a name since a moment; with nil, it keeps none.
    mutating func set(_ since: Mark?, of source: Hosted, at now: Mark) {
        let key = Key(kind: source.kind, name: source.name)
        if !isStored { return }
        if let known = stored[key], known.since == since?.cursor { return }
        let name = LoggedName(
            kind: source.kind.rawValue, name: source.name, since: since?.cursor, time: (since ?? now).time)
        stored[key] = name
        unwritten.append(name)
    }

    /// Whether there is something to be passed to the store.
    var hasUnwritten: Bool { !unwritten.isEmpty }

    mutating func takeUnwritten() -> [LoggedName] {
        var taken: [LoggedName] = []
        swap(&taken, &unwritten)
        return taken
    }
}
