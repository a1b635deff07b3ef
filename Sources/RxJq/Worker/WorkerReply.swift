internal import CJq
internal import Glibc
public import RxHost
public import RxJSON

/// A reply of a worker to a request.
public enum WorkerReply: Sendable {
    /// A reduced mutation and the patch from the previous state.
    case step(mutation: RawJSON, JSONPatch)
    /// A rule requests an execution with this input.
    case execution(rule: Int, input: RawJSON)
    /// The rules refuse the action: the one at the place, with its text, or all of them. Nothing was reduced.
    case refusal(ProgramPlace?, String)
    /// Something failed.
    case fault(WorkerFault)
    /// A limit is about to end the worker within this program: the last reply.
    case place(ProgramPlace)
    /// The last reply to a request.
    case done
}

/// What a worker was doing when a fault occurred.
public enum WorkerStage: Sendable, Hashable {
    /// The stages of a request; `size` is the check of the new state's size.
    case mutate, reduce, merge, setup, size

    init(_ number: Int) {
        self =
            switch number {
            case Int(cjq_stage_reduce.rawValue): .reduce
            case Int(cjq_stage_merge.rawValue): .merge
            case Int(cjq_stage_setup.rawValue): .setup
            case Int(cjq_stage_size.rawValue): .size
            case _: .mutate
            }
    }
}

// Used by one thread.
/// Splits the bytes from a worker into replies.
final class WorkerReplies {
    /// The most bytes of one reply: four states of the maximum size.
    static let mostBytes = 64 << 20
    private static let header = 5
    /// The size of a read, and the memory kept after a large reply.
    private static let room = 65_536

    struct Malformed: Error {}

    private let reader = JSONReader(limits: JSONLimits(bytes: mostBytes, depth: JSONLimits.greatestDepth))
    private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 8)
    private var first = 0
    private var last = 0

    deinit { buffer.deallocate() }

    /// Reads the available bytes. Returns their number, 0 at the end, or -1 with errno set.
    func fill(from descriptor: Int32) -> Int {
        let needed = max(Self.room / 2, announced ?? 0) + JSONReader.padding
        if first > 0 {
            memmove(buffer.baseAddress!, buffer.baseAddress! + first, last - first)
            (first, last) = (0, last - first)
        }
        let isFarTooLarge = buffer.count > 16 * max(needed, last, Self.room)
        if buffer.count < max(needed, last + Self.room / 4) || isFarTooLarge {
            let larger = UnsafeMutableRawBufferPointer.allocate(
                byteCount: max(needed, last) + Self.room, alignment: 8)
            larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<last]))
            buffer.deallocate()
            buffer = larger
        }
        let count = read(descriptor, buffer.baseAddress! + last, buffer.count - last - JSONReader.padding)
        if count > 0 { last += count }
        return count
    }

    /// The full length of the incoming reply, if known.
    private var announced: Int? {
        last - first >= Self.header ? Self.header + number(at: first) : nil
    }

    private func number(at place: Int) -> Int {
        Int(UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
    }

    private func place(at start: Int) -> ProgramPlace? {
        ProgramPlace(part: number(at: start), index: number(at: start + 4), program: number(at: start + 8))
    }

    /// Returns the next complete reply, or nil.
    func next() throws(Malformed) -> WorkerReply? {
        guard let count = announced else { return nil }
        guard count <= Self.mostBytes else { throw Malformed() }
        guard last - first >= count else { return nil }
        let kind = UInt32(buffer[first + 4])
        let (start, end) = (first + Self.header, first + count)
        first = end
        func raw(_ start: Int, _ end: Int) -> RawJSON { RawJSON(unchecked: Array(buffer[start..<end])) }
        switch kind {
        case cjq_done.rawValue: return .done
        case cjq_execution.rawValue where end - start > 4:
            return .execution(rule: number(at: start), input: raw(start + 4, end))
        case cjq_fault.rawValue where end - start >= 24:
            let message = start + 24
            let input = message + number(at: start + 20)
            guard input <= end else { throw Malformed() }
            return .fault(
                WorkerFault(
                    stage: WorkerStage(number(at: start)), place: place(at: start + 4),
                    message: WorkerFault.message(of: buffer[message..<input]), isThrown: number(at: start + 16) != 0,
                    input: input < end ? raw(input, end) : nil))
        case cjq_refusal.rawValue where end - start >= 12:
            return .refusal(place(at: start), WorkerFault.message(of: buffer[(start + 12)..<end]))
        case cjq_place.rawValue where end - start == 12:
            guard let place = place(at: start) else { throw Malformed() }
            return .place(place)
        case cjq_step.rawValue where end - start >= 4:
            let patch = start + 4 + number(at: start)
            guard patch <= end else { throw Malformed() }
            // The bytes after a reply suffice as padding.
            let text = UnsafeRawBufferPointer(rebasing: buffer[patch..<end])
            var outOfRange: JSONError?
            guard let view = try? reader.read(text, outOfRange: &outOfRange), let operations = try? JSONPatch(view)
            else { throw Malformed() }
            return .step(mutation: raw(start + 4, patch), operations)
        default: throw Malformed()
        }
    }
}
