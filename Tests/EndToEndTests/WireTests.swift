import TestSupport
import Testing

/// Clients that are not rxctl, well-behaved and not.
@Suite(.ownThreads(limit: .seconds(120)))
struct WireTests {
    @Test("socat is client enough", .enabled(if: Programs.installed("socat") != nil))
    func socat() async throws {
        try await withDaemon { sandbox, _ in
            let result = try await sandbox.shell(
                #"""
                params='{"action":"echo","input":{"a":1}}'
                printf '{"jsonrpc":"2.0","id":1,"method":"action.execute","params":%s}\n' "$params" |
                    socat -t 60 - "UNIX:$RXD_SOCKET"
                """#)
            #expect(result.status == 0)
            #expect(result.lines.count == 1)
            #expect(result.output.contains(#""id":1"#))
            #expect(result.output.contains(#""elements":[{"a":1}]"#))
            #expect(result.output.contains(#""truncated":false"#))
        }
    }

    @Test("HTTP, binary, deep nesting and half a line get errors and harm nobody")
    func badInput() async throws {
        try await withDaemon { sandbox, _ in
            let witness = try await sandbox.startRxctl("execute", "ticks", #"{"interval":"20ms"}"#)
            try await eventually("the witness is served") { !witness.lines.isEmpty }
            for text in [
                "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\u{0}\u{1}\u{2}\n", "[]\n", "{\"jsonrpc\":\"1.0\"}\n",
                String(repeating: "[", count: 100_000) + "\n",
            ] {
                let client = try RawSocket(path: sandbox.socket)
                client.send(text)
                var answer = ""
                try await eventually("\(text.prefix(20)) is answered") {
                    answer += client.received() ?? ""
                    return answer.contains("\n")
                }
                #expect(answer.contains(#""error":{"code":-32"#), "\(answer)")
            }
            let silent = try RawSocket(path: sandbox.socket)
            let half = try RawSocket(path: sandbox.socket)
            half.send(#"{"jsonrpc":"2.0","id":1,"#)
            #expect(try await sandbox.rxctl("execute", "echo", "1").output == "1\n")
            let before = witness.lines.count
            try await eventually("the witness is still served") { witness.lines.count > before }
            silent.close()
            half.close()
            try await eventually("all of them are gone") {
                try await sandbox.rxctl("status").output.contains(#""connections":2"#)
            }
            witness.signal(2)
            #expect(try await witness.result().status == 130)
        }
    }

    @Test("a line over the limit is one error, and the connection stays open")
    func longLine() async throws {
        try await withDaemon { sandbox, _ in
            let result = try await sandbox.shell(
                #"""
                { head -c 2000000 /dev/zero | tr '\0' x; echo
                  echo '{"jsonrpc":"2.0","id":2,"method":"action.execute","params":{"action":"echo","input":2}}'
                } | socat -t 60 - "UNIX:$RXD_SOCKET"
                """#)
            #expect(result.lines.count == 2)
            #expect(result.lines.first?.contains(#""name":"tooLarge""#) == true)
            #expect(result.lines.last?.contains(#""elements":[2]"#) == true)
        }
    }
}
