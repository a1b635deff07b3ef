import Glibc
import Synchronization

@testable import rxctl

/// Files whose machine can lose power: what was not synced may then be lost, of each file for itself.
///
/// The files are real ones, so that the code under test can open them. Each call on them notes the file's content;
/// after the cut, the disk has any of the contents since the last sync. One that grew may have a part of its last
/// bytes, or zeros in their place. A new file may be gone as long as its directory was not synced.
final class ModelDisk: Sendable {
    fileprivate struct File {
        /// The synced content, then those of later calls.
        var versions: [[UInt8]] = [[]]
    }

    fileprivate struct State {
        var boot = 1
        var files: [String: File] = [:]
        /// Directories whose names are on the disk: those of all files that readers make at their start.
        var namedDirectories: Set<String> = []
        var numbers: SplitMix
        /// The calls that are left until the machine stops; nil for never.
        var callsLeft: Int?
        var isDown = false
    }

    private let state: Mutex<State>

    init(seed: UInt64) {
        state = Mutex(State(numbers: SplitMix(state: seed)))
    }

    /// Whether the machine, or only the process, has stopped.
    var isDown: Bool { state.withLock { $0.isDown } }

    /// The machine, or only the process, stops in the middle of one of the next calls.
    func stop(within calls: Int?) { state.withLock { $0.callsLeft = calls } }

    /// The next process starts, in the same boot.
    func restart() {
        state.withLock { state in
            state.isDown = false
            state.callsLeft = nil
        }
    }

    /// The machine starts again, with what the disk has.
    func boot() {
        restart()
        state.withLock { state in
            state.boot += 1
            for path in state.files.keys.sorted() {
                guard let file = state.files[path] else { continue }
                let directory = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
                if !state.namedDirectories.contains(directory), state.numbers.next() % 2 == 0 {
                    unlink(path)
                    state.files[path] = nil
                    continue
                }
                let content = State.survivor(of: file, &state.numbers)
                ModelDisk.replace(path, with: content)
                state.files[path] = File(versions: [content])
            }
        }
    }

    var calls: FileCalls {
        FileCalls(
            write: { [self] descriptor, bytes in
                call(descriptor) { share in
                    let count = Int(Double(bytes.count) * share)
                    return count == 0 ? -1 : write(descriptor, bytes.baseAddress, count)
                }
            },
            writeAt: { [self] descriptor, bytes, offset in
                call(descriptor) { $0 > 0.5 ? pwrite(descriptor, bytes.baseAddress, bytes.count, offset) : -1 }
            },
            truncate: { [self] descriptor, size in
                call(descriptor) { $0 > 0.5 ? ftruncate(descriptor, size) : -1 }
            },
            sync: { [self] descriptor in call(descriptor, isSync: true) { $0 > 0.5 ? 0 : -1 } },
            bootID: { [self] in "boot \(state.withLock { $0.boot })" })
    }

    /// - Parameter body: does a share of the call, which is 1 unless the machine stops in it.
    private func call<Result: SignedInteger & Sendable>(
        _ descriptor: Int32, isSync: Bool = false, _ body: (Double) -> Result
    ) -> Result {
        state.withLock { state in
            errno = EIO
            guard !state.isDown else { return -1 }
            var share = 1.0
            if let left = state.callsLeft {
                state.callsLeft = left - 1
                if left <= 1 {
                    state.isDown = true
                    share = Double(state.numbers.next() % 101) / 100
                }
            }
            let result = body(share)
            let path = ModelDisk.path(descriptor)
            if isSync, result == 0 {
                state.files[path]?.versions = [ModelDisk.content(path)]
                state.namedDirectories.insert(path)
            } else if !isSync {
                state.files[path, default: File()].versions.append(ModelDisk.content(path))
            }
            return result
        }
    }

    private static func path(_ descriptor: Int32) -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/fd/\(descriptor)", &path, path.count)
        return String(decoding: path.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    static func content(_ path: String) -> [UInt8] {
        guard let stream = fopen(path, "r") else { return [] }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, stream), count > 0 { bytes += chunk[..<count] }
        return bytes
    }

    private static func replace(_ path: String, with bytes: [UInt8]) {
        // In place: the inode stays.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { close(descriptor) }
        precondition(write(descriptor, bytes, bytes.count) == bytes.count)
    }
}

extension ModelDisk.State {
    /// What the disk has of a file.
    fileprivate static func survivor(of file: ModelDisk.File, _ numbers: inout SplitMix) -> [UInt8] {
        let index = Int(numbers.next() % UInt64(file.versions.count))
        let version = file.versions[index]
        guard index > 0, version.count > file.versions[index - 1].count else { return version }
        // The last bytes may not have come so far.
        let grown = version.count - file.versions[index - 1].count
        let lost = Int(numbers.next() % UInt64(grown + 1))
        let isZero = numbers.next() % 4 == 0
        return version.dropLast(lost) + [UInt8](repeating: 0, count: isZero ? lost : 0)
    }
}

/// Random numbers from a seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        return value ^ value >> 31
    }
}
