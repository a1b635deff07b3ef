internal import RxJSON

/// Collects the fields of a record as a JSON object: each field is a string, or an array of strings if it occurs more
/// than once. Bytes that are not UTF-8 are replaced by U+FFFD.
///
/// A value is cut after `mostValueBytes`. The writer's fields together have `mostBytes`, after which values are cut and
/// further fields left out; journald's own, whose names begin with `_`, have `mostTrustedBytes`, so that no writer can
/// push them out.
struct JournalFields {
    /// The most bytes of a value: a long stack trace, or a line of journald's longest.
    static let mostValueBytes = 65_536
    /// The most bytes of a record, with names: an element must fit into memory several times. journald would take 768
    /// MiB.
    static let mostBytes = 262_144
    /// The most bytes of what journald adds: command lines and cgroups have a few thousand.
    static let mostTrustedBytes = 65_536

    private var names: [String] = []
    private var values: [String: [String]] = [:]
    private var bytesLeft = mostBytes
    private var trustedBytesLeft = mostTrustedBytes

    /// Adds a field: `NAME=value`, whose value may be any bytes.
    mutating func add(_ field: UnsafeRawBufferPointer) {
        guard let equals = field.firstIndex(of: UInt8(ascii: "=")), equals > 0 else { return }
        let isTrusted = field[0] == UInt8(ascii: "_")
        let room = (isTrusted ? trustedBytesLeft : bytesLeft) - equals
        guard room > 0 else { return }
        let name = String(decoding: field[..<equals], as: UTF8.self)
        let all = UnsafeRawBufferPointer(rebasing: field[(equals + 1)...])
        let value = Self.cut(all, at: min(room, Self.mostValueBytes))
        let used = equals + value.count
        if isTrusted { trustedBytesLeft -= used } else { bytesLeft -= used }
        if values[name] == nil { names.append(name) }
        values[name, default: []].append(String(decoding: value, as: UTF8.self))
    }

    /// The object, with the fields in the order in which they were added.
    var json: RawJSON {
        var writer = JSONWriter()
        writer.object { object in
            for name in names {
                object.key(name)
                let all = values[name] ?? []
                guard all.count > 1 else {
                    object.string(all.first ?? "")
                    continue
                }
                object.array { array in
                    for value in all { array.string(value) }
                }
            }
        }
        return RawJSON(unchecked: writer.bytes)
    }

    /// At most so many bytes, without a part of a character at the end that was cut.
    private static func cut(_ bytes: UnsafeRawBufferPointer, at limit: Int) -> UnsafeRawBufferPointer {
        guard bytes.count > limit else { return bytes }
        var end = limit
        // A character has up to three bytes after its first one.
        while end > 0, limit - end < 3, bytes[end] & 0b1100_0000 == 0b1000_0000 { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[..<end])
    }
}
