/// One half of an execution's elements, to be read from one of them on.
package struct ElementHalf: Sendable {
    /// Whether it has the last elements, and not the first ones.
    package let isTail: Bool
    /// The numbers of the first and the last event of its elements, and of those that are missing before a tail.
    package let numbers: ClosedRange<UInt64>
    /// The number of elements that are missing before a tail.
    package let missing: Int
    /// The number and the time of its first element; nil if it has none, or nobody has to know.
    package let first: KeptElements.Codec.Place?
    /// Its elements, from the first that is wanted on, or an earlier one.
    package let elements: ElementReader

    /// Sets the property of each name.
    package init(
        isTail: Bool, numbers: ClosedRange<UInt64>, missing: Int, first: KeptElements.Codec.Place?,
        elements: ElementReader
    ) {
        self.isTail = isTail
        self.numbers = numbers
        self.missing = missing
        self.first = first
        self.elements = elements
    }
}
