/// Recognizes a peer that speaks another protocol by its lines that are not JSON.
struct UnparsableLines {
    /// Such lines in a row before the peer is sent away.
    static let tolerated = 16

    private var count = 0

    /// A line was JSON.
    mutating func reset() {
        count = 0
    }

    /// Counts a line that is not.
    ///
    /// - Returns: whether the peer is to be sent away.
    mutating func add() -> Bool {
        count += 1
        return count == Self.tolerated
    }

    /// Whether a line is the first of an HTTP request: it would be of no use to answer each of its header lines.
    static func isHTTP(_ line: UnsafeRawBufferPointer) -> Bool {
        let end = Array(" HTTP/1.".utf8)
        guard line.count > end.count + 1 else { return false }
        return line[(line.count - end.count - 1)..<(line.count - 1)].elementsEqual(end)
    }
}
