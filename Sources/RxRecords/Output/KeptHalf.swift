/// The head or the tail of a stream of output.
public struct KeptHalf: Sendable, Hashable {
    /// Packed as the stream states.
    package var data: [UInt8]
    /// The numbers of the first and the last event of its elements, and of those that are missing before a tail; nil
    /// without elements.
    package var numbers: ClosedRange<UInt64>?

    package init(_ data: [UInt8] = [], numbers: ClosedRange<UInt64>? = nil) {
        self.data = data
        self.numbers = numbers
    }
}
