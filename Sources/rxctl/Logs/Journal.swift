internal import Glibc
internal import RxJSON

/// What the journal of this machine has, read with journalctl: everything that the user may read there.
enum Journal {
    /// The words after `journalctl` for the records with this field and value.
    static func arguments(_ match: String, follow: Bool) -> [String] {
        // Without --all, journalctl leaves out long texts; without --no-tail, following begins with the last ten.
        ["--quiet", "--output=json", "--all", "--output-fields=" + LogRecord.journalFields.joined(separator: ",")]
            + (follow ? ["--follow", "--no-tail"] : []) + [match]
    }

    /// What there is for a field and value.
    static func contents(_ match: String) throws(Ending) -> JournalContents {
        var contents = JournalContents()
        try read(match) { record throws(Ending) in
            contents.note(record)
            return true
        }
        return contents
    }

    /// Calls `body` with each record until there are no more, or it returns false.
    ///
    /// - Returns: whether there was any. No journal, or no journalctl, is an empty journal.
    @discardableResult
    static func read(
        _ match: String, follow: Bool = false, _ body: (LogRecord) throws(Ending) -> Bool
    ) throws(Ending) -> Bool {
        guard let program = ChildProgram("journalctl", arguments(match, follow: follow)) else {
            return false
        }
        defer { program.end() }
        var hasRecords = false
        var lines = JournalLines()
        while let chunk = try program.read() {
            for record in lines.take(chunk) {
                hasRecords = true
                guard try body(record) else { return true }
            }
        }
        return hasRecords
    }
}

/// The records in what journalctl prints.
struct JournalLines {
    /// The longest record that is read, in bytes; a message of the daemon is far shorter.
    private static let mostBytes = 1 << 20

    private var line: [UInt8] = []
    private var isTooLong = false

    /// The records that end in the next bytes.
    mutating func take(_ chunk: [UInt8]) -> [LogRecord] {
        var records: [LogRecord] = []
        for byte in chunk {
            guard byte == UInt8(ascii: "\n") else {
                isTooLong = isTooLong || line.count >= Self.mostBytes
                if isTooLong { line = [] } else { line.append(byte) }
                continue
            }
            let text = String(decoding: line, as: UTF8.self)
            if let record = (try? RawJSON(validating: text)).flatMap({ LogRecord(journal: $0.value()) }) {
                records.append(record)
            }
            (line, isTooLong) = ([], false)
        }
        return records
    }
}
