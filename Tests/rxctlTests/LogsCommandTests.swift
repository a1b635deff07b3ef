import RxJSON
import Synchronization
import TestSupport
import Testing

@testable import rxctl

/// Where `rxctl logs` has its records from.
@Suite(.ownThreads)
struct LogsCommandTests {
    private static let id = "01a1fc74-5543-7000-b6c5-3532564cb263"
    private static let time = "2026-11-21T01:02:03.123Z"

    /// Runs `script` with a journalctl that is this shell script, or without any; again while its result is not as
    /// expected, since rxctl waits only a moment for records.
    private func run(
        _ script: String, journalctl: String?, socket: String = "/nonexistent",
        until isExpected: (ScriptResult) -> Bool = { _ in true }
    ) async -> ScriptResult {
        let program = journalctl.map { text in
            "printf '#!/bin/bash\\n%s\\n' '\(text)' >$bin/journalctl; chmod +x $bin/journalctl"
        }
        return await bash(
            """
            bin=$(mktemp -d); rm=$(type -P rm); trap '$rm -r $bin' EXIT
            \(program ?? "ln -s $(type -P rxctl) $bin/rxctl; PATH=")
            PATH=$bin:$PATH
            \(script)
            """, socket: socket, until: isExpected)
    }

    private static func record(_ state: String, isEnded: Bool) -> String {
        let started = state == "queued" ? "null" : #""\#(time)""#
        let error = state == "failed" ? #"{"code":-32001,"message":"no","data":{"stderr":"one\ntwo"}}"# : "null"
        let ended = isEnded ? #""\#(time)""# : "null"
        return #"{"execution":"\#(id)","action":"a","state":"\#(state)","by":null,"causes":[null],"#
            + #""queuedAt":"\#(time)","startedAt":\#(started),"endedAt":\#(ended),"error":\#(error)}"#
    }

