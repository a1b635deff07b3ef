internal import RxJSON
internal import RxStreams

/// The current values of a level, in the order in which they came first.
struct LevelValues: Sendable {
    private let kind: LevelKind
    private var keys: [String] = []
    private var values: [String: Value] = [:]

    private struct Value {
        let element: StreamElement
        let shown: RawJSON
    }

    init(_ kind: LevelKind) { self.kind = kind }

    var all: [StreamElement] { keys.compactMap { values[$0]?.element } }
    /// The values as subscribers receive them.
    var shown: [RawJSON] { keys.compactMap { values[$0]?.shown } }

    /// - Parameter shown: the value as subscribers receive it.
    /// - Returns: whether readers have the value already.
    mutating func take(_ element: StreamElement, shown: RawJSON, isReplay: Bool) -> Bool {
        guard kind != .none else { return false }
        let key = element.levelKey(kind)
        let before = values.updateValue(Value(element: element, shown: shown), forKey: key)
        if before == nil {
            keys.append(key)
            if keys.count > StreamLimits.pendingElements { values[keys.removeFirst()] = nil }
        }
        return isReplay && before?.element.value == element.value
    }
}
