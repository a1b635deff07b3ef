import Glibc
import RxPlatform

/// A disk whose machine can lose power: what was not synced may then be missing, of each file for itself.
///
/// Its files are real ones in a directory, which have what was written. Beside that, the model has what is synced of
/// each file, and the changes since. At the cut, none of these changes are on the disk, all, the first few, or any of
/// them; the last write may be there in part. A mapped file has any of its contents since the last sync.
// Unchecked: used by one thread, that of a simulation.
final class ModelDisk: @unchecked Sendable {
    private enum Change {
        case write(offset: Int, [UInt8])
        case truncate(Int)
    }

    private struct File {
        var synced: [UInt8] = []
        var changes: [Change] = []
        /// Whether its name is gone, perhaps not on the disk.
        var isRemoved = false
    }

    private struct Mapping {
        /// The memory, while it is mapped.
        var bytes: UnsafeMutableRawBufferPointer?
        /// The synced content, then those since.
        var versions: [[UInt8]]
    }

    /// Whether the machine or the process has ended.
    private(set) var isDown = false
    private var wasCut = false
    private var boot: UInt64 = 1
    private var files: [String: File] = [:]
    private var mappings: [String: Mapping] = [:]
    /// What is left after the end of the machine or the process.
    private var left: [String: [UInt8]?] = [:]
    private var callsLeft: Int?
    /// What the disk refuses; `syncAndWrites` refuses writes from the first failed sync on.
    enum Refusal { case nothing, sync, syncAndWrites, all }
    var refusal = Refusal.nothing
    private var random: SplitMix
    private var fileSystem: ModelFileSystem?

    init(seed: UInt64) {
        random = SplitMix(seed)
        fileSystem = ModelFileSystem("rxd-model-\(ObjectIdentifier(self).hashValue)", self)
    }

    /// The calls of a store on this disk.
    var disk: Disk {
        var disk = Disk(fileSystem: fileSystem?.name)
        disk.bootID = { [self] in BootID(high: 1, low: boot) }
        disk.truncate = { [self] path, size in
            _ = truncate(path, to: size)
            return Disk.system.truncate(path, size)
        }
        disk.map = { [self] path, count throws(DiskFailure) in try map(path, count) }
        return disk
    }

    // MARK: The machine

    /// Cuts the power in the middle of one of the next calls.
    func cut(within calls: Int) { callsLeft = calls }

    /// Cuts the power now.
    func cut() {
        guard !isDown else { return }
        (isDown, wasCut) = (true, true)
        note()
        for path in files.keys.sorted() { left[path] = survivor(of: files[path]!) }
        for path in mappings.keys.sorted() {
            let versions = mappings[path]!.versions
            left[path] = .some(versions[Int(random.next() % UInt64(versions.count))])
        }
    }

    /// Kills the process: all that was written stays.
    func kill() {
        guard !isDown else { return }
        isDown = true
        note()
        for (path, file) in files { left[path] = .some(file.isRemoved ? nil : latest(of: file)) }
        for (path, mapping) in mappings { left[path] = .some(mapping.versions.last!) }
    }

    /// Starts the process again, or the machine, when everything of the former one is closed.
    func start() {
        callsLeft = nil
        guard isDown else { return }
        let isOtherBoot = wasCut
        (isDown, wasCut) = (false, false)
        if isOtherBoot { boot += 1 }
        for (path, content) in left {
            if mappings[path] == nil { unlink(path) }
            unlink(path + "-shm")
            guard let content else {
                files[path] = nil
                continue
            }
            // A mapped file keeps its size.
            let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
            precondition(Glibc.write(descriptor, content, content.count) == content.count)
            close(descriptor)
            if mappings[path] == nil {
                var file = File()
                // After a kill, what was not synced still is not.
                if isOtherBoot { file.synced = content } else { file = files[path]! }
                files[path] = file
            } else if isOtherBoot {
                mappings[path]?.versions = [content]
            }
        }
        left = [:]
    }

