/// An element of a list in a calendar expression: `5`, `1..5`, `0/15`, or `1..20/5`.
struct CalendarElement {
    var start: Int64
    var stop: Int64?
    let step: Int64?
    /// The place of its first character.
    let position: Int

    /// Reads an element; the values are seconds with fractions, in microseconds, if `isSecond`.
    init(_ scanner: inout Scanner, isSecond: Bool) throws(ExpressionFault) {
        position = scanner.position
        start = try Self.value(&scanner, isSecond: isSecond)
        stop = scanner.skip("..") ? try Self.value(&scanner, isSecond: isSecond) : nil
        let place = scanner.position + 1
        step = scanner.skip("/") ? try Self.value(&scanner, isSecond: isSecond) : nil
        if step == 0 { throw scanner.fault("a repetition of 0; expected a larger number", at: place) }
    }

    private static func value(_ scanner: inout Scanner, isSecond: Bool) throws(ExpressionFault) -> Int64 {
        guard let whole = scanner.number() else { throw scanner.fault("expected a number or *") }
        guard isSecond else { return Int64(whole) }
        var value = Int64(whole) * Microseconds.perSecond
        // A single dot is a decimal point, two are a range.
        if scanner.next == ".", scanner.peek(1) != "." {
            scanner.position += 1
            let digits = Array(scanner.digits())
            guard !digits.isEmpty else { throw scanner.fault("expected a digit") }
            let six = (0..<6).reduce(Int64(0)) { $0 * 10 + ($1 < digits.count ? Int64(digits[$1] - 0x30) : 0) }
            value += six + (digits.count > 6 && digits[6] >= 0x35 ? 1 : 0)
        }
        return value
    }
}
