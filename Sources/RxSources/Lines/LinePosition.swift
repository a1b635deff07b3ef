internal import RxJSON

/// Where a file was read up to: which file, the offset behind the last line, and what identifies its content.
///
/// As JSON `{"device","inode","offset","length","hash"}`: `hash`, in hexadecimal, is that of the first `length` bytes.
struct LinePosition: Equatable {
    /// Enough bytes to distinguish logs, whose first lines contain a time; few enough to be read again at each wake-up.
    static let mostHashed = 256

    var device: UInt64
    var inode: UInt64
    var offset: Int64
    var length: Int
    var hash: UInt64

    init(_ status: FileStatus, offset: Int64, length: Int, hash: UInt64) {
        device = status.device
        inode = status.inode
        self.offset = offset
        self.length = length
        self.hash = hash
    }

    /// The position of no file.
    static let nothing = LinePosition(
        FileStatus(kind: .other, device: 0, inode: 0, modified: 0, changed: 0, size: 0, links: 0), offset: 0, length: 0,
        hash: emptyHash)

    /// Reads a position; nil if it is none.
    init?(_ json: RawJSON?) {
        guard let object = json?.value().object, let device = object["device"]?.int,
            let inode = object["inode"]?.int, let offset = object["offset"]?.int, let length = object["length"]?.int,
            let hash = object["hash"]?.string.flatMap({ UInt64($0, radix: 16) }), offset >= 0,
            (0...Self.mostHashed).contains(length)
        else { return nil }
        self.device = UInt64(UInt(bitPattern: device))
        self.inode = UInt64(UInt(bitPattern: inode))
        self.offset = Int64(offset)
        self.length = length
        self.hash = hash
    }

    var json: RawJSON {
        var writer = JSONWriter(reserving: 128)
        writer.object { writer in
            writer.field("device", Int(bitPattern: UInt(device)))
            writer.field("inode", Int(bitPattern: UInt(inode)))
            writer.field("offset", Int(offset))
            writer.field("length", length)
            writer.field("hash", String(hash, radix: 16))
        }
        return RawJSON(unchecked: writer.bytes)
    }

    /// Whether an open file is the one of the position, and still has its content.
    ///
    /// - Throws: what forbids to read it: it is not known whether it has.
    func matches(_ file: any OpenFile) throws(FileError) -> Bool {
        let status = try file.status
        guard status.device == device, status.inode == inode, status.size >= offset else { return false }
        return try LinePosition.hash(of: file, length: length) == hash
    }

    /// FNV-1a of the first bytes; nil if the file is shorter.
    static func hash(of file: any OpenFile, length: Int) throws(FileError) -> UInt64? {
        var bytes = [UInt8](repeating: 0, count: length)
        var have = 0
        while have < length {
            let count = try file.read(at: Int64(have), into: &bytes, have..<length)
            guard count > 0 else { return nil }
            have += count
        }
        return hash(emptyHash, bytes)
    }

    /// The hash of no bytes.
    static let emptyHash: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The hash of the bytes that `hash` is of, and more.
    static func hash(_ hash: UInt64, _ more: some Sequence<UInt8>) -> UInt64 {
        more.reduce(hash) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
