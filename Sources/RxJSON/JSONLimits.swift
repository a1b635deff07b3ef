/// The limits for the size and depth of a text.
public struct JSONLimits: Sendable, Hashable {
    /// The most bytes of a text. 1 MiB is also the protocol's line limit; simdjson itself stops at 4 GiB.
    public var bytes: Int

    /// The deepest nesting of arrays and objects. One empty container may be nested inside the deepest level.
    public var depth: Int

    /// The greatest permitted depth. Trees are built, compared, and freed recursively, so depth uses stack: this much
    /// takes less than half of a 512 KiB stack, or of 2 MiB in a debug build.
    public static let greatestDepth = 512

    /// Creates limits for `bytes` and `depth`; the defaults are 1 MiB and 128 levels.
    public init(bytes: Int = 1_048_576, depth: Int = 128) {
        self.bytes = bytes
        self.depth = min(max(depth, 1), Self.greatestDepth)
    }
}
