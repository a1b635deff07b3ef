/// A pattern of paths. With a slash it is matched against the path relative to the root, without one against the last
/// component.
///
/// `*` matches any characters but `/`, `**` any characters, `**/` also nothing, `?` one character but `/`, and `[a-z]`
/// or `[!a-z]` one character of a set but `/`. A backslash takes the next character literally. Characters are bytes.
public struct PathGlob: Sendable, Hashable {
    private enum Part: Sendable, Hashable {
        case byte(UInt8)
        case one
        case set([ClosedRange<UInt8>], negated: Bool)
        case within
        case across
        /// `**/`: any number of whole components.
        case components
    }

    /// The pattern as it was written.
    public let text: String
    /// Whether the pattern is matched against the whole relative path.
    let hasSlash: Bool
    private let parts: [Part]

    /// A pattern; nil if it is empty, or if a set in it is not closed.
    public init?(_ text: String) {
        self.text = text
        // A slash at the start anchors the pattern to the root, where every pattern with a slash begins anyway.
        var rest = ArraySlice(text.utf8)
        hasSlash = rest.contains(UInt8(ascii: "/"))
        if rest.first == UInt8(ascii: "/") { rest.removeFirst() }
        guard !rest.isEmpty else { return nil }
        var parts: [Part] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "*"):
                guard rest.first == UInt8(ascii: "*") else {
                    parts.append(.within)
                    continue
                }
                while rest.first == UInt8(ascii: "*") { rest.removeFirst() }
                let startsComponent = parts.isEmpty || parts.last == .byte(UInt8(ascii: "/"))
                if startsComponent, rest.first == UInt8(ascii: "/") {
                    rest.removeFirst()
                    parts.append(.components)
                } else {
                    parts.append(.across)
                }
            case UInt8(ascii: "?"): parts.append(.one)
            case UInt8(ascii: "["):
                guard let set = Self.set(&rest) else { return nil }
                parts.append(set)
            case UInt8(ascii: "\\"): parts.append(.byte(rest.popFirst() ?? byte))
            case _: parts.append(.byte(byte))
            }
        }
        self.parts = parts
    }

    /// Whether a path relative to the root matches.
    func matches(_ path: ArraySlice<UInt8>) -> Bool {
        hasSlash
            ? matches(whole: path)
            : matches(whole: path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? path.startIndex)...])
    }

    private static func set(_ rest: inout ArraySlice<UInt8>) -> Part? {
        var ranges: [ClosedRange<UInt8>] = []
        let negated = rest.first == UInt8(ascii: "!") || rest.first == UInt8(ascii: "^")
        if negated { rest.removeFirst() }
        var isFirst = true
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "]"), !isFirst { return .set(ranges, negated: negated) }
            isFirst = false
            let low = byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte
            guard rest.first == UInt8(ascii: "-"), let high = rest.dropFirst().first, high != UInt8(ascii: "]") else {
                ranges.append(low...low)
                continue
            }
            rest = rest.dropFirst(2)
            if low <= high { ranges.append(low...high) }
        }
        return nil
    }

    /// Goes on from the latest star that can take one byte more. A star that crosses slashes is kept beside a later one
    /// that does not, since only the former can go on behind a slash. Two positions, so the time is bounded by the
    /// product of both lengths.
    private func matches(whole path: ArraySlice<UInt8>) -> Bool {
        var part = 0
        var byte = path.startIndex
        var within: (part: Int, byte: Int)?
        var across: (part: Int, byte: Int, isComponents: Bool)?
        while true {
            if part < parts.count {
                switch parts[part] {
                case .within:
                    within = (part + 1, byte)
                    part += 1
                    continue
                case .across, .components:
                    across = (part + 1, byte, parts[part] == .components)
                    within = nil
                    part += 1
                    continue
                case .byte, .one, .set:
                    if byte < path.endIndex, accepts(parts[part], path[byte]) {
                        part += 1
                        byte += 1
                        continue
                    }
                }
            } else if byte == path.endIndex {
                return true
            }
            if let star = within, star.byte < path.endIndex, path[star.byte] != UInt8(ascii: "/") {
                within = (star.part, star.byte + 1)
                (part, byte) = (star.part, star.byte + 1)
                continue
            }
            within = nil
            guard let star = across, star.byte < path.endIndex else { return false }
            var next = star.byte + 1
            if star.isComponents {
                guard let slash = path[star.byte...].firstIndex(of: UInt8(ascii: "/")) else { return false }
                next = slash + 1
            }
            across = (star.part, next, star.isComponents)
            (part, byte) = (star.part, next)
        }
    }

    private func accepts(_ part: Part, _ byte: UInt8) -> Bool {
        switch part {
        case .byte(let expected): byte == expected
        case .one: byte != UInt8(ascii: "/")
        case .set(let ranges, let negated):
            byte != UInt8(ascii: "/") && ranges.contains { $0.contains(byte) } != negated
        case .within, .across, .components: false
        }
    }
}
