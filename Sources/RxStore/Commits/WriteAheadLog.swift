internal import RxPlatform

/// The log of a database, for the one thing that SQLite cannot do with it: to take back a transaction that it has.
///
/// After a header come frames, each with a page. A frame counts if it has the salts of the header and the sum of all
/// frames up to it; the last one of a transaction has the size of the database
/// (<https://www.sqlite.org/fileformat2.html#the_write_ahead_log>).
enum WriteAheadLog {
    private static let headerBytes = 32
    private static let frameBytes = 24

    /// Cuts off the last transaction of the log of a database that this process has not open. Fails if another process
    /// has, which may have read the transaction. Nothing is cut off if the log has none.
    static func removeLastTransaction(of path: String, _ disk: Disk) throws(StoreError) {
        let database = try Database(path: path, on: disk)
        // From here on, no other connection can read.
        try database.execute("PRAGMA locking_mode = EXCLUSIVE; SELECT 1 FROM sqlite_schema")
        defer { withExtendedLifetime(database) {} }
        let log = path + "-wal"
        let bytes: [UInt8]
        do throws(DiskFailure) {
            bytes = try disk.read(log, disk.size(log) ?? 0)
        } catch {
            throw .file(call: error.call, path: log, errno: error.errno)
        }
        guard let end = bytes.withUnsafeBytes({ endBeforeLastTransaction($0) }) else { return }
        let error = disk.truncate(log, end)
        guard error == 0 else { throw .file(call: "ftruncate", path: log, errno: error) }
    }

    /// Where the last whole transaction of a log begins; nil if it has none.
    static func endBeforeLastTransaction(_ log: UnsafeRawBufferPointer) -> Int? {
        func word(_ offset: Int) -> UInt32 {
            UInt32(bigEndian: log.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
        guard log.count >= headerBytes, word(0) & ~1 == 0x377f_0682 else { return nil }
        let isBigEndian = word(0) & 1 == 1
        let frameSize = frameBytes + Int(word(8))
        var sum: (UInt32, UInt32) = (0, 0)
        func add(_ range: Range<Int>) {
            for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                let (first, second) = (word(offset), word(offset + 4))
                sum.0 &+= (isBigEndian ? first : first.byteSwapped) &+ sum.1
                sum.1 &+= (isBigEndian ? second : second.byteSwapped) &+ sum.0
            }
        }
        func isSum(at offset: Int) -> Bool { sum == (word(offset), word(offset + 4)) }
        add(0..<24)
        guard isSum(at: 24) else { return nil }
        var (begin, end, frame) = (headerBytes, headerBytes, headerBytes)
        while frame + frameSize <= log.count, word(frame + 8) == word(16), word(frame + 12) == word(20) {
            add(frame..<(frame + 8))
            add((frame + frameBytes)..<(frame + frameSize))
            guard isSum(at: frame + 16) else { break }
            let isLast = word(frame + 4) > 0
            frame += frameSize
            if isLast { (begin, end) = (end, frame) }
        }
        return end > headerBytes ? begin : nil
    }
}
