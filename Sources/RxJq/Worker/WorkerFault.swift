internal import CJq
public import RxHost
public import RxJSON

/// A failure within a worker.
public struct WorkerFault: Sendable {
    /// What the worker was doing.
    public let stage: WorkerStage
    /// The program that failed; nil if none did.
    public let place: ProgramPlace?
    /// What is wrong, on one line.
    public let message: String
    /// Whether a program, or jq, wrote the message, so that it may have values.
    public let isThrown: Bool
    /// The value that the program failed on, if known.
    public let input: RawJSON?

    /// A message of a program on one line.
    static func message(of bytes: some Sequence<UInt8>) -> String {
        String(decoding: Array(bytes), as: UTF8.self).split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}

extension ProgramPlace {
    /// The place with the numbers of `cjq_part` and `cjq_part_program`; nil for none.
    init?(part: Int, index: Int, program: Int) {
        let names: [UInt32: String] = [
            cjq_program_when.rawValue: "when", cjq_program_mutation.rawValue: "mutation",
            cjq_program_input.rawValue: "input", cjq_program_element.rawValue: "element",
            cjq_program_failure.rawValue: "failure", cjq_program_refuse.rawValue: "refuse",
            cjq_program_reduce.rawValue: Self.reduce,
        ]
        guard let name = names[UInt32(program)] else { return nil }
        switch UInt32(part) {
        case cjq_part_rule.rawValue: self.init(.rule(index), name)
        case cjq_part_merge.rawValue: self.init(.merge(index), name)
        default: self.init(nil, name)
        }
    }
}
