internal import RxJSON

/// The values of one chain: that of the stream, of a group, or of an inner stream. They end together.
// Unchecked: belongs to the stream's turn.
final class StateScope: @unchecked Sendable {
    /// Nil for an inner stream: it does not survive a restart, since the element that started it is processed again.
    private let state: StreamState?
    private weak var parent: StateScope?
    private var values: [StoredValue] = []
    private var children: [ObjectIdentifier: StateScope] = [:]
    /// Elements that wait until they are due, and elements in executing steps.
    private var waiting = 0

    /// How the names of a group begin; nil for other chains.
    private let prefix: String?

    init(_ state: StreamState?, prefix: String? = nil) {
        self.state = state
        self.prefix = prefix
    }

    /// Whether the values are stored.
    var isKept: Bool { state?.isKept ?? false }

    /// A scope for a group, whose names begin with `prefix`.
    func group(_ prefix: String) -> StateScope { child(StateScope(state, prefix: prefix)) }

    /// A scope for an inner stream.
    func innerStream() -> StateScope { child(StateScope(nil)) }

    private func child(_ scope: StateScope) -> StateScope {
        scope.parent = self
        children[ObjectIdentifier(scope)] = scope
        return scope
    }

    // MARK: Values

    func restore(_ name: String) -> RawJSON? { state?.restore(name) }

    func unrestored(_ prefix: String) -> [String] { state?.unrestored(prefix) ?? [] }

    func add(_ value: StoredValue) { if isKept { values.append(value) } }

    func note(_ value: StoredValue) { state?.note(value) }

    // MARK: Life

    /// Whether something in the chain will still happen by itself.
    var isBusy: Bool { waiting > 0 || children.values.contains { $0.isBusy } }

    func wait(_ more: Int) { waiting += more }

    /// Forgets the values, in the store as well.
    func end() {
        parent?.children[ObjectIdentifier(self)] = nil
        parent = nil
        removeValues()
        // What an earlier run stored, too, that no step has asked for: those before a step that had ended.
        if let prefix { state?.forgetUnrestored(prefix) }
    }

    private func removeValues() {
        for value in values {
            value.isGone = true
            state?.remove(value.storedNames)
        }
        values = []
        for child in children.values {
            child.parent = nil
            child.removeValues()
        }
        children = [:]
    }
}
