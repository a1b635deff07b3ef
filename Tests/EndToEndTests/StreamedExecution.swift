import Testing

/// An execution whose stream is read off the wire, line by line.
final class StreamedExecution {
    private let action: String
    private let socket: RawSocket
    private var text = ""
    private var isClosed = false
    private(set) var lines: [String] = []

    init(_ action: String, timeout: String? = nil, on sandbox: Sandbox) throws {
        self.action = action
        socket = try RawSocket(path: sandbox.socket)
        let limit = timeout.map { #","timeout":"\#($0)""# } ?? ""
        let params = #"{"action":"\#(action)","stream":"x","onDisconnect":"cancel"\#(limit)}"#
        socket.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":\#(params)}"# + "\n")
    }

    /// Reads the lines that have arrived.
    func read() {
        while !isClosed {
            guard let piece = socket.received() else {
                isClosed = true
                return
            }
            if piece.isEmpty { return }
            text += piece
            var parts = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            text = parts.removeLast()
            lines += parts
        }
    }

    func lines(of channel: String) -> [String] {
        lines.filter { $0.contains(#""channel":"\#(channel)""#) }
    }

    func close() {
        socket.close()
        isClosed = true
    }

    /// Cancels it as a user does.
    func cancel(grace: String? = nil) {
        let limit = grace.map { #","grace":"\#($0)""# } ?? ""
        socket.send(
            #"{"jsonrpc":"2.0","id":2,"method":"execution.cancel","params":{"execution":"\#(id)"\#(limit)}}"# + "\n")
    }

    func waitForElement() async throws {
        try await eventually("there is an element of \(action)") {
            read()
            return !lines(of: "elements").isEmpty
        }
    }

    /// Waits for the end and returns its reason.
    func end() async throws -> String {
        try await eventually("the execution of \(action) ends") {
            read()
            return !lines(of: "end").isEmpty
        }
        return Self.text(after: #""reason":""#, in: lines(of: "end")[0])
    }

    var id: String { Self.text(after: #""execution":""#, in: lines.first ?? "") }

    private static func text(after start: String, in line: String) -> String {
        guard let range = line.firstRange(of: start) else { return "" }
        return String(line[range.upperBound...].prefix { $0 != "\"" })
    }
}
