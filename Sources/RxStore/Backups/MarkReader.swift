internal import Glibc
internal import RxPlatform

/// Reads the mark of a database that a daemon may be using.
enum MarkReader {
    /// A read can meet both slots while they are written, one after the other, but hardly this often in a row.
    private static let attempts = 100

    /// What is noted beside the database at `path`.
    static func content(of path: String, _ disk: Disk) throws(StoreError) -> CommitMarks.Content {
        var content = CommitMarks.Content.none
        for _ in 0..<attempts {
            do throws(DiskFailure) {
                content = self.content(of: try disk.read(path + "-lock", CommitMarks.bytes))
            } catch {
                guard error.errno != ENOENT else { return .none }
                throw .file(call: error.call, path: path + "-lock", errno: error.errno)
            }
            if case .mark = content { break }
        }
        return content
    }

    /// The content of these bytes of a file; those that are missing are 0.
    private static func content(of bytes: [UInt8]) -> CommitMarks.Content {
        let size = MemoryLayout<UInt64>.size
        let whole = bytes + [UInt8](repeating: 0, count: max(0, CommitMarks.bytes - bytes.count))
        return CommitMarks.newest(
            whole.withUnsafeBytes { bytes in
                stride(from: 0, to: CommitMarks.bytes, by: size).map {
                    bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self)
                }
            }
        ).content
    }
}
