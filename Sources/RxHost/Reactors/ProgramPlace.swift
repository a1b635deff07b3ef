/// A line of a configuration file.
public struct SourceLine: Sendable, Hashable {
    /// The path of the file.
    public let file: String
    /// From 1.
    public let line: Int

    /// The line `line` of `file`.
    public init(file: String, line: Int) {
        self.file = file
        self.line = line
    }
}

/// A program of a reactor, for messages: which one it is, and where it is written.
public struct ProgramPlace: Sendable, Hashable, CustomStringConvertible {
    /// The part of a reactor that a program belongs to.
    public enum Part: Sendable, Hashable {
        /// The rule with this index in `mutate`, from 0.
        case rule(Int)
        /// The stream with this index in `merge`, from 0.
        case merge(Int)

        /// The key of the part in the reactor's table, such as `mutate[1]`.
        public var key: String {
            switch self {
            case .rule(let index): "mutate[\(index)]"
            case .merge(let index): "merge[\(index)]"
            }
        }
    }

    /// The part; for `reduce`, the one that the mutation came from. Nil if none did.
    public var part: Part?
    /// The key of the program in its part, such as `when`; or `reduce`.
    public var program: String
    /// Where it is written; nil if that is not known.
    public var source: SourceLine?

    /// The program `program` of `part`.
    public init(_ part: Part?, _ program: String, source: SourceLine? = nil) {
        self.part = part
        self.program = program
        self.source = source
    }

    /// The program that turns mutations into states.
    public static let reduce = "reduce"

    /// The key of the program in the reactor's table, such as `mutate[1].mutation`.
    public var key: String {
        guard let part, program != Self.reduce else { return program }
        return "\(part.key).\(program)"
    }

    /// The place as compilers write it: `/etc/rxd/rxd.toml:41: mutate[1].mutation`.
    public var description: String {
        let origin = program == Self.reduce ? part.map { " for \($0.key)" } ?? "" : ""
        return (source.map { "\($0.file):\($0.line): " } ?? "") + key + origin
    }

    /// The same place with its line, if `lines` has the line of the program or of its part, by their keys.
    func located(in lines: [String: SourceLine]) -> ProgramPlace {
        guard source == nil else { return self }
        var located = self
        located.source = lines[key] ?? part.flatMap { lines[$0.key] }
        return located
    }
}
