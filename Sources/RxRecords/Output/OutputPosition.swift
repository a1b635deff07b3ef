/// How much of an execution's output a reader has.
public struct OutputPosition: Sendable, Hashable {
    /// The number of elements.
    public var elements: Int
    /// The bytes of standard error.
    public var errorBytes: Int

    /// The start, unless given.
    public init(elements: Int = 0, errorBytes: Int = 0) {
        self.elements = elements
        self.errorBytes = errorBytes
    }
}
