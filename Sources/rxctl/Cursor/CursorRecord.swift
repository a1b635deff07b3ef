internal import RxJSON

/// The content of a cursor file: two lines, the cursor, and an object with the boot in which it was written, the last
/// sync point, and the intent while a batch is being written.
///
/// The size is always the same, so that one write changes all of it and never needs more disk space.
struct CursorRecord: Equatable {
    /// Within one page, which the kernel writes whole or not at all, even if the process is killed; and one sector,
    /// which the disk writes whole or not at all.
    static let size = 512
    /// Characters of a boot's identity: enough to distinguish it from others.
    static let bootDigits = 16

    var cursor: String?
    var intent: WriteIntent?
    /// The boot in which it was written; nil if that is unknown, or an earlier version wrote it.
    var boot: String?
    var sync: SyncPoint?

    /// Exactly `size` bytes. The cursors must be valid by `CursorText`.
    var bytes: [UInt8] {
        var bytes = Array((cursor ?? "").utf8)
        bytes.append(UInt8(ascii: "\n"))
        var facts = intent?.members ?? [:]
        facts["boot"] = boot.map { .string($0) }
        sync?.add(to: &facts)
        if !facts.isEmpty { bytes += RawJSON(.object(facts)).utf8 }
        precondition(bytes.count < CursorRecord.size, "a cursor longer than allowed")
        // The padding is in the second line, so that `$(head -1 FILE)` is the cursor alone.
        bytes += Array(repeating: UInt8(ascii: " "), count: CursorRecord.size - 1 - bytes.count)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }
}

extension CursorRecord {
    /// Reads a cursor file, an empty file, or a file with a cursor that somebody has typed; nil for anything else.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= CursorRecord.size, !bytes.contains(0) else { return nil }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        let first = lines[0]
        guard first.isEmpty || CursorText.isCursor(first) else { return nil }
        cursor = first.isEmpty ? nil : first
        let rest = lines.dropFirst().filter { !$0.allSatisfy { $0 == " " } }
        guard let second = rest.first else { return }
        guard rest.count == 1, let value = try? RawJSON(validating: second).value() else { return nil }
        intent = WriteIntent(value)
        sync = SyncPoint(value)
        boot = value["boot"]?.string
        guard intent != nil || value["file"] == nil, sync != nil || value["inode"] == nil,
            intent != nil || sync != nil || boot != nil, boot?.utf8.count ?? 0 <= CursorRecord.bootDigits
        else { return nil }
    }
}

/// A batch that is about to be appended to the output, and the cursor that it reaches to.
struct WriteIntent: Equatable {
    /// Bytes of the batch that are stored, to distinguish it from what other processes write.
    static let headBytes = 24
    /// Lines of which a short hash is stored, to distinguish them as well; more do not fit.
    static let mostLines = 16

    /// The output's device and inode.
    let file: String
    /// The output's size before the batch.
    let size: Int
    /// The batch's length.
    let bytes: Int
    let head: String
    let hash: String
    /// The hash up to the end of each line.
    let lines: [String]
    /// The cursor after the batch.
    let cursor: String

    /// The members of a cursor file's second line.
    fileprivate var members: JSONObject {
        [
            "file": .string(file), "size": JSONValue(size), "bytes": JSONValue(bytes), "head": .string(head),
            "hash": .string(hash), "lines": .string(lines.joined()), "cursor": .string(cursor),
        ]
    }
}

extension WriteIntent {
    init(file: String, size: Int, batch: UnsafeRawBufferPointer, cursor: String) {
        var hash = BatchHash()
        var lines: [String] = []
        for byte in batch {
            hash.add(byte)
            if byte == UInt8(ascii: "\n") { lines.append(hash.digits) }
        }
        self.init(
            file: file, size: size, bytes: batch.count, head: Self.head(batch), hash: hash.text, lines: lines,
            cursor: cursor)
    }

    fileprivate init?(_ value: JSONValue) {
        guard let file = value["file"]?.string, let size = value["size"]?.int, let bytes = value["bytes"]?.int,
            let head = value["head"]?.string, let hash = value["hash"]?.string, let lines = value["lines"]?.string,
            let cursor = value["cursor"]?.string, size >= 0, bytes > 0, lines.utf8.count % BatchHash.digits == 0,
            CursorText.isCursor(cursor)
        else { return nil }
        let digits = Array(lines)
        self.init(
            file: file, size: size, bytes: bytes, head: head, hash: hash,
            lines: stride(from: 0, to: digits.count, by: BatchHash.digits).map {
                String(digits[$0..<min(digits.count, $0 + BatchHash.digits)])
            }, cursor: cursor)
    }

    /// The first bytes in hexadecimal digits.
    static func head(_ batch: UnsafeRawBufferPointer) -> String {
        batch.prefix(headBytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// FNV-1a: distinguishes a batch from what another process happens to have written; no defense against an attacker.
struct BatchHash {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x100_0000_01b3
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes { add(byte) }
    }

    var text: String { String(state, radix: 16) }

    /// Hexadecimal digits of a line's short hash.
    static let digits = 4
    var digits: String {
        let text = String((state ^ state >> 32) & 0xFFFF, radix: 16)
        return String(repeating: "0", count: BatchHash.digits - text.count) + text
    }
}
