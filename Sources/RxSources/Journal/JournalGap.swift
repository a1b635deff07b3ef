/// Records that were removed before they could be read. Whether they matched is not known.
struct JournalGap: Hashable {
    /// How many there were; nil if another journald has numbered what follows.
    var count: UInt64?

    /// What was removed together with a record; nil if that was the last one.
    ///
    /// - Parameters:
    ///   - cursor: that of the newest record that was known, which is gone.
    ///   - next: that of the first one that was found after it.
    init?(after cursor: String, before next: String) {
        guard let last = JournalNumber(cursor), let first = JournalNumber(next) else { return nil }
        guard last.source == first.source else { return }
        guard first.number > last.number + 1 else { return nil }
        count = first.number - last.number - 1
    }

    /// What happened, in a sentence without a period.
    var reason: String {
        let records = count.map { $0 == 1 ? "1 record" : "\($0) records" } ?? "an unknown number of records"
        return "\(records) of the journal may be missing: removed before this stream could read them; raise "
            + "SystemMaxUse= of journald, or vacuum less often"
    }
}

/// The number of a record, which journald increases by one for each record of any kind.
private struct JournalNumber {
    /// What has numbered it.
    var source: Substring
    var number: UInt64

    /// The number in a cursor, `s=ID;i=HEX;…`; nil if the cursor has none.
    init?(_ cursor: String) {
        var parts: [Substring: Substring] = [:]
        for part in cursor.split(separator: ";") {
            guard let sign = part.firstIndex(of: "=") else { continue }
            parts[part[..<sign]] = part[part.index(after: sign)...]
        }
        guard let source = parts["s"], let number = parts["i"].flatMap({ UInt64($0, radix: 16) }) else { return nil }
        self.source = source
        self.number = number
    }
}
