/// The bytes of a zone file, record by record, for files that zic does not write.
struct TZifBuilder {
    var version: UInt8 = 0x32
    var times: [Int64] = []
    var indices: [UInt8] = []
    var types: [(offset: Int32, isDaylight: UInt8, name: UInt8)] = [(0, 0, 0)]
    var names: [UInt8] = Array("UTC\0".utf8)
    var leapSeconds = 0
    var footer = "\nUTC0\n"

    var bytes: [UInt8] {
        if version == 0 { return block(timeBytes: 4) }
        var first = self
        (first.times, first.indices, first.leapSeconds) = ([], [], 0)
        return first.block(timeBytes: 4) + block(timeBytes: 8) + Array(footer.utf8)
    }

    private func block(timeBytes: Int) -> [UInt8] {
        var bytes = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
        for count in [0, 0, leapSeconds, times.count, types.count, names.count] { bytes += big(Int64(count), 4) }
        for time in times { bytes += big(time, timeBytes) }
        bytes += indices
        for type in types { bytes += big(Int64(type.offset), 4) + [type.isDaylight, type.name] }
        bytes += names
        return bytes + [UInt8](repeating: 0, count: leapSeconds * (timeBytes + 4))
    }

    private func big(_ number: Int64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> Int64($0 * 8)) }
    }
}
