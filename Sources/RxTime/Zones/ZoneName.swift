/// The form of the names of zones.
enum ZoneName {
    /// The longest name that is accepted, in bytes, so that a path with it is never too long; tzdata's have up to 32.
    static let mostBytes = 255

    /// If a name has the form of a zone's: letters, digits, and `_+-` in parts separated by `/`. Such a name leads to
    /// no place outside tzdata.
    static func isValid(_ name: String) -> Bool {
        guard !name.isEmpty, name.utf8.count <= mostBytes else { return false }
        return name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.allSatisfy(isAllowed)
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || [0x5F, 0x2B, 0x2D].contains(byte)
    }
}
