public import RxJSON

/// The values of all steps of a stream. With `persist`, those that change in a turn are stored at its end, together
/// with the position of the source.
// Unchecked: belongs to the stream's turn.
public final class StreamState: @unchecked Sendable {
    /// Whether the values are stored.
    public let isKept: Bool
    private var stored: [String: RawJSON]
    /// The names of what an earlier run stored, in order: a group finds its own without a search through all others.
    private let storedNames: [String]
    private var changed: [StoredValue] = []
    private var removed: Set<String> = []

    /// - Parameters:
    ///   - isKept: whether the values are stored.
    ///   - stored: what an earlier run has stored, by the names of the values.
    public init(isKept: Bool = false, stored: [String: RawJSON] = [:]) {
        self.isKept = isKept
        self.stored = stored
        storedNames = stored.keys.sorted(by: Self.isBefore)
    }

    /// The values that changed since the last call, by name; nil for those that are gone.
    public func takeChanges() -> [String: RawJSON?] {
        guard isKept else { return [:] }
        var changes: [String: RawJSON?] = [:]
        for name in removed { changes[name] = .some(nil) }
        for value in changed where !value.isGone { value.takeChanges(into: &changes) }
        changed = []
        removed = []
        return changes
    }

    /// What an earlier run stored under a name. Once.
    func restore(_ name: String) -> RawJSON? { stored.isEmpty ? nil : stored.removeValue(forKey: name) }

    /// The names that begin with `prefix` and were not restored yet.
    func unrestored(_ prefix: String) -> [String] {
        guard !stored.isEmpty else { return [] }
        var (low, high) = (0, storedNames.count)
        while low < high {
            let middle = (low + high) / 2
            if Self.isBefore(storedNames[middle], prefix) { low = middle + 1 } else { high = middle }
        }
        return storedNames[low...].prefix { $0.utf8.starts(with: prefix.utf8) }.filter { stored[$0] != nil }
    }

    /// Forgets what an earlier run stored under names that begin with `prefix`, and removes it from the store.
    func forgetUnrestored(_ prefix: String) {
        let names = unrestored(prefix)
        for name in names { stored[name] = nil }
        remove(names)
    }

    /// The order of bytes, in which all names with one prefix follow each other.
    private static func isBefore(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }

    func note(_ value: StoredValue) { changed.append(value) }

    /// Has the names removed from the store, unless a value takes one of them again in the same turn.
    func remove(_ names: [String]) { if isKept { removed.formUnion(names) } }
}
