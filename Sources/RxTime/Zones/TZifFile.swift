/// The contents of a zone file in the format TZif, versions 1 to 4 (RFC 9636).
enum TZifFile {
    /// The largest file that is read, in bytes. The largest one of tzdata has 4 KiB.
    static let mostBytes = 1 << 20

    /// The rules in a file's bytes. They may be any bytes: what is not a valid file throws `invalidFile`, or
    /// `invalidRule` for the line at its end. Files that count leap seconds are refused, since the system's clock has
    /// none.
    static func parse(_ bytes: [UInt8], name: String) throws(ZoneFault) -> TimeZoneRules {
        guard bytes.count <= mostBytes else {
            throw .invalidFile(offset: mostBytes, "the file is larger than \(mostBytes) bytes")
        }
        var reader = TZifReader(bytes)
        let first = try TZifHeader(&reader)
        guard first.version >= 2 else {
            return try TZifBlock(first, timeBytes: 4, &reader).rules(name: name, rule: nil)
        }
        // Later versions repeat the data with times of 64 bits; the first block is for readers of version 1.
        try reader.skip(first.bytes(timeBytes: 4))
        let header = try TZifHeader(&reader)
        let block = try TZifBlock(header, timeBytes: 8, &reader)
        let footer = try reader.line()
        return try block.rules(name: name, rule: footer.isEmpty ? nil : PosixRuleParser.parse(footer))
    }
}

extension TimeZoneRules {
    /// The rules in the bytes of a zone file, which may be any bytes; throws `invalidFile` or `invalidRule`.
    public init(name: String, file bytes: [UInt8]) throws(ZoneFault) {
        self = try TZifFile.parse(bytes, name: name)
    }

    /// The rules that a text of POSIX describes, such as `CET-1CEST,M3.5.0,M10.5.0/3`; throws `invalidRule`.
    public init(posix text: String) throws(ZoneFault) {
        let rule = try PosixRuleParser.parse(text)
        self.init(name: text, initial: rule.standard, changes: [], rule: rule)
    }
}
