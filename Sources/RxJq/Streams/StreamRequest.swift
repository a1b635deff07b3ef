internal import CJq
internal import RxJSON
internal import RxStreams

/// Encodes requests to a worker; `CJqStream.h` has their form.
struct StreamRequest {
    /// The most bytes of the values in one request, unless one input has more: a socket takes them in a few writes.
    static let mostBytes = 1 << 20
    /// The most inputs of one request.
    static let mostInputs = 1024

    private(set) var bytes: [UInt8] = []

    /// The memory that is kept after a large request.
    private static let kept = 4 << 20

    mutating func clear() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.kept)
    }

    mutating func compile(_ program: StreamProgram, as evaluated: EvaluatedProgram, in slot: Int) {
        let use =
            switch program.use {
            case .one: cjq_use_one
            case .many: cjq_use_many
            case .condition: cjq_use_condition
            }
        frame(cjq_stream_program_request) { request in
            request.append(slot)
            request.append(Int(use.rawValue))
            request.append(evaluated.mentions.isEmpty ? 0 : 1)
            request.append(ProgramLimits.depth)
            request.append(program.text.utf8.count)
            request.bytes += program.text.utf8
            request.bytes.append(0)
            request.bytes += evaluated.text.utf8
            request.bytes.append(0)
        }
    }

    mutating func run(_ slot: Int, _ mentions: EvaluatedProgram.Mentions, on inputs: ArraySlice<ProgramInput>) {
        frame(cjq_stream_run_request) { request in
            request.append(slot)
            request.append(inputs.count)
            for input in inputs {
                request.append(input.value.utf8.count)
                guard !mentions.isEmpty else {
                    request.bytes += input.value.utf8
                    continue
                }
                let key = mentions.contains(.key) ? input.key?.utf8 ?? [] : []
                let from = mentions.contains(.from) ? input.from?.utf8 ?? [] : []
                request.append(key.count)
                request.append(from.count)
                withUnsafeBytes(of: input.seconds.bitPattern.littleEndian) {
                    request.bytes.append(contentsOf: $0)
                }
                request.bytes += input.value.utf8
                request.bytes += key
                request.bytes += from
            }
        }
    }

    private mutating func frame(_ kind: cjq_stream_request, _ content: (inout StreamRequest) -> Void) {
        let start = bytes.count
        append(0)
        bytes.append(UInt8(kind.rawValue))
        content(&self)
        let size = UInt32(bytes.count - start - 5).littleEndian
        withUnsafeBytes(of: size) { size in bytes.replaceSubrange(start..<start + 4, with: size) }
    }

    private mutating func append(_ number: Int) {
        withUnsafeBytes(of: UInt32(number).littleEndian) { bytes.append(contentsOf: $0) }
    }
}
