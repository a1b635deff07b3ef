internal import Rx
internal import Synchronization

/// Those within the process that hear what some names tell: streams that reactors merge.
final class Listeners<Value: Sendable>: Sendable {
    private struct Entries {
        var next = 0
        var byName: [String: [Int: @Sendable (Value) -> Void]] = [:]
    }

    private let entries = Locked(Entries())
    /// Mostly there are none, which should cost nothing.
    private let isEmpty = Atomic<Bool>(true)

    /// Calls `body` on whatever thread tells, one call after the other for each name.
    ///
    /// - Returns: to be called when it shall hear nothing more.
    func add(_ name: String, _ body: @escaping @Sendable (Value) -> Void) -> @Sendable () -> Void {
        let number = entries.withLock { entries in
            entries.next += 1
            entries.byName[name, default: [:]][entries.next] = body
            isEmpty.store(false, ordering: .relaxed)
            return entries.next
        }
        return { [self] in
            entries.withLock { entries in
                entries.byName[name]?[number] = nil
                if entries.byName[name]?.isEmpty == true { entries.byName[name] = nil }
                isEmpty.store(entries.byName.isEmpty, ordering: .relaxed)
            }
        }
    }

    func notify(_ name: String, _ value: @autoclosure () -> Value) {
        guard !isEmpty.load(ordering: .relaxed) else { return }
        let bodies = entries.withLock { entries in entries.byName[name].map { Array($0.values) } ?? [] }
        guard !bodies.isEmpty else { return }
        let value = value()
        for body in bodies { body(value) }
    }
}
