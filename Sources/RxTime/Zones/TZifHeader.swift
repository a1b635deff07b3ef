/// The header of a block of a zone file: the version and the number of its records of each kind.
struct TZifHeader {
    /// 1 to 4.
    let version: Int
    let utcMarks: Int
    let standardMarks: Int
    let leapSeconds: Int
    let changes: Int
    let types: Int
    let abbreviationBytes: Int

    /// Reads a header; throws `invalidFile` if it is none, or if the numbers contradict each other.
    init(_ reader: inout TZifReader) throws(ZoneFault) {
        let start = reader.offset
        guard try Array(reader.take(4)) == Array("TZif".utf8) else {
            throw reader.fault("expected TZif", at: start)
        }
        let mark = try reader.byte()
        switch mark {
        case 0: version = 1
        case UInt8(ascii: "2")...UInt8(ascii: "4"): version = Int(mark - 0x30)
        default: throw reader.fault("expected a version from 1 to 4", at: start + 4)
        }
        try reader.skip(15)
        utcMarks = try Self.count(&reader)
        standardMarks = try Self.count(&reader)
        leapSeconds = try Self.count(&reader)
        changes = try Self.count(&reader)
        types = try Self.count(&reader)
        abbreviationBytes = try Self.count(&reader)
    }

    /// The length of the block that follows.
    func bytes(timeBytes: Int) -> Int {
        changes * (timeBytes + 1) + types * 6 + abbreviationBytes + leapSeconds * (timeBytes + 4) + standardMarks
            + utcMarks
    }

    /// No file has more records than bytes, so a larger number is an error, and sums of products cannot overflow.
    private static func count(_ reader: inout TZifReader) throws(ZoneFault) -> Int {
        let value = try reader.integer(bytes: 4)
        guard (0...Int64(TZifFile.mostBytes)).contains(value) else {
            throw reader.fault("the number of records is too large", at: reader.offset - 4)
        }
        return Int(value)
    }
}
