/// A number of bytes as the configuration states it: "512MiB".
enum ByteSize {
    /// What a value must be, for messages.
    static let grammar = #"a size such as "512KiB" or "64MiB" (a whole number with B, KiB, MiB, GiB, or TiB)"#

    /// The units, largest first, each with the number of bits by which it shifts.
    private static let units: [(name: String, shift: Int)] = [
        ("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10), ("B", 0),
    ]

    /// Parses a whole number with a unit: B, KiB, MiB, GiB, or TiB. No sign, no fraction, no spaces, one unit. "0"
    /// needs none.
    ///
    /// - Returns: the number of bytes; nil for any other text, and for more bytes than an `Int` can represent.
    static func parse(_ text: some StringProtocol) -> Int? {
        if text == "0" { return 0 }
        let digits = text.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let name = text.utf8.dropFirst(digits.count)
        guard let number = Int(String(decoding: digits, as: UTF8.self)),
            let unit = units.first(where: { $0.name.utf8.elementsEqual(name) })
        else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << unit.shift)
        return overflow ? nil : bytes
    }

    /// The text with the largest unit that `parse` reads as this number, which is not negative.
    static func text(_ bytes: Int) -> String {
        let unit = units.first { bytes != 0 && bytes & ((1 << $0.shift) - 1) == 0 } ?? ("B", 0)
        return "\(bytes >> unit.shift)\(unit.name)"
    }
}
