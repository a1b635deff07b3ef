internal import Glibc
internal import RxLoop

/// The input that a socket buffers: at most an incomplete line, and lines not requested yet. Costs nothing while empty.
struct KeptBytes: ~Copyable {
    /// The capacity that an idle socket may keep; more is freed as soon as it is empty.
    private static let retainedRoom = 4096

    private var base: UnsafeMutableRawPointer?
    /// The allocated size, including padding.
    private(set) var room = 0
    private var start = 0
    private var end = 0
    /// There is no newline before this position, so a long line that arrives slowly is searched once.
    private var searched = 0

    deinit { free(base) }

    var count: Int { end - start }
    var isEmpty: Bool { end == start }
    var hasUnsearched: Bool { searched < end }
    var last: UInt8? { isEmpty ? nil : base?.load(fromByteOffset: end - 1, as: UInt8.self) }

    /// The distance from the first byte to the first newline.
    mutating func findNewline() -> Int? {
        guard hasUnsearched else { return nil }
        guard let found = bytes(from: searched).firstNewline else {
            markSearched()
            return nil
        }
        return searched + found - start
    }

    mutating func markSearched() { searched = end }

    /// Returns `length` bytes and removes them and the newline after them. Valid until the next change.
    mutating func takeLine(_ length: Int) -> UnsafeRawBufferPointer {
        let line = UnsafeRawBufferPointer(rebasing: bytes(from: start)[..<length])
        start += length + 1
        searched = start
        return line
    }

    mutating func takeAll() -> UnsafeRawBufferPointer {
        let all = bytes(from: start)
        (start, end, searched) = (0, 0, 0)
        return all
    }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        guard let source = more.baseAddress, !more.isEmpty else { return }
        if isEmpty { (start, end, searched) = (0, 0, 0) }
        makeRoom(for: more.count)
        base?.advanced(by: end).copyMemory(from: source, byteCount: more.count)
        end += more.count
    }

    /// Frees the capacity of a long line after its delivery.
    mutating func trim() {
        guard isEmpty, room > Self.retainedRoom else { return }
        free(base)
        (base, room, start, end, searched) = (nil, 0, 0, 0, 0)
    }

    private func bytes(from offset: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base.map { UnsafeRawPointer($0) + offset }, count: end - offset)
    }

    private mutating func makeRoom(for more: Int) {
        guard end + more + EventLoop.linePadding > room else { return }
        if let base, start > 0 {
            memmove(base, base + start, count)
            (start, end, searched) = (0, end - start, searched - start)
        }
        let needed = end + more + EventLoop.linePadding
        guard needed > room else { return }
        room = max(needed, 2 * room)
        base = realloc(base, room)
        precondition(base != nil, "out of memory")
    }
}

extension UnsafeRawBufferPointer {
    var firstNewline: Int? {
        guard let baseAddress, let found = memchr(baseAddress, Int32(UInt8(ascii: "\n")), count) else { return nil }
        return UnsafeRawPointer(found) - baseAddress
    }
}
