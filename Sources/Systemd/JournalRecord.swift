/// The bytes of one journal record, in the journal's native protocol.
struct JournalRecord {
    /// The journal refuses longer field names.
    static let nameLimit = 64
    /// Begins the names made from metadata, so that no metadata can pass for one of the journal's own fields.
    static let prefix = "RXD_"

    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(512) }

    /// `name` must be a valid field name: upper case ASCII, digits, `_`. The value may hold anything.
    mutating func append(_ name: String, _ value: String) {
        bytes.append(contentsOf: name.utf8)
        guard value.utf8.contains(UInt8(ascii: "\n")) else {
            bytes.append(UInt8(ascii: "="))
            bytes.append(contentsOf: value.utf8)
            return bytes.append(UInt8(ascii: "\n"))
        }
        // A value of several lines goes with its length in front, in 64 little-endian bits.
        bytes.append(UInt8(ascii: "\n"))
        withUnsafeBytes(of: UInt64(value.utf8.count).littleEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: value.utf8)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// A field for a metadata key: `peer-uid` becomes `RXD_PEER_UID`. What no field name may hold becomes `_`.
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
