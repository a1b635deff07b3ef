/// A cursor in the daemon's format, `epoch:number`.
enum CursorText {
    /// Longest cursor, far more than is needed; three of them fit into a `CursorRecord`.
    static let mostBytes = 40

    static func isCursor(_ text: some StringProtocol) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard text.utf8.count <= mostBytes, parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return false }
        return parts[0].allSatisfy {
            (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
            && parts[1].allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Whether a cursor could be a mistyped time, such as 2026-02-30T03:00 or 25:00: the epochs of rxd are eight
    /// hexadecimal digits.
    static func resemblesTime(_ text: String) -> Bool {
        let epoch = text.prefix { $0 != ":" }
        return epoch.contains { !$0.isLetter && !$0.isNumber } || epoch.count <= 2 && epoch.allSatisfy(\.isNumber)
    }
}
