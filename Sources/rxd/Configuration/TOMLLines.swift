/// Finds the line of every key and array element of a TOML text that is known to be valid.
///
/// It knows only what bears on structure: headers, dotted and quoted keys, the extent of strings, arrays, inline
/// tables and comments. A text that is not valid gives wrong lines, never a crash.
struct TOMLLines {
    enum Step: Hashable {
        case key(String)
        case index(Int)
    }
    typealias Path = [Step]

    /// Lines of basic strings and keys that write a NUL character as an escape.
    private(set) var nulEscapes: [Int] = []
    private var lines: [Path: Int] = [:]
    /// How many elements an array of tables has so far.
    private var tableCounts: [Path: Int] = [:]
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // A byte order mark.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        scan()
    }

    /// The line a value's key is written on; its nearest parent's when it has none of its own.
    func line(of path: Path) -> Int {
        var path = path
        while !path.isEmpty {
            if let line = lines[path] { return line }
            path.removeLast()
        }
        return 1
    }

    // MARK: Statements

    private mutating func scan() {
        var table: Path = []
        while true {
            skipSpace(andNewlines: true)
            guard let byte = current else { return }
            if byte == UInt8(ascii: "[") {
                table = readHeader()
            } else {
                readKeyValue(in: table)
            }
            skipToEndOfLine()
        }
    }

    private mutating func readHeader() -> Path {
        advance()
        let isArray = current == UInt8(ascii: "[")
        if isArray { advance() }
        let line = line
        let keys = readKey()
        var path: Path = []
        for (index, key) in keys.enumerated() {
            path.append(.key(key))
            let isLast = index == keys.count - 1
            if isLast && isArray { tableCounts[path, default: 0] += 1 }
            if isLast && !isArray { lines[path] = line } else { note(path, line) }
            if let count = tableCounts[path] {
                path.append(.index(count - 1))
                note(path, line)
            }
        }
        return path
    }

    private mutating func readKeyValue(in table: Path) {
        let line = line
        let start = position
        var path = table
        for key in readKey() {
            path.append(.key(key))
            note(path, line)
        }
        skipSpace()
        if current == UInt8(ascii: "=") { advance() }
        readValue(at: path)
        // Something unexpected must not hold the scan where it is.
        if position == start { advance() }
    }

    private mutating func note(_ path: Path, _ line: Int) {
        if lines[path] == nil { lines[path] = line }
    }

    // MARK: Values

    private mutating func readValue(at path: Path) {
        skipSpace()
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            _ = readString()
        case UInt8(ascii: "["):
            advance()
            var index = 0
            while skipToElement(), current != UInt8(ascii: "]") {
                let start = position
                let element = path + [.index(index)]
                note(element, line)
                readValue(at: element)
                index += 1
                if position == start { advance() }
            }
            advance()
        case UInt8(ascii: "{"):
            advance()
            while skipToElement(), current != UInt8(ascii: "}") {
                readKeyValue(in: path)
            }
            advance()
        default:
            while let byte = current, !",]}#\n".utf8.contains(byte) { advance() }
        }
    }

    /// Past spaces, newlines, comments and commas; false at the end of the text.
    private mutating func skipToElement() -> Bool {
        repeat { skipSpace(andNewlines: true) } while take(UInt8(ascii: ","))
        return current != nil
    }

    // MARK: Keys and strings

    private mutating func readKey() -> [String] {
        var parts: [String] = []
        repeat {
            skipSpace()
            switch current {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                parts.append(readString())
            default:
                let start = position
                while let byte = current, isBareKeyByte(byte) { advance() }
                parts.append(String(decoding: bytes[start..<position], as: UTF8.self))
            }
            skipSpace()
        } while take(UInt8(ascii: "."))
        return parts
    }

    /// Reads any of the four kinds of string; the result is exact for the two that can be keys.
    private mutating func readString() -> String {
        guard let quote = current else { return "" }
        let isBasic = quote == UInt8(ascii: "\"")
        let isLong = bytes[position...].starts(with: [quote, quote, quote])
        position += isLong ? 3 : 1
        var text: [UInt8] = []
        while let byte = current {
            if byte == quote && !isLong {
                advance()
                break
            }
            if byte == quote && bytes[position...].starts(with: [quote, quote, quote]) {
                position += 3
                // Up to two quotes may stand right before the closing three.
                for _ in 0..<2 where current == quote { advance() }
                break
            }
            if byte == UInt8(ascii: "\\") && isBasic {
                readEscape(into: &text)
            } else {
                text.append(byte)
                advance()
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func readEscape(into text: inout [UInt8]) {
        advance()
        guard let byte = current else { return }
        advance()
        let digits: Int
        switch byte {
        case UInt8(ascii: "b"): return text.append(8)
        case UInt8(ascii: "t"): return text.append(9)
        case UInt8(ascii: "n"): return text.append(10)
        case UInt8(ascii: "f"): return text.append(12)
        case UInt8(ascii: "r"): return text.append(13)
        case UInt8(ascii: "e"): return text.append(27)
        case UInt8(ascii: "x"): digits = 2
        case UInt8(ascii: "u"): digits = 4
        case UInt8(ascii: "U"): digits = 8
        case UInt8(ascii: "\n"):
            // A line break that is not part of the string. It was stepped over as part of the escape.
            return
        default: return text.append(byte)
        }
        let code = String(decoding: bytes[position..<min(position + digits, bytes.count)], as: UTF8.self)
        for _ in 0..<code.utf8.count { advance() }
        guard let scalar = UInt32(code, radix: 16).flatMap(Unicode.Scalar.init) else { return }
        if scalar == "\0" { nulEscapes.append(line) }
        text.append(contentsOf: Array(String(scalar).utf8))
    }

    // MARK: Bytes

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func advance() {
        guard position < bytes.count else { return }
        if bytes[position] == UInt8(ascii: "\n") { line += 1 }
        position += 1
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        advance()
        return true
    }

    private mutating func skipSpace(andNewlines: Bool = false) {
        while let byte = current {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): advance()
            case UInt8(ascii: "\n") where andNewlines: advance()
            case UInt8(ascii: "#") where andNewlines: skipToEndOfLine()
            default: return
            }
        }
    }

    private mutating func skipToEndOfLine() {
        while let byte = current, byte != UInt8(ascii: "\n") { advance() }
    }
}
