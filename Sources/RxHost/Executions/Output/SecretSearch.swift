internal import RxJSON

/// Finds the parts of secrets in bytes, in one pass over them (Aho-Corasick): the time depends on the number of bytes,
/// and neither on the number of the parts nor on what the bytes are.
///
/// A secret is looked for as it is, and as a JSON string has it: each of these is a part.
struct SecretSearch {
    /// About the memory for each byte of the parts.
    static let costOfByte = MemoryLayout<Automaton.Node>.stride

    private let secrets: Set<String>
    private let least: Int
    private let automaton: Automaton

    /// - Parameter least: the fewest bytes of a secret that is looked for; at least 1.
    init(_ secrets: Set<String>, least: Int = 1) {
        self.secrets = secrets
        self.least = least
        var bytes = 0
        for secret in secrets where secret.utf8.count >= least { bytes += Self.bytes(of: secret) }
        var automaton = Automaton(reserving: bytes)
        for secret in secrets where secret.utf8.count >= least {
            for part in Self.parts(of: secret) { automaton.add(part) }
        }
        automaton.link()
        self.automaton = automaton
    }

    /// The number of bytes in the parts of a secret.
    static func bytes(of secret: String) -> Int { parts(of: secret).reduce(0) { $0 + $1.count } }

    private static func parts(of secret: String) -> [[UInt8]] {
        let (plain, escaped) = (Array(secret.utf8), Array(RawJSON(.string(secret)).utf8.dropFirst().dropLast()))
        return plain == escaped ? [plain] : [plain, escaped]
    }

    var isEmpty: Bool { automaton.isEmpty }

    /// The places of the parts, in their order. Parts that overlap are one place.
    ///
    /// - Parameters:
    ///   - isCutBefore: whether bytes before them are missing, which may be the start of a part.
    ///   - isCutAfter: whether bytes after them are missing, which may be the end of one.
    ///   - least: the fewest bytes of a part that is cut.
    func places(
        in bytes: [UInt8], isCutBefore: Bool = false, isCutAfter: Bool = false, least: Int = 1
    ) -> [Range<Int>] {
        guard !isEmpty, !bytes.isEmpty else { return [] }
        var places = Places()
        if isCutBefore {
            let end = longestEnd(before: bytes)
            if end >= least { places.add(0..<end) }
        }
        let rest = automaton.find(in: bytes) { places.add($0) }
        if isCutAfter, rest >= least { places.add((bytes.count - rest)..<bytes.count) }
        return places.ranges
    }

    /// The most bytes at the start of `bytes` that are the end of a part (Knuth-Morris-Pratt).
    private func longestEnd(before bytes: [UInt8]) -> Int {
        let start = bytes.prefix(automaton.depth)
        var borders = [0]
        func extend(_ length: Int, by byte: UInt8) -> Int {
            var length = length
            while length > 0, length == start.count || start[length] != byte { length = borders[length - 1] }
            return start[length] == byte ? length + 1 : 0
        }
        for byte in start.dropFirst() { borders.append(extend(borders[borders.count - 1], by: byte)) }
        var longest = 0
        for secret in secrets where secret.utf8.count >= least {
            for part in Self.parts(of: secret) { longest = max(longest, part.reduce(0) { extend($0, by: $1) }) }
        }
        return longest
    }
}

/// Ranges that are added in the order of their ends.
private struct Places {
    private(set) var ranges: [Range<Int>] = []

    mutating func add(_ range: Range<Int>) {
        var range = range
        while let last = ranges.last, range.lowerBound < last.upperBound {
            range = min(last.lowerBound, range.lowerBound)..<max(last.upperBound, range.upperBound)
            ranges.removeLast()
        }
        ranges.append(range)
    }
}

/// The prefixes of all parts as a tree. Each node refers to the longest proper end of its prefix that is one, too.
private struct Automaton {
    struct Node {
        var byte: UInt8 = 0
        /// The number of bytes in the prefix.
        var depth: Int32 = 0
        /// The length of the longest part that the prefix ends with; 0 for none.
        var longest: Int32 = 0
        var fallback: Int32 = 0
        var firstChild: Int32 = 0
        /// The next child of the same parent. 0, the root, is the child of none: it stands for no node.
        var sibling: Int32 = 0
    }

    private var nodes = [Node()]
    /// The number of bytes in the longest part.
    private(set) var depth = 0

    /// - Parameter bytes: the most bytes that its parts will have together.
    init(reserving bytes: Int) { nodes.reserveCapacity(bytes + 1) }

    var isEmpty: Bool { nodes.count == 1 }

    /// Reports each place in the order of its end; of those with the same end, the longest.
    ///
    /// - Returns: the most bytes at the end of `bytes` with which a part begins.
    func find(in bytes: [UInt8], _ report: (Range<Int>) -> Void) -> Int {
        var node: Int32 = 0
        for (index, byte) in bytes.enumerated() {
            node = next(node, byte)
            let length = Int(nodes[Int(node)].longest)
            if length > 0 { report((index + 1 - length)..<(index + 1)) }
        }
        return Int(nodes[Int(node)].depth)
    }

    private func next(_ node: Int32, _ byte: UInt8) -> Int32 {
        var node = node
        while true {
            let child = child(of: node, byte)
            if child != 0 || node == 0 { return child }
            node = nodes[Int(node)].fallback
        }
    }

    private func child(of node: Int32, _ byte: UInt8) -> Int32 {
        var child = nodes[Int(node)].firstChild
        while child != 0, nodes[Int(child)].byte != byte { child = nodes[Int(child)].sibling }
        return child
    }

    mutating func add(_ part: [UInt8]) {
        depth = max(depth, part.count)
        var node: Int32 = 0
        for byte in part {
            var next = child(of: node, byte)
            if next == 0 {
                next = Int32(nodes.count)
                nodes.append(
                    Node(
                        byte: byte, depth: nodes[Int(node)].depth + 1, sibling: nodes[Int(node)].firstChild))
                nodes[Int(node)].firstChild = next
            }
            node = next
        }
        nodes[Int(node)].longest = Int32(part.count)
    }

    /// Sets the fallbacks, level by level, once all parts are added.
    mutating func link() {
        var level: [Int32] = [0]
        while !level.isEmpty {
            var below: [Int32] = []
            for node in level {
                var child = nodes[Int(node)].firstChild
                while child != 0 {
                    let fallback = node == 0 ? 0 : next(nodes[Int(node)].fallback, nodes[Int(child)].byte)
                    nodes[Int(child)].fallback = fallback
                    nodes[Int(child)].longest = max(nodes[Int(child)].longest, nodes[Int(fallback)].longest)
                    below.append(child)
                    child = nodes[Int(child)].sibling
                }
            }
            level = below
        }
    }
}
