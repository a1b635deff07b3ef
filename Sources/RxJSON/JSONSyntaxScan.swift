/// Scans a text that simdjson refused, to report the fault and its location, and to distinguish an out-of-range number,
/// which leaves the rest usable, from a syntax error.
///
/// An order of magnitude slower than simdjson. Uses its own stack, no deeper than the depth limit.
struct JSONSyntaxScan {
    /// Returns up to `limit` out-of-range numbers in `text`. Throws the first fault of any other kind.
    static func numbersOutOfRange(
        in text: UnsafeRawBufferPointer, depth: Int, reporting limit: Int
    ) throws(JSONError) -> [JSONError] {
        var scan = JSONSyntaxScan(text: text, depth: depth, limit: limit)
        try scan.run()
        return scan.numbers
    }

    /// The container around the current position.
    private enum Frame {
        case object(key: Range<Int>)
        case array(index: Int)
    }

    private let text: UnsafeRawBufferPointer
    private let depth: Int
    private let limit: Int
    private var at = 0
    private var frames: [Frame] = []
    private var numbers: [JSONError] = []

    private init(text: UnsafeRawBufferPointer, depth: Int, limit: Int) {
        self.text = text
        self.depth = depth
        self.limit = limit
    }

    private mutating func run() throws(JSONError) {
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { throw fault("a byte order mark before the text") }
        skipWhiteSpace()
        if at == text.count { throw JSONError(.empty, "no value") }
        repeat {
            try value()
        } while try nextIsValue()
        skipWhiteSpace()
        if at < text.count { throw fault("text after the end of the value") }
    }

    /// Reads a scalar or an empty container completely, or the opening of another container up to its first value.
    private mutating func value() throws(JSONError) {
        while true {
            skipWhiteSpace()
            switch peek {
            case UInt8(ascii: "{"):
                try open()
                if take(UInt8(ascii: "}")) { return }
                try push(.object(key: key()))
            case UInt8(ascii: "["):
                try open()
                if take(UInt8(ascii: "]")) { return }
                try push(.array(index: 0))
            case UInt8(ascii: "\""):
                _ = try string()
                return
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
            case UInt8(ascii: "t"): return try word("true")
            case UInt8(ascii: "f"): return try word("false")
            case UInt8(ascii: "n"): return try word("null")
            case _: throw fault("expected a value")
            }
        }
    }

    /// Closes the containers that end after a value. Returns true if another value follows.
    private mutating func nextIsValue() throws(JSONError) -> Bool {
        while let frame = frames.popLast() {
            skipWhiteSpace()
            switch frame {
            case .object:
                if take(UInt8(ascii: "}")) { continue }
                guard take(UInt8(ascii: ",")) else { throw fault("expected ',' or '}'") }
                skipWhiteSpace()
                frames.append(.object(key: try key()))
            case .array(let index):
                if take(UInt8(ascii: "]")) { continue }
                guard take(UInt8(ascii: ",")) else { throw fault("expected ',' or ']'") }
                frames.append(.array(index: index + 1))
            }
            return true
        }
        return false
    }

    private mutating func open() throws(JSONError) {
        at += 1
        skipWhiteSpace()
    }

    private mutating func push(_ frame: Frame) throws(JSONError) {
        guard frames.count < depth else { throw JSONError(.depth, at: at, "nested deeper than \(depth)") }
        frames.append(frame)
    }

    /// Reads a key and its colon. Returns the range between the quotes.
    private mutating func key() throws(JSONError) -> Range<Int> {
        guard peek == UInt8(ascii: "\"") else { throw fault("expected a key in quotes") }
        let key = try string()
        skipWhiteSpace()
        guard take(UInt8(ascii: ":")) else { throw fault("expected ':'") }
        return key
    }

    private mutating func string() throws(JSONError) -> Range<Int> {
        at += 1
        let begin = at
        while true {
            switch peek {
            case UInt8(ascii: "\""):
                at += 1
                return begin..<at - 1
            case UInt8(ascii: "\\"): try escape()
            case 0..<0x20: throw fault("a control character in a string")
            case _: at += 1
            }
        }
    }

    private mutating func escape() throws(JSONError) {
        let begin = at
        at += 1
        switch peek {
        case UInt8(ascii: "u"):
            let code = try codeUnit()
            if UTF16.isTrailSurrogate(code) { throw loneSurrogate(begin) }
            guard UTF16.isLeadSurrogate(code) else { return }
            guard take(UInt8(ascii: "\\")), peek == UInt8(ascii: "u"), UTF16.isTrailSurrogate(try codeUnit())
            else { throw loneSurrogate(begin) }
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            at += 1
        case _: throw fault("an escape that JSON does not have")
        }
    }

    private func loneSurrogate(_ offset: Int) -> JSONError {
        JSONError(.syntax, at: offset, "an escaped surrogate without its pair")
    }

    /// Reads the four digits after `u`.
    private mutating func codeUnit() throws(JSONError) -> UInt16 {
        at += 1
        var code: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = digit(peek) else { throw fault("expected four hexadecimal digits") }
            code = code << 4 | digit
            at += 1
        }
        return code
    }

    private mutating func word(_ word: StaticString) throws(JSONError) {
        let bytes = UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard text[at...].starts(with: bytes) else { throw fault("expected a value") }
        at += bytes.count
    }

    private mutating func number() throws(JSONError) {
        let begin = at
        var isInteger = true
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) {
            isInteger = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            _ = take(UInt8(ascii: "+")) || take(UInt8(ascii: "-"))
            try digits()
        }
        let written = String(decoding: text[begin..<at], as: UTF8.self)
        if isInteger {
            guard Int64(written) == nil, UInt64(written) == nil else { return }
            report(begin, "an integer beyond 64 bits")
        } else {
            guard Double(written).map(\.isFinite) != true else { return }
            report(begin, "a number beyond a double")
        }
    }

    private mutating func digits() throws(JSONError) {
        guard isDigit else { throw fault("expected a digit") }
        repeat { at += 1 } while isDigit
    }

    private mutating func report(_ offset: Int, _ message: String) {
        guard numbers.count < limit else { return }
        let tokens = frames.map { frame in
            switch frame {
            case .object(let key): unescaped(UnsafeRawBufferPointer(rebasing: text[key]))
            case .array(let index): String(index)
            }
        }
        numbers.append(JSONError(.number(path: JSONPointer(tokens: tokens)), at: offset, message))
    }

    /// The next byte; zero at the end, which is not valid JSON either.
    private var peek: UInt8 { at < text.count ? text[at] : 0 }

    private var isDigit: Bool { peek &- 0x30 < 10 }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        at += 1
        return true
    }

    private mutating func skipWhiteSpace() {
        while isWhiteSpace(peek) { at += 1 }
    }

    private func fault(_ message: String) -> JSONError {
        JSONError(.syntax, at: at, at < text.count ? message : "the text ends early")
    }
}

/// The offset of the first byte that is not valid UTF-8.
func firstFaultOfEncoding(in text: UnsafeRawBufferPointer) -> Int? {
    var decoder = UTF8()
    var bytes = text.makeIterator()
    var offset = 0
    while true {
        switch decoder.decode(&bytes) {
        case .scalarValue(let scalar): offset += UTF8.width(scalar)
        case .emptyInput: return nil
        case .error: return offset
        }
    }
}
