internal import Rx
internal import Synchronization

/// Subscribers within the process to the values of names, such as reactors that merge other streams.
final class Listeners<Value: Sendable>: Sendable {
    private struct Entry {
        let number: Int
        let body: @Sendable (Value) -> Void
    }

    private struct Entries {
        var next = 0
        /// In the order in which they were added, which is that of the calls.
        var byName: [String: [Entry]] = [:]
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
            entries.byName[name, default: []].append(Entry(number: entries.next, body: body))
            isEmpty.store(false, ordering: .relaxed)
            return entries.next
        }
        return Disposables.create { [self] in remove(number, of: name) }
    }

    private func remove(_ number: Int, of name: String) {
        entries.withLock { entries in
            entries.byName[name]?.removeAll { $0.number == number }
            if entries.byName[name]?.isEmpty == true { entries.byName[name] = nil }
            isEmpty.store(entries.byName.isEmpty, ordering: .relaxed)
        }
    }

    /// Calls the listeners of `name`, in the order in which they were added.
    ///
    /// - Parameter value: evaluated only if there is a listener.
    func notify(_ name: String, _ value: @autoclosure () -> Value) {
        guard !isEmpty.load(ordering: .relaxed) else { return }
        guard let listeners = entries.withLock({ $0.byName[name] }) else { return }
        let value = value()
        for listener in listeners { listener.body(value) }
    }
}
