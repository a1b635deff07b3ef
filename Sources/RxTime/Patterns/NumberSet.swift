/// A set of numbers from 0 to 63, such as minutes.
struct NumberSet: Hashable, Sendable {
    private(set) var bits: UInt64 = 0

    init() {}

    init(_ numbers: some Sequence<Int>) { for number in numbers { insert(number) } }

    var isEmpty: Bool { bits == 0 }
    var count: Int { bits.nonzeroBitCount }

    mutating func insert(_ number: Int) { bits |= 1 << UInt64(number) }

    mutating func formUnion(_ other: NumberSet) { bits |= other.bits }

    func contains(_ number: Int) -> Bool { bits >> UInt64(number) & 1 == 1 }

    /// The smallest number that is not below `least`.
    func first(from least: Int) -> Int? {
        let rest = bits & (~0 << UInt64(least))
        return rest == 0 ? nil : rest.trailingZeroBitCount
    }

    /// The largest number that is not above `most`; -1 is below all.
    func last(through most: Int) -> Int? {
        let rest = bits & ~(~0 << UInt64(most + 1))
        return rest == 0 ? nil : 63 - rest.leadingZeroBitCount
    }

    /// How many numbers are below `end`.
    func count(below end: Int) -> Int { (bits & ~(~0 << UInt64(end))).nonzeroBitCount }
}