    /// A daemon with this record of the one execution of the action `a`; nil for none.
    private static func daemon(_ record: String?) -> @Sendable (FakeDaemon.Request, FakeDaemon.Peer) -> Void {
        { request, peer in
            switch (request.method, record) {
            case ("execution.get", let record?): peer.answer(request, record)
            case ("execution.list", _) where request.params["action"] == "a":
                peer.answer(request, #"{"executions":[\#(record ?? "")],"truncated":false}"#)
            case _: peer.refuse(request, -32006, "notFound")
            }
        }
    }

    private static let kept = ["accepted", "started", "stderr      one", "stderr      two", "failed      no"]

    /// The lines without their times, and without causes.
    private func words(_ result: ScriptResult) -> [String] {
        result.lines.filter { $0.hasPrefix("20") }.map { String($0.dropFirst(25)) }
            .map { $0.hasPrefix("accepted") ? "accepted" : $0 }
    }

    /// The words without the id of the execution.
    private func unnamed(_ result: ScriptResult) -> [String] {
        words(result).map { $0.replacing("\(Self.id) ", with: "") }
            .map { $0.hasPrefix("accepted") ? "accepted" : $0 }
    }

    @Test("the journal is read without a daemon: the fields of one execution, or of an action")
    func journal() async throws {
        let line =
            #"{"__REALTIME_TIMESTAMP":"1795222923123456","RXD_ACTION":"a","RXD_EXECUTION":"\#(Self.id)","#
            + #""MESSAGE":"hello","PRIORITY":"6"}"#
        let quoted = line.replacing("\"", with: "\\\"")
        let script = #"echo "$*" >$bin/arguments; echo not JSON; echo "{}"; echo "\#(quoted)""#
        let one = await run("export bin; rxctl logs \(Self.id); cat $bin/arguments", journalctl: script)
        #expect(one.lines.count == 2)
        #expect(one.lines.first == "\(Self.time) stderr      hello")
        #expect(one.lines.last?.hasPrefix("--quiet --output=json --all --output-fields=MESSAGE,PRIORITY,") == true)
        #expect(one.lines.last?.hasSuffix(" RXD_EXECUTION=\(Self.id)") == true)
        let all = await run("export bin; rxctl logs a --all --json; cat $bin/arguments", journalctl: script)
        #expect(
            all.lines.first
                == #"{"time":"\#(Self.time)","action":"a","execution":"\#(Self.id)","kind":"stderr","text":"hello"}"#)
        #expect(all.lines.last?.hasSuffix(" RXD_ACTION=a") == true)
        let last = await run("rxctl logs a", journalctl: script)
        #expect(last.lines == ["\(Self.time) stderr      hello"] && last.status == 0)
        #expect(await run("rxctl logs a", journalctl: ":").status == 69)
    }

    @Test("of an action of which the daemon keeps nothing, the journal has the last execution")
    func nothingKept() async throws {
        try await withFakeDaemon(Self.daemon(nil)) { daemon in
            let script = Self.journaled(5, #""MESSAGE":"hello","PRIORITY":"6""#)
            let result = await run("rxctl logs a", journalctl: script, socket: daemon.path)
            #expect(words(result) == ["stderr      hello"] && result.status == 0, "\(result)")
            let none = await run("rxctl logs a", journalctl: ":", socket: daemon.path)
            #expect(none.status == 5 && none.lines.isEmpty)
        }
    }

    @Test("without journalctl, or without a record in the journal, the daemon's are printed", arguments: [nil, ":"])
    func withoutJournal(journalctl: String?) async throws {
        try await withFakeDaemon(Self.daemon(Self.record("failed", isEnded: true))) { daemon in
            for target in [Self.id, "a", "a --all", "\(Self.id) --follow"] {
                let result = await run("rxctl logs \(target)", journalctl: journalctl, socket: daemon.path)
                let expected = target == "a --all" ? Self.kept.map { "\(Self.id) \($0)" } : Self.kept
                let found = words(result).map { $0.replacing("accepted    by the daemon itself", with: "accepted") }
                #expect(found == expected, "\(target)")
                #expect(result.status == 0)
            }
            let json = await run("rxctl logs a --json", journalctl: journalctl, socket: daemon.path)
            let kinds = try json.lines.map { try RawJSON(validating: $0).value()["kind"] }
            #expect(kinds == ["accepted", "started", "stderr", "stderr", "end"])
        }
    }

    /// A record of the journal about the one execution, as a shell command that prints it.
    private static func journaled(_ milliseconds: Int, _ fields: String) -> String {
        let record =
            #"{"__REALTIME_TIMESTAMP":"\#(1_795_222_923_000 + milliseconds)000","RXD_ACTION":"a","#
            + #""RXD_EXECUTION":"\#(id)",\#(fields)}"#
        return "echo \"\(record.replacing("\"", with: "\\\""))\""
    }

