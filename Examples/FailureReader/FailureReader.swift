internal import Glibc
internal import RxClient
internal import RxJSON
internal import RxProtocol

// FailureReader: appends the id of each failed execution to a file, exactly once, whatever is killed meanwhile.
//
//     FailureReader /run/rxd/rxd.sock failures
//
// The file is its memory: a line is an execution and the cursor behind its failure, in one write. What a kill leaves of
// a line is removed at the next start. Reading order: FailureReader, FailureFile.

@main
struct FailureReader {
    static func main() async throws {
        guard CommandLine.arguments.count == 3 else { leave("usage: FailureReader SOCKET FILE", status: 64) }
        let (socket, path) = (CommandLine.arguments[1], CommandLine.arguments[2])
        do {
            let file = try FailureFile(path)
            let client = try await connect(socket)
            // Document: begin
            let start = file.cursor.map { SubscribeRequest.Start.cursor($0) } ?? .start
            var request = SubscribeRequest(.action(["*"]), channels: [.errors], from: start)
            request.fallback = .start  // a power cut may have left less than the file has
            for try await element in try await client.subscribe(request) {
                switch element {  // goes on through restarts of the daemon
                case .event(let event) where event.channel == .errors: try file.append(event)
                case .event(let event) where event.channel == .lag: report("missed: \(event.record.text)")
                case .event: break
                case .gap(let gap): report("missed what came after \(gap.after ?? "the start")")
                }
            }
            // Document: end
        } catch {
            leave("\(error)", status: 1)
        }
    }

    /// The first connection, which a daemon that is just starting refuses. Later ones are the client's concern.
    private static func connect(_ path: String) async throws -> Client {
        while true {
            do {
                return try await Client.connect(path: path, reconnecting: .forever)
            } catch ClientError.unreachable {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    private static func report(_ text: String) {
        let line = Array("FailureReader: \(text)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }

    private static func leave(_ text: String, status: Int32) -> Never {
        report(text)
        exit(status)
    }
}
