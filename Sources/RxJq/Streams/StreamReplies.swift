internal import CJq
internal import Glibc
internal import RxJSON
internal import RxStreams

/// A reply of a worker.
enum StreamReply {
    /// To a program.
    case compiled
    /// To an input.
    case result(ProgramResult)
    /// In place of all further results of a request, which would take long.
    case paused
}

// Used by one thread at a time.
/// Splits the bytes from a worker into replies.
final class StreamReplies {
    /// The most bytes of one reply: the results with their lengths.
    static let mostBytes = Int(cjq_most_result_bytes.rawValue) + 4 * Int(cjq_most_results.rawValue)
    private static let header = 5
    /// The size of a read, and the memory kept after a large reply.
    private static let room = 65_536

    private static let holds = ProgramResult.values([.true])
    private static let fails = ProgramResult.values([.false])

    struct Malformed: Error {}

    private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 8)
    private var first = 0
    private var last = 0

    deinit { buffer.deallocate() }

    /// Whether all bytes belonged to replies that have been returned.
    var isEmpty: Bool { first == last }

    /// Waits for bytes and reads them. Returns their number, 0 at the end, or -1 with errno set.
    func fill(from descriptor: Int32) -> Int {
        let needed = max(Self.room, announced ?? 0)
        if first > 0 {
            memmove(buffer.baseAddress!, buffer.baseAddress! + first, last - first)
            (first, last) = (0, last - first)
        }
        if buffer.count < needed || last == 0 && buffer.count > Self.room {
            let other = UnsafeMutableRawBufferPointer.allocate(byteCount: needed, alignment: 8)
            other.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<last]))
            buffer.deallocate()
            buffer = other
        }
        let count = recv(descriptor, buffer.baseAddress! + last, buffer.count - last, 0)
        if count > 0 { last += count }
        return count
    }

    /// The full length of the incoming reply, at most one byte more than is permitted; nil if it is not known.
    private var announced: Int? {
        last - first >= Self.header ? min(Self.header + number(at: first), Self.header + Self.mostBytes + 1) : nil
    }

    private func number(at place: Int) -> Int {
        Int(UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
    }

    /// Returns the next complete reply, or nil.
    func next() throws(Malformed) -> StreamReply? {
        guard let count = announced else { return nil }
        guard count <= Self.header + Self.mostBytes else { throw Malformed() }
        guard last - first >= count else { return nil }
        let kind = UInt32(buffer[first + 4])
        let (start, end) = (first + Self.header, first + count)
        first = end
        switch kind {
        case cjq_result_true.rawValue where start == end: return .result(Self.holds)
        case cjq_result_false.rawValue where start == end: return .result(Self.fails)
        case cjq_result_values.rawValue: return .result(.values(try values(start, end)))
        case cjq_result_failed.rawValue:
            return .result(.failed(String(decoding: buffer[start..<end], as: UTF8.self)))
        case cjq_stream_compiled.rawValue where start == end: return .compiled
        case cjq_stream_paused.rawValue where start == end: return .paused
        default: throw Malformed()
        }
    }

    private func values(_ start: Int, _ end: Int) throws(Malformed) -> [RawJSON] {
        var values: [RawJSON] = []
        var place = start
        while place < end {
            guard end - place >= 4 else { throw Malformed() }
            let size = number(at: place)
            place += 4
            guard size > 0, size <= end - place else { throw Malformed() }
            values.append(RawJSON(unchecked: Array(buffer[place..<place + size])))
            place += size
        }
        return values
    }
}
