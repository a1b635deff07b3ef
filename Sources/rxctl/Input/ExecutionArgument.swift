/// An execution's id, in the format of the daemon.
enum ExecutionArgument {
    /// The id in lower case; nil for text that is not a UUID: 32 hexadecimal digits in groups of 8, 4, 4, 4, 12.
    static func id(_ text: String) -> String? {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12],
            groups.allSatisfy({ $0.utf8.allSatisfy(isHexDigit) })
        else { return nil }
        return text.lowercased()
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
