internal import CSimdjson

/// Checks texts, one after another, and gives views into them.
///
/// Keeps its tables from text to text: make one per loop or thread. Its memory follows the size of what it reads,
/// about 14 bytes per byte, and shrinks back after a large text.
public final class JSONReader {
    /// How many bytes after a text must be readable. Their content does not matter.
    public static let padding = 64

    public let limits: JSONLimits
    private let parser: OpaquePointer

    public init(limits: JSONLimits = JSONLimits()) {
        self.limits = limits
        guard let parser = CSimdjsonParserCreate(limits.depth) else { fatalError("out of memory") }
        self.parser = parser
    }

    deinit {
        CSimdjsonParserDestroy(parser)
    }

    /// The top value of `text`, all of which has been checked. `text` is followed by `padding` readable bytes. The view
    /// and what it leads to must not be used after the next `read`, the end of the reader or the end of the buffer.
    public func read(_ text: UnsafeRawBufferPointer) throws(JSONError) -> JSONView {
        var outOfRange: JSONError?
        let view = try read(text, outOfRange: &outOfRange)
        if let outOfRange { throw outOfRange }
        return view
    }

    /// As `read`, but a number out of range is no reason to refuse the text: the first is told in `outOfRange` and the
    /// view is good.
    public func read(_ text: UnsafeRawBufferPointer, outOfRange: inout JSONError?) throws(JSONError) -> JSONView {
        outOfRange = nil
        guard text.count <= limits.bytes, text.count < Int(UInt32.max) else {
            throw JSONError(.size, "longer than \(limits.bytes) bytes")
        }
        guard let base = text.bindMemory(to: UInt8.self).baseAddress else { throw JSONError(.empty, "no value") }
        var places = CSimdjsonPlaces()
        let outcome = CSimdjsonParse(parser, base, text.count, &places)
        if outcome != CSimdjsonAccepted {
            outOfRange = try explain(outcome, text)
        } else if places.escapes, let offset = loneSurrogate(in: text) {
            throw JSONError(.syntax, at: offset, "an escaped surrogate without its pair")
        }
        return JSONView(base: base, starts: places.starts, index: 0, escapes: places.escapes)
    }

    /// Returns only if nothing is wrong but a number out of range.
    private func explain(
        _ outcome: CSimdjsonOutcome, _ text: UnsafeRawBufferPointer
    ) throws(JSONError) -> JSONError {
        switch outcome {
        case CSimdjsonEmpty: throw JSONError(.empty, "no value")
        case CSimdjsonEncoding: throw JSONError(.encoding, at: firstFaultOfEncoding(in: text), "not UTF-8")
        case CSimdjsonDepth: throw JSONError(.depth, "nested deeper than \(limits.depth)")
        case CSimdjsonMemory: throw JSONError(.size, "too little memory for \(text.count) bytes")
        default: break
        }
        let numbers = try JSONSyntaxScan.numbersOutOfRange(in: text, depth: limits.depth, reporting: 1)
        // Only after a fault in a number are there places to look at.
        guard outcome == CSimdjsonNumber, let number = numbers.first else { throw JSONError(.syntax, "not JSON") }
        return number
    }
}
