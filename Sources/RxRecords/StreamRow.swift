public import RxJSON

/// One stored value of a stream: a value of a step, the position of a source, or the last firings of an `on`.
public struct StreamRow: Sendable, Hashable {
    /// The name of the stream, or of what else owns the value.
    public var stream: String
    /// The name of the value.
    public var name: String
    /// The value; nil removes it.
    public var value: RawJSON?

    /// Creates a row.
    public init(stream: String, name: String, value: RawJSON?) {
        self.stream = stream
        self.name = name
        self.value = value
    }
}
