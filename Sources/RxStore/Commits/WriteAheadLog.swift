internal import RxPlatform

/// The log of a database, for the one thing that SQLite cannot do with it: to take back a transaction that it has.
///
/// After a header come frames, each with a page. A frame counts if it has the salts of the header and the sum of all
/// frames up to it; the last one of a transaction has the size of the database
/// (<https://www.sqlite.org/fileformat2.html#the_write_ahead_log>).
enum WriteAheadLog {
    private static let headerBytes = 32
    private static let frameBytes = 24

    /// The last whole transaction of a log.
    struct Transaction: Equatable {
        /// Where its first frame begins.
        var begin: Int
        /// The lowest of its pages, from 1, and where its content is in the log.
        var page: Int
        var content: Range<Int>
    }

    /// Cuts off the last transaction of the log of a database that this process has not open. Fails if another process
    /// has, which may have read the transaction. Nothing is cut off if the log has none, or if one of its pages was
    /// moved to the database, where what the log has of it before is older.
    static func removeLastTransaction(of path: String, _ disk: Disk) throws(StoreError) {
        let database = try Database(path: path, on: disk)
        // From here on, no other connection can read.
        try database.execute("PRAGMA locking_mode = EXCLUSIVE; SELECT 1 FROM sqlite_schema")
        defer { withExtendedLifetime(database) {} }
        let log = path + "-wal"
        do throws(DiskFailure) {
            let bytes = try disk.read(log, disk.size(log) ?? 0)
            guard let last = bytes.withUnsafeBytes({ lastTransaction(in: $0) }) else { return }
            // Pages are moved in their order. This one is near the beginning: each transaction counts itself there.
            let pages = try disk.read(path, last.page * last.content.count)
            guard pages.suffix(last.content.count) != bytes[last.content] else { return }
            let error = disk.truncate(log, last.begin)
            guard error == 0 else { throw DiskFailure(call: "ftruncate", errno: error) }
        } catch {
            throw .file(call: error.call, path: log, errno: error.errno)
        }
    }

    /// The last whole transaction of a log; nil if it has none.
    static func lastTransaction(in log: UnsafeRawBufferPointer) -> Transaction? {
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
        var (last, current): (Transaction?, Transaction?) = (nil, nil)
        var frame = headerBytes
        while frame + frameSize <= log.count, word(frame + 8) == word(16), word(frame + 12) == word(20) {
            let (page, content) = (Int(word(frame)), (frame + frameBytes)..<(frame + frameSize))
            add(frame..<(frame + 8))
            add(content)
            guard isSum(at: frame + 16) else { break }
            var transaction = current ?? Transaction(begin: frame, page: page, content: content)
            if page <= transaction.page { (transaction.page, transaction.content) = (page, content) }
            let isWhole = word(frame + 4) > 0
            (last, current) = isWhole ? (transaction, nil) : (last, transaction)
            frame += frameSize
        }
        return last
    }
}
