import Glibc
import Rx
import RxPlatform
import TestSupport

/// Copies of a store, one before each of its commits: what a kill at that moment leaves.
final class Copies: Sendable {
    /// In memory: a disk under load takes seconds for each of the many transactions.
    private static let parent = "/dev/shm"

    let original = TemporaryDirectory(in: parent)
    private let isOn = Locked(false)
    private let copies = Locked<[TemporaryDirectory]>([])

    var all: [TemporaryDirectory] { copies.withLock { $0 } }
    func begin() { isOn.withLock { $0 = true } }
    func end() { isOn.withLock { $0 = false } }

    /// The writer reads the clock before each commit, and does nothing else meanwhile.
    func note() -> Int64 {
        if isOn.withLock({ $0 }) {
            let copy = TemporaryDirectory(in: Self.parent)
            for name in original.names() { copy.write(name, bytes: Self.bytes("\(original.path)/\(name)")) }
            copies.withLock { $0.append(copy) }
        }
        return WallClock.system.milliseconds
    }

    private static func bytes(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "re") else { return [] }
        defer { fclose(file) }
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { all += buffer[..<count] }
        return all
    }
}
