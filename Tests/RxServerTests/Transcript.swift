import Glibc
import RxJSON
import Testing

/// A golden transcript: the messages that a client sends and must receive, one per line.
///
///     # a comment
///     --> a line the client sends, as it stands
///     ==> a JSON string: the client sends exactly these bytes, no newline added
///     <-- a pattern for the next line the client gets
///     <.. a pattern for a line before which others may come, but no `lag`
///     --| the client ends its input
///     <-| the server closes the connection
///     ~~> stalls: the client reads nothing until it `reads` on; vanishes: it closes without a word;
///         stop: the daemon stops
///     20: the lines up to the next `:` are played so often
///
/// A word before the arrow names the connection. In a pattern, `"*"` matches any value; `"$name"` matches any string,
/// the same one wherever the name occurs, also in a later `-->`; `"<=7"` and `">=7"` match numbers. A member
/// `"...":"*"` allows other members. The player checks by itself that the `seq` of each subscription counts 1, 2, 3.
struct Transcript {
    enum Step {
        case send(String)
        case sendBytes([UInt8])
        case receive(String)
        case receiveAtLast(String)
        case endInput
        case receiveEnd
        case act(Act)
    }

    /// What a transcript can have happen beside lines.
    enum Act: String {
        case stalls, reads, vanishes, stop
    }

    struct Line {
        let number: Int
        let connection: String
        let step: Step
    }

    let name: String
    let lines: [Line]

    struct Malformed: Error {
        let line: Int
    }

    init(name: String, text: String) throws {
        self.name = name
        var lines: [Line] = []
        var repetition: (count: Int, start: Int)?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let malformed = Malformed(line: index + 1)
            if line.isEmpty || line.hasPrefix("#") { continue }
            if line.last == ":" {
                if let (count, start) = repetition {
                    guard line == ":" else { throw malformed }
                    let body = lines[start...]
                    for _ in 1..<count { lines += body }
                    repetition = nil
                } else {
                    guard let count = Int(line.dropLast()), count > 0 else { throw malformed }
                    repetition = (count, lines.count)
                }
                continue
            }
            guard
                let arrow = ["-->", "==>", "<--", "<..", "--|", "<-|", "~~>"].compactMap({ line.firstRange(of: $0) })
                    .min(by: { $0.lowerBound < $1.lowerBound })
            else { throw malformed }
            let rest = String(line[arrow.upperBound...].drop { $0 == " " })
            let step: Step
            switch line[arrow] {
            case "-->": step = .send(rest)
            case "==>":
                guard let text = try RawJSON(validating: rest).value().string else { throw malformed }
                // U+0080 to U+00FF stand for single bytes, so that invalid UTF-8 can be written.
                step = .sendBytes(text.unicodeScalars.map { UInt8($0.value) })
            case "<--": step = .receive(rest)
            case "<..": step = .receiveAtLast(rest)
            case "--|": step = .endInput
            case "~~>":
                guard let act = Act(rawValue: rest) else { throw malformed }
                step = .act(act)
            default: step = .receiveEnd
            }
            let connection = String(line[..<arrow.lowerBound].filter { $0 != " " })
            lines.append(Line(number: index + 1, connection: connection, step: step))
        }
        guard repetition == nil else { throw Malformed(line: 0) }
        self.lines = lines
    }

    /// The folder of another release's transcripts, if those are to be played (`.ci/compatibility`).
    static let foreignFolder = getenv("RX_TRANSCRIPTS").map { String(cString: $0) }

    /// All transcripts of the folder beside this file, by name.
    static let all: [Transcript] = {
        let folder =
            foreignFolder ?? String(#filePath.prefix(through: #filePath.lastIndex(of: "/")!)) + "Transcripts"
        guard let directory = opendir(folder) else { fatalError("no transcripts at \(folder)") }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".transcript") { names.append(name) }
        }
        return names.sorted().map { name in
            do {
                return try Transcript(name: String(name.dropLast(11)), text: text(of: folder + "/" + name))
            } catch {
                fatalError("\(name): \(error)")
            }
        }
    }()

    private static func text(of path: String) -> String {
        let file = fopen(path, "r")!
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = getc(file), byte != EOF { bytes.append(UInt8(byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Transcript: CustomTestStringConvertible {
    var testDescription: String { name }
}

/// Values that patterns have bound.
struct Bindings {
    /// Whether an object may have members that its pattern does not name: rx/1 grows, so those of a later release do.
    var allowsOthers = false
    private var values: [String: String] = [:]

    /// The text with each `$name` replaced by its value.
    func fill(_ text: String) -> String {
        var text = text
        for (name, value) in values.sorted(by: { $0.key.count > $1.key.count }) {
            text = text.replacing("$" + name, with: value)
        }
        return text
    }

    /// Why `value` does not match `pattern`, or nil if it does.
    mutating func mismatch(_ value: JSONValue, _ pattern: JSONValue, at path: String = "") -> String? {
        switch (value, pattern) {
        case (_, .string("*")): return nil
        case (.number, .string(let bound)) where bound.hasPrefix("<=") || bound.hasPrefix(">="):
            guard let number = value.int, let limit = Int(bound.dropFirst(2)) else { return "\(path): no such bound" }
            let holds = bound.hasPrefix("<=") ? number <= limit : number >= limit
            return holds ? nil : "\(path): \(number), not \(bound)"
        case (.string(let text), .string(let name)) where name.hasPrefix("$"):
            let name = String(name.dropFirst())
            if let bound = values[name], bound != text { return "\(path): \(text), but $\(name) is \(bound)" }
            values[name] = text
            return nil
        case (.object(let object), .object(let members)):
            for member in members where member.key != "..." {
                guard let value = object[member.key] else { return "\(path)/\(member.key): missing" }
                if let mismatch = mismatch(value, member.value, at: path + "/" + member.key) { return mismatch }
            }
            guard members["..."] == nil, !allowsOthers else { return nil }
            for member in object where members[member.key] == nil { return "\(path)/\(member.key): unexpected" }
            return nil
        case (.array(let elements), .array(let patterns)):
            guard elements.count == patterns.count else {
                return "\(path): \(elements.count) elements, not \(patterns.count)"
            }
            for (index, (element, pattern)) in zip(elements, patterns).enumerated() {
                if let mismatch = mismatch(element, pattern, at: "\(path)/\(index)") { return mismatch }
            }
            return nil
        default:
            return value == pattern ? nil : "\(path): \(RawJSON(value)), not \(RawJSON(pattern))"
        }
    }
}
