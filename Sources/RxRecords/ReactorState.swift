public import RxJSON

/// A state of a hosted reactor. Immutable, and shares with the states before it what did not change.
public protocol ReactorState: Sendable {
    func write(to writer: inout JSONWriter)
    /// What leads from an earlier state of the same engine to this one, at a cost that follows the change.
    func patch(from earlier: any ReactorState) -> JSONPatch
}

/// A state as a tree.
public struct JSONState: ReactorState {
    public let value: JSONValue

    public init(_ value: JSONValue) { self.value = value }

    public func write(to writer: inout JSONWriter) { writer.value(value) }

    public func patch(from earlier: any ReactorState) -> JSONPatch {
        guard let earlier = earlier as? JSONState else {
            return JSONPatch([.replace(JSONPointer(tokens: []), value)])
        }
        return JSONPatch(from: earlier.value, to: value)
    }
}
