/// Elements that are no longer there, all of them before those that are.
public struct LostElements: Sendable, Hashable {
    /// How many elements are lost.
    public let count: Int
    /// The cursor of the first lost element; 0 if it is not known.
    public let first: UInt64
    /// The cursor of the last lost element; 0 if it is not known.
    public let last: UInt64
}
