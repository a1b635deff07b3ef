internal import FoundationEssentials
internal import RxAction
internal import RxJSON
internal import RxRecords

/// The result of `execution.output`.
struct OutputText {
    private let record: ExecutionRecord
    private let output: KeptOutput?
    private let position: OutputPosition
    private let mayBeKept: Bool

    /// - Parameters:
    ///   - record: the execution, not newer than the output.
    ///   - output: what is kept; nil if nothing is.
    ///   - position: what the client has.
    ///   - mayBeKept: whether output of the action is kept.
    init(_ record: ExecutionRecord, _ output: KeptOutput?, after position: OutputPosition, mayBeKept: Bool) {
        self.mayBeKept = mayBeKept
        self.record = record
        self.output = output
        self.position = position
    }

    var text: [UInt8] {
        var writer = JSONWriter(reserving: 4096)
        writer.object { writer in
            writer.field("execution", record.id.description)
            writer.field("action", record.action)
            writer.field("state", record.state.rawValue)
            writer.field("kept", output != nil || mayBeKept && record.elements == 0)
            writer.array("output") { write(to: &$0) }
            writer.field("elements", output?.elements.count ?? 0)
            writer.field("stderr", output?.errors.bytes ?? 0)
        }
        return writer.bytes
    }

    private func write(to writer: inout JSONWriter) {
        guard let output else { return }
        var elements = ElementParts(output.elements, after: position.elements)
        var errors = ErrorParts(output.errors, after: position.errorBytes)
        while let piece = errors.next() {
            elements.write(before: piece.elements, to: &writer)
            piece.write(to: &writer)
        }
        elements.write(before: .max, to: &writer)
    }
}

/// The elements that a client does not have yet, one after the other.
private struct ElementParts {
    private let all: KeptElements
    private let position: Int
    private let kept: [KeptElements.Element]
    private var next: Int
    /// The elements up to this one are written, missing, or known to the client.
    private var last: Int

    init(_ all: KeptElements, after position: Int) {
        self.all = all
        self.position = position
        kept = all.kept
        next = kept.firstIndex { $0.ordinal > position } ?? kept.count
        last = min(position, all.count)
    }

    /// Writes the elements up to the `count`th, and what is missing between them.
    mutating func write(before count: Int, to writer: inout JSONWriter) {
        let end = min(count, all.count)
        while last < end {
            let gapEnd = next < kept.count ? kept[next].ordinal - 1 : all.count
            if last < gapEnd {
                // A gap is one part, although something on stderr may have come in it.
                writeMissing(gapEnd - last, to: &writer)
                last = gapEnd
            } else {
                writeRun(upTo: end, to: &writer)
            }
        }
    }

    private mutating func writeRun(upTo end: Int, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.array("elements") { writer in
                while next < kept.count, kept[next].ordinal == last + 1, last < end {
                    writer.raw(kept[next].text)
                    last += 1
                    next += 1
                }
            }
        }
    }

    private func writeMissing(_ count: Int, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.object("missing") { writer in
                writer.field("stream", "elements")
                writer.field("elements", count)
                // Of elements that are not kept, only the bytes of all together are known.
                guard count == all.count - kept.count else { return }
                writer.field("bytes", max(all.bytes - kept.reduce(0) { $0 + $1.text.utf8.count + 1 }, 0))
            }
        }
    }
}

/// What a client does not have yet of standard error, one piece after the other.
private struct ErrorParts {
    struct Part {
        /// The number of elements before it.
        let elements: Int
        let content: Content

        enum Content {
            case bytes(ArraySlice<UInt8>)
            case missing(Int)
        }

        func write(to writer: inout JSONWriter) {
            writer.object { writer in
                switch content {
                case .missing(let count):
                    writer.object("missing") { writer in
                        writer.field("stream", "stderr")
                        writer.field("bytes", count)
                    }
                case .bytes(let bytes):
                    if let text = String(validating: bytes, as: UTF8.self) {
                        writer.field("stderr", text)
                    } else {
                        writer.field("stderrBase64", Data(bytes).base64EncodedString())
                    }
                }
            }
        }
    }

    private let total: Int
    private var pieces: ArraySlice<KeptErrors.Piece>
    private var offset: Int
    private var elements = 0

    init(_ all: KeptErrors, after position: Int) {
        total = all.bytes
        pieces = all.kept.drop { $0.end <= position }
        offset = min(position, all.bytes)
        // A client that has some of the replaced bytes has what replaces them.
        if let first = pieces.first, first.replaced != nil, first.offset < offset {
            pieces.removeFirst()
            offset = first.end
        }
    }

    mutating func next() -> Part? {
        // Empty: the rest of what is replaced by an earlier piece.
        while let piece = pieces.first, piece.bytes.isEmpty, piece.offset <= offset {
            pieces.removeFirst()
            offset = max(offset, piece.end)
        }
        guard offset < total else { return nil }
        let upcoming = pieces.first?.offset ?? total
        if offset < upcoming {
            defer { offset = upcoming }
            return Part(elements: pieces.first?.elements ?? elements, content: .missing(upcoming - offset))
        }
        guard let piece = pieces.popFirst() else { return nil }
        let bytes = piece.bytes.dropFirst(offset - piece.offset)
        offset = piece.end
        elements = piece.elements
        return Part(elements: piece.elements, content: .bytes(bytes))
    }
}
