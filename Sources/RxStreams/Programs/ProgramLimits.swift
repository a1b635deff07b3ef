internal import RxJSON
internal import RxTime

/// The limits that every evaluator keeps. Those of time and memory are an evaluator's own.
public enum ProgramLimits {
    /// The most bytes of a program, which a person writes.
    public static let programBytes = 65_536
    /// The most bytes of an input with its key and `$from`: what a stream buffers.
    public static let inputBytes = 16 << 20
    /// The deepest result: the depth that clients can read, minus that of the enclosing message.
    public static let depth = JSONLimits().depth - 8
    /// The most programs that an evaluator keeps compiled, of those used last: some hundred KiB to some MiB.
    public static let keptPrograms = 256
}

extension StreamProgram {
    /// What makes the text unsuitable for any evaluator; nil if it can be compiled.
    public var faultOfText: String? {
        guard text.utf8.count <= ProgramLimits.programBytes else {
            return "the program is longer than \(ProgramLimits.programBytes) bytes"
        }
        return text.utf8.contains(0) ? "the program contains a NUL" : nil
    }
}

extension ProgramInput {
    /// The bytes of the texts.
    public var byteCount: Int { value.utf8.count + (key?.utf8.count ?? 0) + (from?.utf8.count ?? 0) }

    /// What makes the input unsuitable for any evaluator; nil if it can be evaluated.
    public var fault: String? {
        byteCount <= ProgramLimits.inputBytes ? nil : "the input is longer than \(ProgramLimits.inputBytes) bytes"
    }

    /// What `now` returns: seconds since 1970-01-01T00:00Z.
    public var seconds: Double { Double(time.microseconds) / 1_000_000 }
}