    @Test("what the journal lacks comes from the daemon, each once, in the order of time")
    func merged() async throws {
        try await withFakeDaemon(Self.daemon(Self.record("failed", isEnded: true))) { daemon in
            // An execution of a stream: neither its acceptance nor its start is in the journal.
            let errors = Self.journaled(123, #""PRIORITY":"6","MESSAGE":"one""#)
            let end = Self.journaled(125, #""PRIORITY":"4","RXD_STATE":"failed","MESSAGE":"a failed: no""#)
            let expected = ["accepted", "started", "stderr      one", "failed      no"]
            for target in [Self.id, "a", "a --all", "\(Self.id) --follow"] {
                let result = await run(
                    "rxctl logs \(target)", journalctl: errors + "; " + end, socket: daemon.path
                ) { unnamed($0) == expected }
                #expect(unnamed(result) == expected, "\(target)")
                #expect(result.status == 0)
                // With log-level = "warning".
                let warnings = await run("rxctl logs \(target)", journalctl: end, socket: daemon.path) {
                    unnamed($0) == Self.kept
                }
                #expect(unnamed(warnings) == Self.kept, "\(target)")
            }
            // The journal has no end, and following it would not either.
            let open = await run(
                "rxctl logs \(Self.id) --follow", journalctl: errors + "; [[ \"$*\" = *--follow* ]] && sleep infinity",
                socket: daemon.path)
            #expect(words(open).last == "failed      no")
        }
    }

    @Test("following the journal, the start of an execution that was queued comes from the daemon")
    func followsStart() async throws {
        try await withFakeDaemon({ request, peer in
            switch request.method {
            case "execution.get": peer.answer(request, Self.record("queued", isEnded: false))
            case "subscribe":
                Self.follow(request, peer, "queued", ["executing", "completed"])
            case _: peer.refuse(request, -32601, "methodNotFound")
            }
        }) { daemon in
            let accepted = Self.journaled(
                123,
                #""PRIORITY":"6","RXD_METHOD":"action.execute","RXD_OUTCOME":"queued","RXD_PEER_UID":"0","MESSAGE":"""#)
            let later = [
                Self.journaled(124, #""PRIORITY":"6","MESSAGE":"hello""#),
                Self.journaled(125, #""PRIORITY":"6","RXD_STATE":"completed","MESSAGE":"a completed""#),
            ].joined(separator: "; ")
            let expected = ["accepted", "started", "stderr      hello", "completed"]
            let result = await run(
                "rxctl logs \(Self.id) --follow",
                journalctl: accepted + "; [[ \"$*\" = *--follow* ]] || exit 0; " + later, socket: daemon.path
            ) { words($0) == expected }
            #expect(words(result) == expected)
        }
    }

    /// Answers a subscription, and sends records of the execution in these states until the last, its end.
    private static func follow(
        _ request: FakeDaemon.Request, _ peer: FakeDaemon.Peer, _ state: String, _ states: [String]
    ) {
        peer.answer(
            request,
            #"{"subscription":"\#(request.stream)","cursor":"e:0","snapshot":{"executions":{"\#(Self.id)":"#
                + Self.record(state, isEnded: false) + "}}}")
        for (index, state) in states.enumerated() {
            let record = Self.record(state, isEnded: index == states.count - 1)
            peer.event(request.stream, index + 1, #""channel":"executions","value":"# + record)
        }
    }

    @Test("following, what the log-level leaves out of the journal comes from the daemon, and nothing twice")
    func followsWithLogLevel() async throws {
        try await withFakeDaemon({ request, peer in
            switch request.method {
            case "execution.get": peer.answer(request, Self.record("executing", isEnded: false))
            case "subscribe": Self.follow(request, peer, "executing", ["completed"])
            case "execution.output" where request.params["wait"] != nil: break
            case "execution.output":
                let isFirst = request.params["stderr"]?.int ?? 0 == 0
                peer.answer(request, Self.output(isFirst ? "e1\\ne2\\n" : "", "executing", bytes: 6))
            case _: peer.refuse(request, -32601, "methodNotFound")
            }
        }) { daemon in
            let expected = ["accepted", "started", "daemon      note", "stderr      e1", "stderr      e2", "completed"]
            func follow(_ level: String, _ later: [String]) async -> [String] {
                let first = Self.journaled(124, #""PRIORITY":"\#(level)","RXD_METHOD":"x","MESSAGE":"note""#)
                return words(
                    await run(
                        "rxctl logs \(Self.id) --follow",
                        journalctl: ([first, "[[ \"$*\" = *--follow* ]] || exit 0"] + later + ["exec sleep infinity"])
                            .joined(separator: "; "), socket: daemon.path
                    ) { words($0) == expected })
            }
            #expect(await follow("4", []) == expected)
            let all = ["e1", "e2"].map { Self.journaled(125, #""PRIORITY":"6","MESSAGE":"\#($0)""#) }
            let end = Self.journaled(126, #""PRIORITY":"6","RXD_STATE":"completed","MESSAGE":"a completed""#)
            #expect(await follow("4", all + [end]) == expected)
        }
    }

    @Test("lines of stderr come from the journal if it has some, and otherwise from the daemon")
    func errorSource() {
        var journal = ErrorSource.undecided([])
        #expect(journal.take(ofDaemon: "a") == [] && journal.takeOfJournal() && journal.takeOfJournal())
        #expect(journal.take(ofDaemon: "b") == [] && journal.decide() == [] && journal.takeOfJournal())
        var daemon = ErrorSource.undecided([])
        #expect(daemon.take(ofDaemon: "a") == [] && daemon.take(ofDaemon: "b") == [])
        #expect(daemon.decide() == ["a", "b"] && !daemon.takeOfJournal() && daemon.take(ofDaemon: "c") == ["c"])
    }

    @Test("if nothing is kept, a message on stderr states that, and the exit status is 5")
    func nothing() async throws {
        try await withFakeDaemon(Self.daemon(nil)) { daemon in
            for target in [Self.id, "a", "a --all"] {
                let result = await run("rxctl logs \(target) 2>&1", journalctl: nil, socket: daemon.path)
                let name = target.split(separator: " ")[0]
                #expect(result.output == "rxctl: no records of \(name) are kept\n")
                #expect(result.status == 5)
            }
            #expect(await run("rxctl logs b", journalctl: nil, socket: daemon.path).status == 5)
        }
        #expect(await run("rxctl logs \(Self.id)", journalctl: nil).status == 69)
    }

    @Test("following the journal ends with the execution's end")
    func followsJournal() async {
        let fields = #"\"__REALTIME_TIMESTAMP\":\"1795222923123456\",\"RXD_ACTION\":\"a\""#
        let script = #"""
            echo "{\#(fields),\"PRIORITY\":\"6\",\"MESSAGE\":\"hello\"}"
            [[ "$*" = *--follow* ]] || exit
            echo "{\#(fields),\"RXD_STATE\":\"completed\",\"MESSAGE\":\"a completed\"}"
            echo "{\#(fields),\"MESSAGE\":\"later\"}"
            exec sleep infinity
            """#
        let result = await run("rxctl logs \(Self.id) --follow", journalctl: script)
        #expect(words(result) == ["stderr      hello", "completed"])
        #expect(result.status == 0)
    }

    @Test("Ctrl-C ends the following of a journal and journalctl: 130; so does the end of the reader: 141")
    func interrupted() async {
        let script = #"""
            echo "{\"__REALTIME_TIMESTAMP\":\"1795222923123456\",\"RXD_ACTION\":\"a\",\"MESSAGE\":\"x\"}"
            [[ "$*" = *--follow* ]] || exit
            echo $$ >$bin/pid
            exec sleep infinity
            """#
        let result = await run(
            """
            export bin
            rxctl logs \(Self.id) --follow >$bin/out & pid=$!
            until [ -s $bin/out ]; do read -t 0.01 <> <(:); done
            kill -TERM $pid; wait $pid; echo $?
            tail -f /dev/null --pid $(cat $bin/pid)
            rxctl logs \(Self.id) --follow | head -n 1 >/dev/null; echo ${PIPESTATUS[0]}
            tail -f /dev/null --pid $(cat $bin/pid)
            """, journalctl: script)
        #expect(result.lines == ["130", "141"])
    }

    @Test("without a journal, following prints what happens as it happens, until the execution has ended")
    func followsDaemon() async throws {
        let ended = Mutex(false)
        try await withFakeDaemon({ request, peer in
            switch request.method {
            case "execution.get":
                let isEnded = ended.withLock { $0 }
                peer.answer(request, Self.record(isEnded ? "failed" : "queued", isEnded: isEnded))
            case "subscribe":
                #expect(request.params["execution"] == .string(Self.id))
                peer.answer(
                    request,
                    #"{"subscription":"\#(request.stream)","cursor":"e:0","snapshot":{"executions":{"\#(Self.id)":"#
                        + Self.record("queued", isEnded: false) + "}}}")
                peer.event(
                    request.stream, 1, #""channel":"executions","value":"# + Self.record("executing", isEnded: false))
                ended.withLock { $0 = true }
                peer.event(request.stream, 2, #""channel":"end","value":{"reason":"failed"}"#)
            // It keeps no output.
            case "execution.output": peer.refuse(request, -32601, "methodNotFound")
            case _: peer.close()
            }
        }) { daemon in
            let result = await run("rxctl logs \(Self.id) --follow", journalctl: nil, socket: daemon.path)
            #expect(words(result) == Self.kept)
            #expect(result.status == 0)
        }
    }

    // MARK: Attempts

    private static let attempts = [
        "accepted", "started", "attempt     1 of 3 failed: no 1; the next in 1s",
        "attempt     2 of 3 failed: no 2; the next in 1s",
    ]

    /// The record of an execution of an action with `retry`.
    private static func tried(
        _ attempt: Int, waits: Bool = false, isEnded: Bool = false, as state: String = "failed"
    ) -> String {
        let retry = #""retry":{"error":{"code":-32001,"message":"no \#(attempt)"},"delay":"1s","at":"\#(time)"},"#
        return record(isEnded ? state : "executing", isEnded: isEnded)
            .replacing("{\"execution\"", with: "{" + (waits ? retry : "") + "\"execution\"")
            .replacing("\"by\"", with: #""attempt":\#(attempt),"attempts":3,"by""#)
    }

    private static func output(_ text: String, _ state: String, bytes: Int) -> String {
        #"{"execution":"\#(id)","action":"a","state":"\#(state)","kept":true,"output":["#
            + (text.isEmpty ? "" : #"{"stderr":"\#(text)"}"#) + #"],"elements":0,"stderr":\#(bytes)}"#
    }

    /// Sends what the log has of the attempts before this one.
    private static func sendPast(
        before attempt: Int, to request: FakeDaemon.Request, _ peer: FakeDaemon.Peer, end reason: String = "caughtUp"
    ) {
        #expect(request.params["until"] == "now")
        peer.answer(request, #"{"subscription":"\#(request.stream)","cursor":"e:9","snapshot":{}}"#)
        var sequence = 0
        for number in 1...3 where number < attempt {
            for waits in [false, true] {
                sequence += 1
                peer.event(
                    request.stream, sequence, #""channel":"executions","value":"# + tried(number, waits: waits))
            }
        }
        peer.event(request.stream, sequence + 1, #""channel":"end","value":{"reason":"\#(reason)"}"#)
    }

    @Test("without a journal, the failed attempts come from the daemon's log, of an execution that has ended")
    func attemptsOfThePast() async throws {
        try await withFakeDaemon({ request, peer in
            switch request.method {
            case "execution.get": peer.answer(request, Self.tried(3, isEnded: true))
            case "execution.list":
                peer.answer(request, #"{"executions":[\#(Self.tried(3, isEnded: true))],"truncated":false}"#)
            case "execution.output": peer.answer(request, Self.output("e1\\ne2\\ne3\\n", "failed", bytes: 9))
            case "subscribe":
                #expect(request.params["execution"] == .string(Self.id) && request.params["from"] == "start")
                Self.sendPast(before: 3, to: request, peer, end: "failed")
            case _: peer.refuse(request, -32601, "methodNotFound")
            }
        }) { daemon in
            let expected = Self.attempts + ["stderr      e1", "stderr      e2", "stderr      e3", "failed      no"]
            for target in [Self.id, "a", "a --all", "\(Self.id) --follow"] {
                let result = await run("rxctl logs \(target)", journalctl: nil, socket: daemon.path)
                let found = words(result).map { $0.replacing("\(Self.id) ", with: "") }
                    .map { $0.hasPrefix("accepted") ? "accepted" : $0 }
                #expect(found == expected, "\(target)")
            }
        }
    }

    @Test("an execution that ends while it waits for its next attempt has the last one that failed")
    func lastAttempt() async throws {
        for state in ["cancelled", "timedOut"] {
            let record = Self.tried(2, isEnded: true, as: state)
            try await withFakeDaemon({ request, peer in
                switch request.method {
                case "execution.get": peer.answer(request, record)
                case "execution.output": peer.answer(request, Self.output("", state, bytes: 0))
                case "subscribe": Self.sendPast(before: 3, to: request, peer, end: state)
                case _: peer.refuse(request, -32601, "methodNotFound")
                }
            }) { daemon in
                let result = await run("rxctl logs \(Self.id)", journalctl: nil, socket: daemon.path)
                #expect(words(result).dropLast() == Self.attempts[...])
                #expect(words(result).last?.hasPrefix(state) == true)
            }
        }
    }

    @Test("without a journal, an execution in flight has its failed attempts and its stderr so far")
    func attemptsInFlight() async throws {
        try await withFakeDaemon({ request, peer in
            switch request.method {
            case "execution.get": peer.answer(request, Self.tried(2, waits: true))
            case "execution.output": peer.answer(request, Self.output("e1\\ne2", "executing", bytes: 5))
            // The last one may be kept in the record alone.
            case "subscribe": Self.sendPast(before: 2, to: request, peer)
            case _: peer.refuse(request, -32601, "methodNotFound")
            }
        }) { daemon in
            let expected = Self.attempts + ["stderr      e1", "stderr      e2"]
            let result = await run("rxctl logs \(Self.id)", journalctl: nil, socket: daemon.path) {
                words($0) == expected
            }
            #expect(words(result) == expected)
        }
    }

    @Test("without a journal, following prints stderr and failed attempts as they come, in their order")
    func followsAttempts() async throws {
        let step = Mutex(0)
        try await withFakeDaemon({ request, peer in
            switch request.method {
            case "execution.get": peer.answer(request, Self.tried(2))
            case "subscribe" where request.params["from"] == "start": Self.sendPast(before: 2, to: request, peer)
            case "subscribe":
                peer.answer(
                    request,
                    #"{"subscription":"\#(request.stream)","cursor":"e:9","snapshot":{"executions":{"\#(Self.id)":"#
                        + Self.tried(2) + "}}}")
                // More than once, as a reconnection may have it.
                step.withLock { $0 = 1 }
                for sequence in 1...2 {
                    peer.event(
                        request.stream, sequence, #""channel":"executions","value":"# + Self.tried(2, waits: true))
                }
                peer.event(
                    request.stream, 3, #""channel":"executions","value":"# + Self.tried(3, isEnded: true))
                peer.event(request.stream, 4, #""channel":"end","value":{"reason":"failed"}"#)
            case "execution.output" where request.params["wait"] != nil: break
            case "execution.output":
                switch (step.withLock { $0 }, request.params["stderr"]?.int ?? -1) {
                case (_, 0): peer.answer(request, Self.output("e1\\ne2", "executing", bytes: 5))
                case (_, 5): peer.answer(request, Self.output("\\ne3", "executing", bytes: 8))
                case (_, let bytes): peer.answer(request, Self.output("", "failed", bytes: bytes))
                }
            case _: peer.refuse(request, -32601, "methodNotFound")
            }
        }) { daemon in
            let result = await run("rxctl logs \(Self.id) --follow", journalctl: nil, socket: daemon.path)
            #expect(
                words(result)
                    == Array(Self.attempts.prefix(3)) + ["stderr      e1", "stderr      e2", Self.attempts[3]]
                    + ["stderr      e3", "failed      no"])
            #expect(result.status == 0)
        }
    }
}
