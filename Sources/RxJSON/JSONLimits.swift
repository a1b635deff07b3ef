/// How large and how deep a text may be.
public struct JSONLimits: Sendable, Hashable {
    /// The length of a text. 1 MiB is also the line limit of the protocol; simdjson itself stops at 4 GiB.
    public var bytes: Int

    /// How many arrays and objects may contain one another. An empty one inside the deepest is let through.
    public var depth: Int

    /// Trees are built, compared and freed by recursion, so depth is stack: this much takes less than half of a 512 KiB
    /// stack, or of 2 MiB in a debug build.
    public static let greatestDepth = 512

    public init(bytes: Int = 1_048_576, depth: Int = 128) {
        self.bytes = bytes
        self.depth = min(max(depth, 1), Self.greatestDepth)
    }
}
