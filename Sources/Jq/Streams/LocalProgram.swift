internal import CJq
internal import RxJSON
internal import RxStreams

// Used by one thread at a time.
/// A program of a stream, compiled in this process.
final class LocalProgram {
    let program: StreamProgram
    private let mentions: EvaluatedProgram.Mentions
    /// NULL without memory.
    private let compiled: OpaquePointer?

    /// Compiles a program that has no `faultOfText`.
    init(_ program: StreamProgram) {
        self.program = program
        let evaluated = EvaluatedProgram(program)
        let mentions = evaluated.mentions
        self.mentions = mentions
        compiled = program.text.withCString { text in
            evaluated.text.withCString { evaluated in
                let use =
                    switch program.use {
                    case .one: cjq_use_one
                    case .many: cjq_use_many
                    case .condition: cjq_use_condition
                    }
                return cjq_stream_compile(
                    cjq_stream_definition(
                        text: text, evaluated: evaluated, use: use, has_context: mentions.isEmpty ? 0 : 1,
                        depth: Int32(ProgramLimits.depth)))
            }
        }
    }

    deinit { cjq_stream_free(compiled) }

    /// jq's message if the program is not valid.
    var fault: String? {
        guard let compiled else { return Self.noMemory }
        return cjq_stream_fault(compiled).map { String(cString: $0) }
    }

    private static let noMemory = "jq cannot be started"

    func result(for input: ProgramInput) -> ProgramResult {
        guard let compiled else { return .failed(Self.noMemory) }
        var content = cjq_text()
        let result = withText(of: input.value) { value in
            withText(of: mentions.contains(.key) ? input.key : nil) { key in
                withText(of: mentions.contains(.from) ? input.from : nil) { from in
                    cjq_stream_evaluate(
                        compiled, cjq_stream_input(value: value, time: input.seconds, key: key, from: from), &content)
                }
            }
        }
        let bytes = UnsafeRawBufferPointer(start: content.start, count: content.size)
        switch result {
        case cjq_result_true: return .values([.true])
        case cjq_result_false: return .values([.false])
        case cjq_result_values: return .values(values(bytes))
        default: return .failed(String(decoding: bytes, as: UTF8.self))
        }
    }

    private func withText<Result>(of value: RawJSON?, _ body: (cjq_text) -> Result) -> Result {
        guard let value else { return body(cjq_text(start: nil, size: 0)) }
        return value.utf8.withUnsafeBytes { bytes in
            body(cjq_text(start: bytes.baseAddress?.assumingMemoryBound(to: CChar.self), size: bytes.count))
        }
    }

    private func values(_ bytes: UnsafeRawBufferPointer) -> [RawJSON] {
        var values: [RawJSON] = []
        var rest = bytes[...]
        while rest.count >= 4 {
            let size = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: rest.startIndex, as: UInt32.self)))
            rest = rest.dropFirst(4)
            values.append(RawJSON(unchecked: Array(rest.prefix(size))))
            rest = rest.dropFirst(size)
        }
        return values
    }
}
