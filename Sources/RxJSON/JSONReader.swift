internal import CSimdjson

/// Validates texts, one after another, and returns views into them.
///
/// Reuses its tables for every text: create one reader per loop or thread. Its memory follows the size of the text,
/// about 14 bytes per byte, and shrinks after a large text.
public final class JSONReader {
    /// The number of readable bytes required after a text. Their content is irrelevant.
    public static let padding = 64

    /// The limits for each text.
    public let limits: JSONLimits
    private let parser: OpaquePointer

    /// Creates a reader with `limits`.
    public init(limits: JSONLimits = JSONLimits()) {
        self.limits = limits
        guard let parser = CSimdjsonParserCreate(limits.depth) else { fatalError("out of memory") }
        self.parser = parser
    }

    deinit {
        CSimdjsonParserDestroy(parser)
    }

    /// Validates all of `text` and returns its top-level value. `padding` readable bytes must follow `text`. The view
    /// and everything reached through it are invalid after the next `read`, the end of the reader, or the end of the
    /// buffer.
    ///
    /// - Throws: the first fault of the text.
    public func read(_ text: UnsafeRawBufferPointer) throws(JSONError) -> JSONView {
        var outOfRange: JSONError?
        let view = try read(text, outOfRange: &outOfRange)
        if let outOfRange { throw outOfRange }
        return view
    }

    /// Validates `text` like `read(_:)`, but accepts out-of-range numbers: stores the first one in `outOfRange` and
    /// returns a valid view.
    ///
    /// - Throws: the first other fault of the text.
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

    /// Throws the fault of a refused text. Returns only if out-of-range numbers are its only faults.
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
        // Number locations exist only if a number was at fault.
        guard outcome == CSimdjsonNumber, let number = numbers.first else { throw JSONError(.syntax, "not JSON") }
        return number
    }
}
