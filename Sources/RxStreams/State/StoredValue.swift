internal import RxJSON

/// Something that the state of a stream consists of: a value of a step, or elements that wait.
class StoredValue {
    /// Whether the chain that it belongs to has ended: it is not stored any more.
    final var isGone = false
    private var isNoted = false

    /// The names under which it is in the store.
    var storedNames: [String] { preconditionFailure("abstract") }

    /// Adds what has changed, by name; nil for what is gone.
    func addChanges(to changes: inout [String: RawJSON?]) { preconditionFailure("abstract") }

    final func takeChanges(into changes: inout [String: RawJSON?]) {
        isNoted = false
        addChanges(to: &changes)
    }

    /// Has the value stored at the end of the turn.
    final func note(in scope: StateScope) {
        guard !isNoted else { return }
        isNoted = true
        scope.note(self)
    }
}

/// A value of a step: the first of the two kinds of state.
// Unchecked: belongs to the stream's turn.
final class Cell<Value: StateValue>: StoredValue, @unchecked Sendable {
    private let scope: StateScope
    private let name: String
    private let isKept: Bool
    private var isStored = false

    // Unchecked: of what a turn touches, it touches nothing twice at once.
    @exclusivity(unchecked) var value: Value {
        didSet { if isKept { note(in: scope) } }
    }

    init(_ scope: StateScope, _ name: String, _ initial: Value) {
        self.scope = scope
        self.name = name
        isKept = scope.isKept
        let restored = scope.restore(name)
        value = restored.flatMap { Value(stored: $0.value()) } ?? initial
        super.init()
        isStored = restored != nil
        scope.add(self)
    }

    /// Has the value stored although it is the initial one.
    func store() { if isKept { note(in: scope) } }

    override var storedNames: [String] { isStored ? [name] : [] }

    override func addChanges(to changes: inout [String: RawJSON?]) {
        isStored = true
        changes[name] = RawJSON(value.json)
    }
}
