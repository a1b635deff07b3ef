import Rx

/// The values that observers and listeners of a test have received.
final class Heard<Value: Sendable>: Sendable {
    private let list = Locked<[Value]>([])

    func add(_ value: Value) { list.withLock { $0.append(value) } }

    var values: [Value] { list.withLock { $0 } }
}
