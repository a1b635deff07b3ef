public import RxJSON

/// A state of a hosted reactor. Immutable; it shares unchanged parts with the states before it.
public protocol ReactorState: Sendable {
    /// Writes the state as JSON.
    func write(to writer: inout JSONWriter)
    /// The patch from an earlier state of the same engine to this one, at a cost that follows the change.
    func patch(from earlier: any ReactorState) -> JSONPatch
}

/// A state as a tree.
public struct JSONState: ReactorState {
    /// The whole state.
    public let value: JSONValue

    /// The state that `value` is.
    public init(_ value: JSONValue) { self.value = value }

    /// Writes the tree.
    public func write(to writer: inout JSONWriter) { writer.value(value) }

    /// The patch from an earlier tree; a replacement of everything if the earlier state is of another kind.
    public func patch(from earlier: any ReactorState) -> JSONPatch {
        guard let earlier = earlier as? JSONState else {
            return JSONPatch([.replace(JSONPointer(tokens: []), value)])
        }
        return JSONPatch(from: earlier.value, to: value)
    }
}
