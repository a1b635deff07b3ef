/// The bytes of one journal record, in the journal's native protocol.
struct JournalRecord {
    /// The journal's limit for the length of a field name.
    static let nameLimit = 64
    /// The prefix of fields from metadata, so that metadata cannot impersonate the journal's own fields.
    static let prefix = "RXD_"

    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(512) }

    /// A record about others that were lost.
    init(_ message: String, priority: Int, lost count: Int) {
        self.init()
        append("MESSAGE", message)
        append("PRIORITY", "\(priority)")
        append(metadata: "lost-records", "\(count)")
    }

    /// Appends a field. `name` must be a valid field name: uppercase ASCII, digits, `_`. The value may contain
    /// anything.
    mutating func append(_ name: String, _ value: String) {
        bytes.append(contentsOf: name.utf8)
        guard value.utf8.contains(UInt8(ascii: "\n")) else {
            bytes.append(UInt8(ascii: "="))
            bytes.append(contentsOf: value.utf8)
            return bytes.append(UInt8(ascii: "\n"))
        }
        // A multi-line value is preceded by its length in 64 little-endian bits.
        bytes.append(UInt8(ascii: "\n"))
        withUnsafeBytes(of: UInt64(value.utf8.count).littleEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: value.utf8)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Appends a field for a metadata key: `peer-uid` becomes `RXD_PEER_UID`. Invalid characters become `_`.
    mutating func append(metadata key: String, _ value: String) {
        append(Self.fieldName(for: key), value)
    }

    static func fieldName(for key: String) -> String {
        let name = key.utf8.prefix(nameLimit - prefix.utf8.count).map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
            default: UInt8(ascii: "_")
            }
        }
        return prefix + String(decoding: name, as: UTF8.self)
    }
}