    private func latest(of file: File) -> [UInt8] { content(file.synced, file.changes) }

    private func content(_ start: [UInt8], _ changes: [Change]) -> [UInt8] {
        var bytes = start
        for change in changes {
            switch change {
            case .write(let offset, let written):
                let missing = offset + written.count - bytes.count
                if missing > 0 { bytes += [UInt8](repeating: 0, count: missing) }
                bytes.replaceSubrange(offset..<(offset + written.count), with: written)
            case .truncate(let size):
                bytes = Array(bytes.prefix(size))
            }
        }
        return bytes
    }

    /// What the disk has of a file; nil if not even its name.
    private func survivor(of file: File) -> [UInt8]? {
        if file.isRemoved, random.next() % 2 == 0 { return nil }
        switch random.next() % 4 {
        case 0: return file.synced
        case 1: return latest(of: file)
        case 2:
            var changes = Array(file.changes.prefix(Int(random.next() % UInt64(file.changes.count + 1))))
            if case .write(let offset, let bytes)? = changes.last {
                let count = Int(random.next() % UInt64(bytes.count + 1))
                changes[changes.count - 1] = .write(offset: offset, Array(bytes.prefix(count)))
            }
            return content(file.synced, changes)
        case _: return content(file.synced, file.changes.filter { _ in random.next() % 2 == 0 })
        }
    }

    // MARK: Calls of the file system. False if the machine is down.

    func write(_ path: String, at offset: Int, _ bytes: [UInt8]) -> Bool {
        change(path, .write(offset: offset, bytes))
    }

    func truncate(_ path: String, to size: Int) -> Bool { change(path, .truncate(size)) }

    func sync(_ path: String) -> Bool {
        guard !path.isEmpty else { return !isDown }
        guard refusal == .nothing else {
            if refusal == .syncAndWrites { refusal = .all }
            return false
        }
        guard step() else { return false }
        // A file system with a journal brings names to the disk in their order, with the next sync.
        for (path, file) in files where file.isRemoved { files[path] = nil }
        guard var file = files[path] else { return true }
        file.synced = latest(of: file)
        file.changes = []
        files[path] = file
        return true
    }

    func remove(_ path: String, syncs: Bool) -> Bool {
        guard step() else { return false }
        if syncs { files[path] = nil } else { files[path]?.isRemoved = true }
        return true
    }

    private func change(_ path: String, _ change: Change) -> Bool {
        // A temporary file without a name.
        guard !isDown, !path.isEmpty else { return !isDown }
        guard refusal != .all else { return false }
        if files[path]?.isRemoved == true { files[path] = nil }
        // The last one may be on the disk in part.
        files[path, default: File()].changes.append(change)
        return step()
    }

    /// Counts a call; the power may go in it.
    private func step() -> Bool {
        guard !isDown else { return false }
        note()
        guard let calls = callsLeft else { return true }
        callsLeft = calls - 1
        if calls <= 1 { cut() }
        return !isDown
    }

    // MARK: Mapped files

    private func map(_ path: String, _ count: Int) throws(DiskFailure) -> FileMapping {
        let real = try Disk.system.map(path, count)
        let content = Array(real.bytes)
        mappings[path] = Mapping(bytes: real.bytes, versions: (mappings[path]?.versions ?? [content]) + [content])
        return FileMapping(
            real.bytes,
            sync: { [self] _ in
                guard step() else { return EIO }
                mappings[path]?.versions = [Array(real.bytes)]
                return 0
            },
            release: { [self] _ in
                if mappings[path]?.bytes?.baseAddress == real.bytes.baseAddress { mappings[path]?.bytes = nil }
            })
    }

    /// Notes what the mapped files have now.
    private func note() {
        for (path, mapping) in mappings {
            guard let bytes = mapping.bytes, left.isEmpty else { continue }
            let content = Array(bytes)
            if mapping.versions.last != content { mappings[path]?.versions.append(content) }
        }
    }
}
