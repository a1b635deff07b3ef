/// A block of a zone file: the changes, and the local times that they refer to.
struct TZifBlock {
    private let initial: LocalTimeType
    private let changes: [ZoneChange]

    /// Reads the block that `header` announces; throws `invalidFile` if a record is not valid.
    init(_ header: TZifHeader, timeBytes: Int, _ reader: inout TZifReader) throws(ZoneFault) {
        let start = reader.offset
        guard (1...256).contains(header.types) else { throw reader.fault("expected 1 to 256 local times") }
        guard header.leapSeconds == 0 else { throw reader.fault("files with leap seconds are not supported") }
        for marks in [header.standardMarks, header.utcMarks] where marks != 0 && marks != header.types {
            throw reader.fault("expected as many marks as local times")
        }
        // Before anything is allocated for the records.
        var all = reader
        try all.skip(header.bytes(timeBytes: timeBytes))
        let times = try Self.times(header.changes, timeBytes, &reader)
        let indices = try Array(reader.take(header.changes))
        let types = try Self.types(header, &reader)
        if let wrong = indices.firstIndex(where: { Int($0) >= types.count }) {
            throw reader.fault("there is no such local time", at: start + header.changes * timeBytes + wrong)
        }
        try reader.skip(header.standardMarks + header.utcMarks)
        initial = types[0]
        changes = zip(times, indices).map { ZoneChange(time: $0, type: types[Int($1)]) }
    }

    func rules(name: String, rule: PosixRule?) throws(ZoneFault) -> TimeZoneRules {
        TimeZoneRules(name: name, initial: initial, changes: changes, rule: rule)
    }

    private static func times(_ count: Int, _ bytes: Int, _ reader: inout TZifReader) throws(ZoneFault) -> [Int64] {
        var times: [Int64] = []
        times.reserveCapacity(count)
        for _ in 0..<count {
            let time = try reader.integer(bytes: bytes)
            if let last = times.last, time <= last {
                throw reader.fault("the changes do not ascend", at: reader.offset - bytes)
            }
            times.append(time)
        }
        return times
    }

    private static func types(_ header: TZifHeader, _ reader: inout TZifReader) throws(ZoneFault) -> [LocalTimeType] {
        let start = reader.offset
        var records: [(offset: Int, isDaylight: Bool, name: Int)] = []
        for _ in 0..<header.types {
            let record = (
                offset: Int(try reader.integer(bytes: 4)), isDaylight: try reader.byte(), name: Int(try reader.byte())
            )
            guard LocalTimeType.offsets.contains(record.offset) else {
                throw reader.fault("the offset is larger than a day", at: reader.offset - 6)
            }
            guard record.isDaylight <= 1 else { throw reader.fault("expected 0 or 1", at: reader.offset - 2) }
            records.append((record.offset, record.isDaylight == 1, record.name))
        }
        let names = Array(try reader.take(header.abbreviationBytes))
        var types: [LocalTimeType] = []
        for (number, record) in records.enumerated() {
            guard record.name < names.count, let end = names[record.name...].firstIndex(of: 0) else {
                throw reader.fault("the abbreviation has no end", at: start + number * 6 + 5)
            }
            let abbreviation = String(decoding: names[record.name..<end], as: UTF8.self)
            types.append(
                LocalTimeType(offset: record.offset, isDaylight: record.isDaylight, abbreviation: abbreviation))
        }
        return types
    }
}
