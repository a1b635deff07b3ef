import Glibc
import RxJSON
import Synchronization
import TestSupport
import Testing

@testable import rxctl

/// The commands as they are typed, against a daemon that answers as each test wants.
@Suite(.ownThreads(limit: .seconds(120)))
struct DaemonCommandTests {
    private static let id = "01a1fc74-5543-7000-b6c5-3532564cb263"

    /// Answers an `execute` with a stream: the input as its only element, then the end. The input is a script, too:
    /// `"fail"`, `"exit"` and `"signal"` fail.
    private static func perform(_ request: FakeDaemon.Request, _ peer: FakeDaemon.Peer) {
        let input = request.params["input"] ?? .null
        peer.answer(
            request, #"{"execution":"\#(id)","disposition":"started","subscription":"\#(request.stream)"}"#)
        func fail(_ facts: String) {
            peer.event(
                request.stream, 1,
                #""channel":"errors","error":{"code":-32001,"message":"it failed","#
                    + #""data":{"name":"workFailed"\#(facts)}}"#
            )
            peer.event(request.stream, 2, #""channel":"end","value":{"reason":"failed"}"#)
        }
        switch input.string {
        case "fail": fail("")
        case "exit": fail(#","exit":42"#)
        case "signal": fail(#","signal":9"#)
        default:
            peer.event(request.stream, 1, #""channel":"elements","value":\#(RawJSON(input).text)"#)
            peer.end(request.stream, 2)
        }
    }

    private func withPerformer(_ body: (FakeDaemon) async throws -> Void) async throws {
        try await withFakeDaemon(
            { request, peer in
                switch request.method {
                case "action.execute": DaemonCommandTests.perform(request, peer)
                case "unsubscribe", "action.forget": peer.answer(request, "{}")
                default: peer.close()
                }
            }, body)
    }

    // MARK: execute

    @Test("--detach prints the id, or an object, and exits; the execution continues")
    func detach() async throws {
        try await withPerformer { daemon in
            let plain = await bash("rxctl execute a --detach --key k1 x=1", socket: daemon.path)
            #expect(plain.output == DaemonCommandTests.id + "\n")
            #expect(plain.status == 0)
            let json = await bash("rxctl execute a --detach --json", socket: daemon.path)
            #expect(json.output == #"{"execution":"\#(DaemonCommandTests.id)","disposition":"started"}"# + "\n")
            let first = try #require(daemon.requests.first)
            #expect(first.params["key"] == "k1")
            #expect(first.params["onDisconnect"] == nil)
            #expect(first.params["input"] == ["x": "1"])
        }
    }

    @Test("--wait finds the next daemon when the one that took the connection is on its way out")
    func waiting() async throws {
        let hellos = Mutex(0)
        try await withFakeDaemon({ request, peer in
            guard request.method == "server.hello" else { return peer.answer(request, #"{"version":"1"}"#) }
            let number = hellos.withLock { hellos in
                hellos += 1
                return hellos
            }
            if number < 3 { peer.close() } else { peer.answer(request, "{}") }
        }) { daemon in
            let result = await bash("rxctl status --wait 20s --json 2>&1", socket: daemon.path)
            #expect(result.lines == [#"{"version":"1"}"#] && result.status == 0)
            #expect(hellos.withLock { $0 } == 3)
            #expect(daemon.requests.filter { $0.method == "server.status" }.count == 1)
        }
    }

    @Test("--propagate exits as the command did; without it and for other ends our own codes stay")
    func propagate() async throws {
        try await withPerformer { daemon in
            let script = #"""
                for input in '"exit"' '"signal"' '"fail"' 1; do
                    rxctl execute a --propagate "$input" >/dev/null 2>&1; echo $?
                done
                rxctl execute a '"exit"' >/dev/null 2>&1; echo $?
                """#
            #expect(await bash(script, socket: daemon.path).lines == ["42", "137", "1", "0", "1"])
        }
    }

    @Test("queued and joined executions print nothing on stdout, and nothing without a terminal")
    func dispositions() async throws {
        for disposition in ["queued", "joined"] {
            try await withFakeDaemon({ request, peer in
                peer.answer(
                    request, #"{"execution":"E","disposition":"\#(disposition)","subscription":"\#(request.stream)"}"#)
                peer.event(request.stream, 1, #""channel":"elements","value":7"#)
                peer.end(request.stream, 2)
            }) { daemon in
                #expect(await bash("rxctl execute a 2>&1", socket: daemon.path).output == "7\n")
            }
        }
    }

    @Test("Ctrl-C withdraws, and the end of the stream is the end: 130")
    func withdraw() async throws {
        for reason in ["unsubscribed", "cancelled"] {
            let stream = Mutex("")
            try await withFakeDaemon({ request, peer in
                switch request.method {
                case "action.execute":
                    stream.withLock { $0 = request.stream }
                    peer.answer(
                        request, #"{"execution":"E","disposition":"joined","subscription":"\#(request.stream)"}"#)
                    peer.event(request.stream, 1, #""channel":"elements","value":7"#)
                case "unsubscribe" where request.stream == stream.withLock({ $0 }):
                    peer.answer(request, "{}")
                    peer.event(request.stream, 2, #""channel":"end","value":{"reason":"\#(reason)"}"#)
                default: peer.close()
                }
            }) { daemon in
                let result = await bash(
                    """
                    out=$(mktemp); trap 'rm $out' EXIT
                    rxctl execute a >$out 2>/dev/null & pid=$!
                    until [ -s $out ]; do sleep 0.01; done
                    kill -TERM $pid; wait $pid; echo $?; cat $out
                    """, socket: daemon.path)
                #expect(result.lines == ["130", "7"])
            }
        }
    }

    // MARK: execute --each

    @Test("--each executes a line at a time, skips blank ones, reports failures by line, and continues")
    func each() async throws {
        try await withPerformer { daemon in
            let lines = #"printf '%s\n' '{ "a": 1 }' '' '"exit"' '{oops' '"fail"' 2"#
            let people = await bash("\(lines) | rxctl execute a --each 2>&1 >/dev/null", socket: daemon.path)
            #expect(
                people.lines == [
                    "rxctl: line 3: it failed (workFailed)", "rxctl:   exit: 42",
                    "rxctl: line 4: not valid JSON: expected a key in quotes at column 2",
                    "rxctl: line 5: it failed (workFailed)",
                ])
            let values = await bash("\(lines) | rxctl execute a --each 2>/dev/null", socket: daemon.path)
            #expect(values.lines == [#"{"a":1}"#, "2"])
            #expect(values.status == 1)
            let both = await bash("\(lines) | rxctl execute a --each 2>&1", socket: daemon.path)
            #expect(both.lines == [values.lines[0]] + people.lines + [values.lines[1]])
            let propagated = await bash(
                "\(lines) | rxctl execute a --each --propagate >/dev/null 2>&1", socket: daemon.path)
            #expect(propagated.status == 42)
            let json = await bash("\(lines) | rxctl execute a --each --json 2>/dev/null", socket: daemon.path)
            let told = try json.lines.map { try RawJSON(validating: $0).value() }
            #expect(told.map { $0["line"] } == [1, 1, 3, 4, 5, 6, 6])
            #expect(told.compactMap { $0["value"] } == [["a": 1], 2])
            #expect(told.compactMap { $0["completed"] == true ? $0["line"] : nil } == [1, 6])
            let errors = told.compactMap { $0["error"] }
            #expect(errors.map { $0["data"]?["name"] } == ["workFailed", "inputRefused", "workFailed"])
            #expect(told.map { $0["execution"] != nil } == [true, true, true, false, true, true, true])
        }
    }

    @Test("--each is done with no line at all, and each line has a key of its own")
    func eachKeys() async throws {
        try await withPerformer { daemon in
            #expect(await bash("rxctl execute a --each </dev/null", socket: daemon.path).status == 0)
            _ = await bash("printf '1\\n\\n2' | rxctl execute a --each --key k", socket: daemon.path)
            #expect(daemon.requests.map { $0.params["key"] } == ["k-1", "k-3"])
            let ids = await bash("printf '1\\n2\\n' | rxctl execute a --each --detach", socket: daemon.path)
            #expect(ids.lines == [DaemonCommandTests.id, DaemonCommandTests.id])
        }
    }

    @Test("--each --detach holds a line back while there is no room, and never for another reason")
    func eachHeld() async throws {
        let refusals = Mutex<[(code: Int, name: String, facts: String)]>([
            (-32003, "queueFull", #","action":"a","limit":1"#), (-32008, "limitReached", #","limit":"keys","value":1"#),
            (-32002, "notEnabled", #","action":"a","reason":{"cause":"executing","inFlight":8,"limit":8}"#),
            (-32015, "shuttingDown", ""),
            (-32002, "notEnabled", #","action":"a","reason":{"cause":"manual","since":"T"}"#),
        ])
        try await withFakeDaemon({ request, peer in
            let refusal = refusals.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if let refusal { return peer.refuse(request, refusal.code, refusal.name, refusal.facts) }
            peer.answer(
                request,
                #"{"execution":"E\#(request.params["input"]?.int ?? 0)","disposition":"queued","subscription":"#
                    + #""\#(request.stream)"}"#)
        }) { daemon in
            let result = await bash(
                "printf '1\\n2\\n' | rxctl execute a --each --detach --json 2>&1", socket: daemon.path)
            let lines = try result.lines.map { try RawJSON(validating: $0).value() }
            // Line 1 is sent five times; the manual switch ends it.
            #expect(lines.map { $0["execution"] ?? $0["line"] } == [1, "E2"])
            #expect(lines.map { $0["line"] } == [1, 2])
            #expect(lines.first?["error"]?["data"]?["name"] == "notEnabled")
            #expect(result.status == 3)
            let inputs = daemon.requests.compactMap { $0.params["input"]?.int }
            #expect(inputs == [1, 1, 1, 1, 1, 2])
        }
    }

    @Test("--each --detach sends a line again whose answer was lost with the daemon, with its key, and goes on")
    func eachLost() async throws {
        let isLost = Mutex(false)
        try await withFakeDaemon({ request, peer in
            // The answer to line 2 is lost once.
            let loses =
                request.params["input"]?.int == 2
                && isLost.withLock { isLost in
                    defer { isLost = true }
                    return !isLost
                }
            if loses { return peer.close() }
            peer.answer(
                request,
                #"{"execution":"E\#(request.params["input"]?.int ?? 0)","disposition":"queued","subscription":"#
                    + #""\#(request.stream)"}"#)
        }) { daemon in
            let keyed = await bash("seq 3 | rxctl execute a --each --detach --key k 2>/dev/null", socket: daemon.path)
            #expect(keyed.lines == ["E1", "E2", "E3"])
            #expect(keyed.status == 0)
            #expect(daemon.requests.compactMap { $0.params["key"] } == ["k-1", "k-2", "k-2", "k-3"])
            isLost.withLock { $0 = false }
            let unkeyed = await bash("seq 3 | rxctl execute a --each --detach 2>&1", socket: daemon.path)
            #expect(unkeyed.lines.filter { !$0.hasPrefix("rxctl: ") } == ["E1", "E2", "E3"])
            #expect(unkeyed.lines.contains { $0.contains("line 2: the answer was lost") })
        }
    }

    @Test("--parallel keeps that many in flight and no more; the first line that failed decides, not the first to fail")
    func parallel() async throws {
        let waiting = Mutex<[String]>([])
        let most = Mutex(0)
        try await withFakeDaemon({ request, peer in
            peer.answer(request, #"{"execution":"E","disposition":"started","subscription":"\#(request.stream)"}"#)
            let streams = waiting.withLock {
                $0.append(request.stream)
                return $0
            }
            most.withLock { $0 = max($0, streams.count) }
            // Nothing ends before three are in flight, and then the last one first.
            guard streams.count == 3 else { return }
            waiting.withLock { $0 = [] }
            for (place, stream) in streams.enumerated().reversed() {
                peer.event(
                    stream, 1,
                    #""channel":"errors","error":{"code":-32001,"message":"","#
                        + #""data":{"name":"workFailed","exit":\#(place + 10)}}"#
                )
                peer.event(stream, 2, #""channel":"end","value":{"reason":"failed"}"#)
            }
        }) { daemon in
            let result = await bash(
                "seq 6 | rxctl execute a --each --parallel 3 --propagate --json 2>&1", socket: daemon.path)
            let lines = try result.lines.map { try RawJSON(validating: $0).value()["line"] }
            #expect(lines == [3, 2, 1, 6, 5, 4])
            #expect(result.status == 10)
            #expect(most.withLock { $0 } == 3)
            #expect(daemon.requests.filter { $0.method == "action.execute" }.count == 6)
        }
    }

    @Test("--each ends with its reader, however much input there is: 141")
    func eachReaderGone() async throws {
        try await withPerformer { daemon in
            let result = await bash(
                "yes '{}' | rxctl execute --each a | head -3; echo ${PIPESTATUS[1]}", socket: daemon.path)
            #expect(result.lines == ["{}", "{}", "{}", "141"])
        }
    }

    @Test("Ctrl-C withdraws from all that is in flight and reads no further: 130")
    func eachInterrupted() async throws {
        try await withFakeDaemon({ request, peer in
            peer.answer(request, #"{"execution":"E","disposition":"started","subscription":"\#(request.stream)"}"#)
            if request.method == "unsubscribe" {
                peer.event(request.stream, 2, #""channel":"end","value":{"reason":"cancelled"}"#)
            } else {
                peer.event(request.stream, 1, #""channel":"elements","value":1"#)
            }
        }) { daemon in
            let result = await bash(
                """
                out=$(mktemp); trap 'rm $out' EXIT
                yes 1 | rxctl execute a --each --parallel 4 >$out 2>/dev/null & pid=$!
                until [ $(wc -l <$out) = 4 ]; do sleep 0.01; done
                kill -TERM $pid; wait $pid; echo $?
                """, socket: daemon.path)
            #expect(result.lines == ["130"])
            #expect(daemon.requests.filter { $0.method == "action.execute" }.count == 4)
            #expect(daemon.requests.filter { $0.method == "unsubscribe" }.count == 4)
        }
    }

    // MARK: The other commands

    /// Runs `script` with a daemon that returns `result` for every request. Returns the requests, too.
    private func ask(
        _ script: String, result: String
    ) async throws -> (result: ScriptResult, requests: [FakeDaemon.Request]) {
        var answer: (ScriptResult, [FakeDaemon.Request])?
        try await withFakeDaemon({ request, peer in peer.answer(request, result) }) { daemon in
            answer = (await bash(script, socket: daemon.path), daemon.requests)
        }
        return try #require(answer)
    }

    @Test("why, enable and disable print whether the action is enabled, and the reason")
    func enabled() async throws {
        let result = #"{"action":"a","enabled":false,"reason":{"cause":"stopping"},"kind":"process","executing":false}"#
        for (command, method) in [
            ("why a", "action.describe"), ("enable a", "action.enable"), ("disable a --reason 'x y'", "action.disable"),
        ] {
            let (answer, requests) = try await ask("rxctl \(command)", result: result)
            #expect(answer.output == #"{"action":"a","enabled":false,"reason":{"cause":"stopping"}}"# + "\n")
            #expect(answer.status == 0)
            #expect(requests.map(\.method) == [method])
            #expect(requests.first?.params["reason"] == (method == "action.disable" ? "x y" : nil))
        }
    }

    @Test("check starts nothing and prints the response unchanged")
    func check() async throws {
        let (answer, requests) = try await ask(
            "rxctl check a n:=1", result: #"{"action":"a","disposition":"joined","execution":"E"}"#)
        #expect(answer.output == #"{"action":"a","disposition":"joined","execution":"E"}"# + "\n")
        #expect(requests.map(\.method) == ["action.check"])
        #expect(requests.first?.params["input"] == ["n": 1])
    }

    @Test("wait prints an execution's record and exits by its end; for an action it prints nothing")
    func wait() async throws {
        let record = #"{"execution":"\#(DaemonCommandTests.id)","state":"timedOut"}"#
        let (answer, requests) = try await ask(
            "rxctl wait \(DaemonCommandTests.id.uppercased()) --timeout 5s", result: record)
        #expect(answer.output == record + "\n")
        #expect(answer.status == 124)
        #expect(requests.first?.params == ["execution": .string(DaemonCommandTests.id), "timeout": "5s"])
        let (action, asked) = try await ask("rxctl wait deploy", result: #"{"action":"deploy"}"#)
        #expect(action.output == "" && action.status == 0)
        #expect(asked.first?.params == ["action": "deploy"])
    }

    @Test("history requests the selected records and prints one per line")
    func history() async throws {
        let (answer, requests) = try await ask(
            """
            rxctl history a --state failed,timedOut --limit 2 --before \(DaemonCommandTests.id) --by reactor:r \
                --since 2026-11-22T03:00:00.000Z --until 2026-11-23T03:00:00.000Z --grep 'no disk' 2>&1
            """,
            result: #"{"executions":[{"execution":"A","n":1.0},{"execution":"B"}],"truncated":true,"before":"A"}"#)
        #expect(answer.lines == [#"{"execution":"A","n":1.0}"#, #"{"execution":"B"}"#])
        #expect(
            requests.map(\.params) == [
                [
                    "action": "a", "state": ["failed", "timedOut"], "since": "2026-11-22T03:00:00.000Z",
                    "until": "2026-11-23T03:00:00.000Z", "by": ["reactor": "r"], "grep": "no disk",
                    "before": .string(DaemonCommandTests.id), "limit": 2,
                ]
            ])
        let (_, ofAll) = try await ask("rxctl history", result: #"{"executions":[],"truncated":false}"#)
        #expect(ofAll.map(\.params) == [["order": "oldest"]])
        let (_, ofSome) = try await ask("rxctl history a b", result: #"{"executions":[],"truncated":false}"#)
        #expect(ofSome.map(\.params) == [["action": ["a", "b"], "order": "oldest"]])
    }

    @Test("without a limit, history goes from the oldest page to the newest; with one, back until it has as many")
    func historyPages() async throws {
        // The executions and the next position, by position. A page may have none of the executions that are listed.
        let oldest: [String?: ([Int], String?)] = [
            nil: ([1, 2], "o1"), "o1": ([], "o2"), "o2": ([3, 4, 5], "o3"), "o3": ([6], nil),
        ]
        let newest: [String?: ([Int], String?)] = [
            nil: ([5, 6], "n1"), "n1": ([], "n2"), "n2": ([3, 4], "n3"), "n3": ([1, 2], nil),
        ]
        try await withFakeDaemon({ request, peer in
            let isOldest = request.params["order"] == "oldest"
            let position = isOldest ? "after" : "before"
            var (ids, next) = (isOldest ? oldest : newest)[request.params[position]?.string] ?? ([], nil)
            if let limit = request.params["limit"]?.int, limit < ids.count { (ids, next) = (ids.suffix(limit), "n4") }
            let records = ids.map { #"{"execution":"\#($0)"}"# }.joined(separator: ",")
            let place = next.map { #","\#(position)":"\#($0)""# } ?? ""
            peer.answer(request, #"{"executions":[\#(records)],"truncated":\#(next != nil)\#(place)}"#)
        }) { (daemon) async throws in
            func ids(_ options: String) async throws -> String {
                try await bash("rxctl history \(options)", socket: daemon.path).lines.map {
                    try RawJSON(validating: $0).value()["execution"]?.string ?? ""
                }.joined()
            }
            #expect(try await ids("a") == "123456")
            #expect(daemon.requests.map { $0.params["action"] } == ["a", "a", "a", "a"])
            #expect(try await ids("--limit 5") == "23456")
            #expect(daemon.requests.dropFirst(4).map { $0.params["limit"] } == [5, 3, 3, 1])
            #expect(try await ids("--limit 10") == "123456")
        }
    }

    #if RX_TSAN
        /// ThreadSanitizer needs more than any limit allows.
        static let limitsMemory = false
    #else
        static let limitsMemory = true
    #endif

    @Test(
        "a history that never ends takes no more memory with each page, and ends with its reader: 141",
        .enabled(if: limitsMemory))
    func endlessHistory() async throws {
        let padding = String(repeating: "x", count: 1000)
        let page = (0..<1000).map { #"{"execution":"\#($0)","padding":"\#(padding)"}"# }.joined(separator: ",")
        let answer = #"{"executions":[\#(page)],"truncated":true,"after":"x"}"#
        try await withFakeDaemon({ request, peer in peer.answer(request, answer) }) { daemon in
            // 100 MB of records through 64 MB of memory.
            let result = await bash(
                "(ulimit -d 65536; exec rxctl history) | head -n 100000 | wc -l; echo ${PIPESTATUS[0]}",
                socket: daemon.path)
            #expect(result.lines == ["100000", "141"])
        }
    }

    @Test("options of history that do not fit the kind of the name are usage errors, not ignored")
    func misusedHistory() async throws {
        // The daemon has a reactor `r` and an action `a`.
        @Sendable func answer(_ request: FakeDaemon.Request, _ peer: FakeDaemon.Peer) {
            switch (request.method, request.params["action"] ?? request.params["reactor"]) {
            case ("reactor.history", "r"): peer.answer(request, #"{"reactor":"r","history":[]}"#)
            case ("execution.list", "a"): peer.answer(request, #"{"executions":[],"truncated":false}"#)
            case ("execution.list", ["a", "r"]): peer.refuse(request, -32006, "notFound", #","action":"r""#)
            case ("reactor.describe", "r"), ("action.describe", "a"): peer.answer(request, "{}")
            default: peer.refuse(request, -32006, "notFound")
            }
        }
        try await withFakeDaemon(answer) { daemon in
            for (arguments, message) in [
                ("r --state failed", "r is a reactor; --state applies to actions only"),
                ("r --before \(DaemonCommandTests.id)", "r is a reactor; its --before takes a revision"),
                ("a --before 7", "a is an action; its --before takes an execution's id"),
                ("r --since 1h", "r is a reactor; --since applies to actions only"),
                ("r --grep x", "r is a reactor; --grep applies to actions only"),
                ("a r", "r is a reactor; list its history alone"),
            ] {
                let misused = await bash("rxctl history \(arguments) 2>&1", socket: daemon.path)
                #expect(misused.output == "rxctl: \(message)\n")
                #expect(misused.status == 64)
                let json = await bash("rxctl history --json \(arguments) 2>&1", socket: daemon.path)
                #expect(json.output == #"{"message":"\#(message)","data":{"name":"usage"}}"# + "\n")
            }
            for arguments in ["r", "r --before 7", "a", "a --state failed", "a --before \(DaemonCommandTests.id)"] {
                let used = await bash("rxctl history \(arguments) 2>&1", socket: daemon.path)
                #expect(used.output == "" && used.status == 0, "\(arguments)")
            }
            for arguments in ["n --state failed", "n --before 7", "n --before \(DaemonCommandTests.id)"] {
                let unknown = await bash("rxctl history \(arguments) 2>/dev/null", socket: daemon.path)
                #expect(unknown.status == 5, "\(arguments)")
            }
        }
    }
}
