internal import Glibc
internal import Rx
internal import Synchronization

/// Short lines in a file of fixed size, mapped into memory: writing one is a few stores and no system call, whatever the
/// disk is doing. It is there for whoever reads the file after this process was killed; not after the machine was.
///
/// Each slot is one line of text, so that the file can be read by people: a mark, then the text, then spaces.
// Unchecked: each slot is written by whoever took it; which are taken is behind a lock.
final class LedgerFile: @unchecked Sendable {
    /// More processes at a time than one machine bears, in a file of 128 KiB.
    static let slotCount = 1024
    /// Room for an execution (36), a pid (10), a start time (20), a boot id (36), and what separates them.
    static let slotBytes = 128

    enum Mark: UInt8 {
        /// " ": nobody's.
        case free = 0x20
        /// "?": the text is the beginning of one that is to come.
        case begun = 0x3F
        /// "+": the text is whole.
        case whole = 0x2B
    }

    private let base: UnsafeMutableRawBufferPointer
    private let free: Locked<[Int]>

    /// Maps a file of any content; what is not a slot as it should be is made a free one.
    static func open(_ descriptor: Int32) -> Result<LedgerFile, FileError> {
        let size = slotCount * slotBytes
        // All of it now: to write to a mapped page that the disk has no room for would be a SIGBUS.
        let code = posix_fallocate(descriptor, 0, off_t(size))
        guard code == 0, ftruncate(descriptor, off_t(size)) == 0 else {
            return .failure(FileError(code: code == 0 ? errno : code))
        }
        guard let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), address != MAP_FAILED
        else { return .failure(FileError(code: errno)) }
        return .success(LedgerFile(UnsafeMutableRawBufferPointer(start: address, count: size)))
    }

    struct FileError: Error {
        let code: Int32
    }

    private init(_ base: UnsafeMutableRawBufferPointer) {
        self.base = base
        let unused = (0..<Self.slotCount).reversed().filter { slot in
            switch Mark(rawValue: base[slot * Self.slotBytes]) {
            case .whole, .begun: false
            case .free, nil: true
            }
        }
        free = Locked(unused)
        for slot in unused { clear(slot) }
    }

    deinit { munmap(base.baseAddress, base.count) }

    /// The slots that hold a text, with it.
    func texts() -> [(slot: Int, text: Substring, isWhole: Bool)] {
        (0..<Self.slotCount).compactMap { slot in
            let bytes = bytes(of: slot)
            guard let mark = Mark(rawValue: bytes[0]), mark != .free else { return nil }
            let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
            return (slot, text.prefix { $0 != "\n" && $0 != "\0" }, mark == .whole)
        }
    }

    /// A slot to write to; nil when none is free.
    func take() -> Int? {
        free.withLock { $0.popLast() }
    }

    /// Replaces the text of a slot by one that begins with it, or fills a free one. Whenever this process is killed, a
    /// reader finds the mark it had with its text, or the new mark with all of the new text.
    func write(_ text: String, to slot: Int, mark: Mark) {
        let bytes = bytes(of: slot)
        fill(bytes, with: text)
        // The stores of the text come before that of the mark.
        atomicMemoryFence(ordering: .releasing)
        bytes[0] = mark.rawValue
    }

    /// Gives the slot back; once, if it is told to twice.
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
