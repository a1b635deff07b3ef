internal import Rx
internal import Synchronization

/// Subscribers within the process to the values of names, such as reactors that merge other streams.
final class Listeners<Value: Sendable>: Sendable {
    private struct Entries {
        var next = 0
        var byName: [String: [Int: @Sendable (Value) -> Void]] = [:]
    }

    private let entries = Locked(Entries())
    /// Mostly there are no listeners, which should cost nothing.
    private let isEmpty = Atomic<Bool>(true)

    /// Calls `body` with each value of `name`, on the thread that publishes it, one call after the other for each name.
    ///
    /// - Returns: ends the subscription when it is disposed.
    func add(_ name: String, _ body: @escaping @Sendable (Value) -> Void) -> any Disposable {
        let number = entries.withLock { entries in
            entries.next += 1
            entries.byName[name, default: [:]][entries.next] = body
            isEmpty.store(false, ordering: .relaxed)
            return entries.next
        }
        return Disposables.create { [self] in remove(number, of: name) }
    }

    private func remove(_ number: Int, of name: String) {
        entries.withLock { entries in
            entries.byName[name]?[number] = nil
            if entries.byName[name]?.isEmpty == true { entries.byName[name] = nil }
            isEmpty.store(entries.byName.isEmpty, ordering: .relaxed)
        }
    }

    /// Calls the listeners of `name`.
    ///
    /// - Parameter value: evaluated only if there is a listener.
    func notify(_ name: String, _ value: @autoclosure () -> Value) {
        guard !isEmpty.load(ordering: .relaxed) else { return }
        let bodies = entries.withLock { entries in entries.byName[name].map { Array($0.values) } ?? [] }
        guard !bodies.isEmpty else { return }
        let value = value()
        for body in bodies { body(value) }
    }
}
