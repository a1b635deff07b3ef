internal import Glibc
internal import Rx
internal import Synchronization

// Unchecked: only the owner of a slot writes to it; a lock guards the set of owned slots.
/// Short lines in a memory-mapped file of fixed size. Writing one takes a few stores and no system call, regardless of
/// the disk. The file survives the death of this process, but not a crash of the machine.
///
/// Each slot is one line of readable text: a mark, the text, then spaces. A last line is written when no slot is free:
/// then the file does not list all processes.
final class LedgerFile: @unchecked Sendable {
    /// More concurrent processes than a machine can bear, in a file of 128 KiB.
    static let slotCount = 1024
    /// Begins the line after the slots, which is written when they are not enough.
    private static let fullMark = UInt8(ascii: "!")
    private static let size = (slotCount + 1) * slotBytes
    /// Space for an execution (36), a pid (10), a start time (20), a boot id (36), a checksum (8), and separators.
    static let slotBytes = 128

    enum Mark: UInt8 {
        /// " ": the slot is free.
        case free = 0x20
        /// "?": the text is a prefix of the final one.
        case begun = 0x3F
        /// "+": the text is complete.
        case whole = 0x2B
    }

    private let base: UnsafeMutableRawBufferPointer
    private let free: Locked<[Int]>
    private let fault: Locked<Fault?>
    /// Whether this process has found no free slot.
    private let wasFull = Locked(false)

    /// What may be missing in the file, until `settle`.
    private enum Fault {
        case new, damaged, full
    }

    /// Whether the file was empty, or there was none, or nothing was written to it yet; false after `settle`.
    var isNew: Bool { fault.withLock { $0 == .new } }
    /// Whether other bytes were written over a part of the file, or it was cut off; false after `settle`.
    var isDamaged: Bool { fault.withLock { $0 == .damaged } }
    /// Whether a process before this one found no free slot; false after `settle`.
    var wasFullBefore: Bool { fault.withLock { $0 == .full } }

    /// Maps a file with any content. Slots that are malformed are free, but stay as they are until `settle`: a process
    /// that opens the file after a kill sees that it is new or damaged, too.
    static func open(_ descriptor: Int32) -> Result<LedgerFile, FileError> {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .failure(FileError(code: errno)) }
        let isNew = status.st_size == 0
        // A version without the last line made a file without it.
        let isShort = !isNew && status.st_size < slotCount * slotBytes
        // Allocate all of it now, because writing to a mapped page without disk space raises SIGBUS.
        let code = posix_fallocate(descriptor, 0, off_t(size))
        guard code == 0, ftruncate(descriptor, off_t(size)) == 0 else {
            return .failure(FileError(code: code == 0 ? errno : code))
        }
        guard let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), address != MAP_FAILED
        else { return .failure(FileError(code: errno)) }
        let bytes = UnsafeMutableRawBufferPointer(start: address, count: size)
        return .success(LedgerFile(bytes, isNew: isNew, isShort: isShort))
    }

    struct FileError: Error {
        let code: Int32
    }

    private init(_ base: UnsafeMutableRawBufferPointer, isNew: Bool, isShort: Bool) {
        self.base = base
        let isNew = isNew || base.allSatisfy { $0 == 0 }
        var (unused, malformed): ([Int], [Int]) = ([], [])
        for slot in (0..<Self.slotCount).reversed() {
            switch Mark(rawValue: base[slot * Self.slotBytes]) {
            case .whole, .begun: break
            case .free: unused.append(slot)
            case nil: malformed.append(slot)
            }
        }
        let last = base[Self.slotCount * Self.slotBytes]
        let isDamaged = isShort || !malformed.isEmpty || ![0, Mark.free.rawValue, Self.fullMark].contains(last)
        fault = Locked(isNew ? .new : isDamaged ? .damaged : last == Self.fullMark ? .full : nil)
        // Taken from the end: the malformed ones last.
        free = Locked(malformed + unused)
        for slot in unused { clear(slot) }
    }

    /// Clears the malformed slots. From here on, the file is neither new nor damaged, also after a crash of the machine
    /// if it was new. The note that it was full stays if this process has found no free slot either.
    func settle() {
        wasFull.withLock { wasFull in
            if !wasFull { clear(Self.slotCount) }
        }
        let wasCleared = free.withLock { free in
            let malformed = free.filter { Mark(rawValue: bytes(of: $0)[0]) == nil }
            for slot in malformed { clear(slot) }
            return !malformed.isEmpty
        }
        if isNew, wasCleared { msync(base.baseAddress, base.count, MS_SYNC) }
        fault.withLock { $0 = nil }
    }

    deinit { munmap(base.baseAddress, base.count) }

    /// The texts of the occupied slots.
    func texts() -> [(slot: Int, text: Substring, isWhole: Bool)] {
        (0..<Self.slotCount).compactMap { slot in
            let bytes = bytes(of: slot)
            guard let mark = Mark(rawValue: bytes[0]), mark != .free else { return nil }
            let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
            return (slot, text.prefix { $0 != "\n" && $0 != "\0" }, mark == .whole)
        }
    }

    /// Takes a free slot; nil if there is none, which is noted in the file.
    func take() -> Int? {
        if let slot = free.withLock({ $0.popLast() }) { return slot }
        wasFull.withLock { wasFull in
            guard !wasFull else { return }
            wasFull = true
            let bytes = bytes(of: Self.slotCount)
            fill(bytes, with: " there were more processes than lines")
            atomicMemoryFence(ordering: .releasing)
            bytes[0] = Self.fullMark
        }
        return nil
    }

    /// Fills a free slot, or replaces its text by one that begins with the old one. If this process is killed
    /// meanwhile, a reader finds either the old mark with the old text or the new mark with the complete new text.
    func write(_ text: String, to slot: Int, mark: Mark) {
        let bytes = bytes(of: slot)
        fill(bytes, with: text)
        // Store the text before the mark.
        atomicMemoryFence(ordering: .releasing)
        bytes[0] = mark.rawValue
    }

    /// Releases the slot. A second call has no effect.
    func release(_ slot: Int) {
        guard bytes(of: slot)[0] != Mark.free.rawValue else { return }
        clear(slot)
        free.withLock { $0.append(slot) }
    }

    private func clear(_ slot: Int) {
        let bytes = bytes(of: slot)
        bytes[0] = Mark.free.rawValue
        atomicMemoryFence(ordering: .releasing)
        fill(bytes, with: "")
    }

    private func fill(_ bytes: UnsafeMutableRawBufferPointer, with text: String) {
        var offset = 1
        for byte in text.utf8.prefix(Self.slotBytes - 2) {
            bytes[offset] = byte
            offset += 1
        }
        while offset < Self.slotBytes - 1 {
            bytes[offset] = UInt8(ascii: " ")
            offset += 1
        }
        bytes[offset] = UInt8(ascii: "\n")
    }

    private func bytes(of slot: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: base[(slot * Self.slotBytes)..<((slot + 1) * Self.slotBytes)])
    }
}
