/// The checksum at the end of a whole line of the ledger: eight hexadecimal digits over the fields before it.
enum LedgerChecksum {
    /// The fields of a line, from the execution on, and their checksum.
    static func adding(to fields: String) -> String {
        let digits = String(sum(of: fields), radix: 16)
        return "\(fields) \(String(repeating: "0", count: 8 - digits.count))\(digits)"
    }

    /// Whether a whole line has a checksum, and another one than that of its fields. The lines of earlier versions, of
    /// four fields, have none.
    static func isWrong(_ text: Substring) -> Bool {
        let line = text.drop { $0 == " " }
        guard let end = line.lastIndex(where: { $0 != " " }) else { return false }
        let fields = line[...end].split(separator: " ", omittingEmptySubsequences: false)
        guard fields.count != 4 else { return false }
        return adding(to: fields.dropLast().joined(separator: " ")) != line[...end]
    }

    /// FNV-1a.
    private static func sum(of text: String) -> UInt32 {
        var sum: UInt32 = 0x811C_9DC5
        for byte in text.utf8 { sum = (sum ^ UInt32(byte)) &* 0x0100_0193 }
        return sum
    }
}
