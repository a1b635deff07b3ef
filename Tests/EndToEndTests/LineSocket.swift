import Testing

/// A client that sends and reads lines of the protocol, on demand only.
final class LineSocket {
    private let socket: RawSocket
    private var text = ""
    private var lines: ArraySlice<String> = []

    init(path: String) throws {
        socket = try RawSocket(path: path)
    }

    func send(_ line: String) {
        socket.send(line + "\n")
    }

    /// The next one.
    func line() async throws -> String {
        try await eventually("a line comes") {
            while lines.isEmpty {
                guard let piece = socket.received() else { throw WaitedInVain(for: "a line: the connection is closed") }
                if piece.isEmpty { return false }
                text += piece
                var parts = text.split(separator: "\n", omittingEmptySubsequences: false)
                text = String(parts.removeLast())
                lines = parts.map(String.init)[...]
            }
            return true
        }
        return lines.removeFirst()
    }

    func close() {
        socket.close()
    }
}
