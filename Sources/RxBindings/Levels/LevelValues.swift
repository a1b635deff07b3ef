internal import RxStreams

/// The current values of a level, in the order in which they came first.
struct LevelValues: Sendable {
    private let kind: LevelKind
    private var keys: [String] = []
    private var values: [String: StreamElement] = [:]

    init(_ kind: LevelKind) { self.kind = kind }

    var all: [StreamElement] { keys.compactMap { values[$0] } }

    /// - Returns: whether readers have the value already.
    mutating func take(_ element: StreamElement, isReplay: Bool) -> Bool {
        guard kind != .none else { return false }
        let key = element.levelKey(kind)
        let before = values.updateValue(element, forKey: key)
        if before == nil {
            keys.append(key)
            if keys.count > StreamLimits.pendingElements { values[keys.removeFirst()] = nil }
        }
        return isReplay && before?.value == element.value
    }
}
