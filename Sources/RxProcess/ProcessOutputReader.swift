internal import RxRecords
internal import RxHost
internal import RxJSON

/// Converts standard output to elements as it arrives.
struct ProcessOutputReader {
    private let limits: ProcessLimits
    private var form: Form
    /// The first line that was not valid UTF-8; invalid bytes are replaced by U+FFFD.
    private(set) var repairedLine: Int?

    private enum Form {
        case lines(LineSplitter)
        case json(LineSplitter)
        case text([UInt8])
    }

    init(_ output: ProcessOutput, limits: ProcessLimits) {
        self.limits = limits
        form =
            switch output {
            case .lines: .lines(LineSplitter(limit: limits.lineBytes))
            case .json: .json(LineSplitter(limit: limits.lineBytes))
            case .text: .text([])
            }
    }

    /// Emits the elements that `bytes` completes. Throws at the first output that cannot be an element; earlier
    /// elements are emitted.
    mutating func push(_ bytes: UnsafeRawBufferPointer, _ emit: (RawJSON) -> Void) throws(WorkFailure) {
        switch form {
        case .lines(var splitter):
            form = .text([])  // Otherwise the splitter and its incomplete line would be copied.
            defer { form = .lines(splitter) }
            var repaired = repairedLine
            defer { repairedLine = repaired }
            try split(bytes, &splitter) { line, number in
                let (element, isRepaired) = Self.string(line)
                if isRepaired { repaired = repaired ?? number }
                emit(element)
            }
        case .json(var splitter):
            form = .text([])
            defer { form = .json(splitter) }
            var failure: WorkFailure?
            try split(bytes, &splitter) { line, number in
                guard failure == nil else { return }
                failure = document(line, number: number, emit)
            }
            if let failure { throw failure }
        case .text(var text):
            form = .text([])
            defer { form = .text(text) }
            guard text.count + bytes.count <= limits.textBytes else {
                throw WorkFailure(
                    message: "the output is longer than \(limits.textBytes) bytes",
                    facts: ["limit": .number(JSONNumber(limits.textBytes))])
            }
            text.append(contentsOf: bytes)
        }
    }

    /// Emits what the end of the output completes: a last line without a newline, or the text.
    mutating func finish(_ emit: (RawJSON) -> Void) throws(WorkFailure) {
        switch form {
        case .lines(var splitter):
            var repaired = repairedLine
            splitter.finish { line, number in
                let (element, isRepaired) = Self.string(line)
                if isRepaired { repaired = repaired ?? number }
                emit(element)
            }
            repairedLine = repaired
        case .json(var splitter):
            var failure: WorkFailure?
            splitter.finish { failure = document($0, number: $1, emit) }
            if let failure { throw failure }
        case .text(let text):
            let (element, isRepaired) = text.withUnsafeBytes(Self.string)
            if isRepaired { repairedLine = 1 }
            emit(element)
        }
        form = .text([])
    }

    private func split(
        _ bytes: UnsafeRawBufferPointer, _ splitter: inout LineSplitter,
        _ body: (UnsafeRawBufferPointer, _ number: Int) -> Void
    ) throws(WorkFailure) {
        do throws(LineSplitter.TooLong) {
            try splitter.push(bytes, body)
        } catch {
            throw WorkFailure(
                message: "line \(error.line) of the output is longer than \(limits.lineBytes) bytes",
                facts: [
                    "line": .number(JSONNumber(error.line)), "limit": .number(JSONNumber(limits.lineBytes)),
                ])
        }
    }

    private static func string(_ bytes: UnsafeRawBufferPointer) -> (RawJSON, isRepaired: Bool) {
        var writer = JSONWriter(reserving: bytes.count + 16)
        var isRepaired = false
        if !writer.string(ascii: bytes) {
            let valid = String(validating: bytes, as: UTF8.self)
            writer.string(valid ?? String(decoding: bytes, as: UTF8.self))
            isRepaired = valid == nil
        }
        return (RawJSON(unchecked: writer.bytes), isRepaired)
    }

    /// Emits one JSON document; skips a blank line.
    private func document(
        _ line: UnsafeRawBufferPointer, number: Int, _ emit: (RawJSON) -> Void
    ) -> WorkFailure? {
        guard line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { return nil }
        do throws(JSONError) {
            emit(try RawJSON(validating: line, limits: JSONLimits(bytes: limits.lineBytes)).minified())
            return nil
        } catch {
            return WorkFailure(
                message: "line \(number) of the output is not JSON: \(error.message)",
                facts: ["line": .number(JSONNumber(number)), "reason": .string(error.message)])
        }
    }
}
