internal import Glibc
internal import RxClient
internal import RxJSON
internal import RxPlatform
internal import RxProtocol

/// INPUT and PARAMS in their forms: inline JSON, `-` (stdin), `@file`, `key=value` / `key:=json` pairs, and a single
/// word, which is a string.
///
/// An argument is a pair if it has a `=` and does not begin as JSON does (`{`, `[`, `"`, `-`, a digit) or with `@`; so
/// no JSON text is ever taken for a pair. Pairs make one object and go with nothing but pairs.
enum Input {
    /// The value of the arguments as compact JSON; nil without arguments.
    static func read(_ arguments: [String], file: (String) throws(Ending) -> [UInt8] = contents) throws(Ending)
        -> RawJSON?
    {
        guard let first = arguments.first else { return nil }
        let pairs = arguments.compactMap(Pair.init)
        if pairs.count == arguments.count { return try object(pairs) }
        guard arguments.count == 1 else {
            let odd = arguments.first { Pair($0) == nil } ?? first
            try refuseColon(in: odd)
            throw .inputRefused("\(odd) is not a key=value or key:=json pair; give only pairs, or one JSON text")
        }
        try refuseColon(in: first)
        // `rxctl dispatch light toggle` needs no quotes within quotes.
        if isWord(first) { return RawJSON(.string(first)) }
        if first == "-" { return try json(file("/dev/stdin"), "stdin") }
        if first.hasPrefix("@") {
            let path = String(first.dropFirst())
            return try json(file(path), path)
        }
        try refuseText(first)
        return try json(Array(first.utf8), "the input")
    }

    /// Longest text that a refusal repeats.
    private static let mostRepeated = 80

    /// Refuses a line of text that is not JSON and does not begin as JSON does, with the JSON that it may stand for.
    private static func refuseText(_ text: String) throws(Ending) {
        guard let first = text.unicodeScalars.first(where: { $0 != " " }), !jsonStarts.contains(first),
            text.utf8.count <= mostRepeated, !text.utf8.contains(UInt8(ascii: "\n")),
            (try? compact(Array(text.utf8))) == nil
        else { return }
        let quoted = RawJSON(.string(text)).text.replacing("'", with: #"'\''"#)
        throw .inputRefused("\(text) is not JSON; write '\(quoted)' for a string")
    }

    /// How JSON text begins, but for `true`, `false`, and `null`.
    fileprivate static let jsonStarts = "{[\"-0123456789".unicodeScalars

    /// Refuses `key:value`, which looks like a pair and is no JSON text; an address, such as `https://example.org`, does
    /// not.
    private static func refuseColon(in text: String) throws(Ending) {
        guard let colon = text.firstIndex(of: ":"), isWord(String(text[..<colon])) else { return }
        let (key, value) = (text[..<colon], String(text[text.index(after: colon)...]))
        guard !value.hasPrefix("//") else { return }
        let isJSON = (try? compact(Array(value.utf8))) != nil
        throw .inputRefused(
            "\(text) is not a key=value or key:=json pair; write "
                + (isJSON ? "\(key):=\(value), or \(key)=\(value) for a string" : "\(key)=\(value), or \(key):=<json>"))
    }

    /// Whether `text` is a letter followed by letters, digits, `_`, and `-`, and not a word of JSON.
    static func isWord(_ text: String) -> Bool {
        guard let first = text.utf8.first, isLetter(first), !["true", "false", "null"].contains(text) else {
            return false
        }
        return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x2D }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    /// The value in the pair of a key, as it is written, and whether it is JSON; nil without such a pair.
    static func pair(_ key: String, in arguments: [String]) -> (value: String, isJSON: Bool)? {
        arguments.lazy.compactMap(Pair.init).first { $0.key == key }.map { ($0.value, $0.isJSON) }
    }

    /// The key of `key=value` or `key:=json`; nil for an argument that is not a pair.
    static func key(ofPair argument: String) -> String? {
        Pair(argument)?.key
    }

    private static func object(_ pairs: [Pair]) throws(Ending) -> RawJSON {
        var object = JSONObject()
        for pair in pairs {
            guard object[pair.key] == nil else { throw .inputRefused("\(pair.key) is given twice") }
            object[pair.key] =
                pair.isJSON ? try json(Array(pair.value.utf8), pair.key).value() : .string(pair.value)
        }
        return RawJSON(.object(object))
    }

    /// The JSON of one line of stdin; the message does not name the line.
    static func json(line: ArraySlice<UInt8>) throws(Ending) -> RawJSON {
        do {
            return try compact(Array(line))
        } catch {
            let place = error.offset.map { " at column \($0 + 1)" } ?? ""
            throw .inputRefused("not valid JSON: \(error.message)\(place)")
        }
    }

    private static func json(_ text: [UInt8], _ name: String) throws(Ending) -> RawJSON {
        do {
            return try compact(text)
        } catch {
            let place = error.offset.map { " at \(Position(of: $0, in: text))" } ?? ""
            throw .inputRefused("\(name) is not valid JSON: \(error.message)\(place)")
        }
    }

    /// Compact JSON within the limits of a request.
    private static func compact(_ text: [UInt8]) throws(JSONError) -> RawJSON {
        let limits = Limits()
        return try RawJSON(validating: text, limits: JSONLimits(bytes: limits.lineBytes, depth: limits.depth))
            .minified()
    }

    /// The bytes of a file; refused if there are more than a request can carry.
    static func contents(_ path: String) throws(Ending) -> [UInt8] {
        let limit = Limits().lineBytes
        // A process whose stdin is a socket cannot open it by name.
        let descriptor = path == "/dev/stdin" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .inputRefused("cannot read \(path): \(SystemErrorName.text(of: errno))") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            guard count > 0 || errno == EINTR else {
                throw .inputRefused("cannot read \(path): \(SystemErrorName.text(of: errno))")
            }
            bytes.append(contentsOf: chunk.prefix(max(0, count)))
            guard bytes.count <= limit else {
                throw .inputRefused("\(path) is longer than \(limit) bytes, the limit of a request")
            }
        }
    }
}

/// `key=value` (a string) or `key:=json`.
private struct Pair {
    let key: String
    let value: String
    let isJSON: Bool

    init?(_ argument: String) {
        guard let first = argument.unicodeScalars.first, first != "@", !Input.jsonStarts.contains(first),
            let equals = argument.firstIndex(of: "=")
        else { return nil }
        let name = argument[..<equals]
        isJSON = name.last == ":"
        key = String(isJSON ? name.dropLast() : name)
        value = String(argument[argument.index(after: equals)...])
        guard !key.isEmpty else { return nil }
    }
}

/// A place in a text as editors count it, from 1; columns in bytes.
private struct Position: CustomStringConvertible {
    let line: Int
    let column: Int

    init(of offset: Int, in text: [UInt8]) {
        let before = text.prefix(offset)
        line = before.count { $0 == UInt8(ascii: "\n") } + 1
        column = before.count - (before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0) + 1
    }

    var description: String { "line \(line), column \(column)" }
}
