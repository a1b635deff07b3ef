extension FixedWidthInteger {
    /// The quotient, rounded down, and the remainder, which is never negative for a positive divisor.
    @inline(__always)
    func dividedDown(by divisor: Self) -> (quotient: Self, remainder: Self) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// The sum, or the nearest value that can be represented.
    @inline(__always)
    func addingWithinBounds(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
