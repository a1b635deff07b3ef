import Glibc
import RxJSON
import Synchronization
import TestSupport
import Testing

@testable import rxctl

/// `rxctl subscribe` against a daemon that answers as each test wants.
@Suite(.ownThreads(limit: .seconds(120)))
struct SubscribeTests {
    private static let id = "01a1fc74-5543-7000-b6c5-3532564cb263"

    private static func element(_ number: Int) -> String { #""channel":"elements","action":"a","value":\#(number)"# }

    private static func record(_ number: Int) -> String {
        #"{"seq":\#(number),"cursor":"e:\#(number)",\#(element(number))}"#
    }

    /// A log of elements e:1, e:2, … of which each connection gets a few and is then closed; after the last one comes
    /// `end`.
    private func withLog(
        of count: Int, perConnection: Int, end: String = "completed", _ body: (FakeDaemon) async throws -> Void
    ) async throws {
        try await withFakeDaemon(
            { request, peer in
                let from = request.params["from"]
                let start = from?["cursor"]?.string.flatMap { Int($0.dropFirst(2)) } ?? 0
                peer.open(request, at: start)
                let last = min(count, start + perConnection)
                for number in (start + 1)..<max(start + 1, last + 1) {
                    peer.event(request.stream, number, SubscribeTests.element(number))
                }
                if last == count {
                    peer.event(request.stream, count + 1, #""channel":"end","value":{"reason":"\#(end)"}"#)
                } else {
                    peer.close()
                }
            }, body)
    }

    private func reconnect(after: String?, resumed: Bool, cursor: String, snapshot: String? = nil) -> JSONValue {
        var value: JSONObject = [
            "after": after.map { .string($0) } ?? .null, "resumed": .bool(resumed), "cursor": .string(cursor),
        ]
        if let snapshot { value["snapshot"] = try? RawJSON(validating: snapshot).value() }
        return .object(value)
    }

    private func channels(_ lines: [String]) -> [String] {
        lines.map { (try? RawJSON(validating: $0).value()["channel"]?.string) ?? "?" }
    }

    // MARK: Requests

    @Test("every option reaches the daemon, several names and executions too")
    func requests() async throws {
        try await withLog(of: 0, perConnection: 1) { daemon in
            let script = """
                rxctl subscribe a b --channel elements,executions --from last --buffer 7 --overflow drop-newest
                rxctl subscribe '*' --from execution
                rxctl subscribe \(SubscribeTests.id.uppercased()) --from 7c1f:12 --overflow end
                rxctl subscribe \(SubscribeTests.id) \(SubscribeTests.id) --from \(SubscribeTests.id)
                rxctl subscribe a --from now
                rxctl subscribe a --from start
                TZ=Europe/Berlin rxctl subscribe a --from 2026-07-22T03:00
                TZ=Europe/Berlin rxctl subscribe a --from '2026-11-22 03:00:07'
                TZ=America/New_York rxctl subscribe a --from 2026-11-22
                rxctl subscribe a --from 2026-11-22T03Z || rxctl subscribe a --from 2026-11-22T04:00:00.5+01:00
                """
            let result = await bash("(\(script)) 2>&1 >/dev/null", socket: daemon.path)
            #expect(result.lines.first?.contains("2026-11-22T03Z") == true, "half a form: \(result.output)")
            let asked = daemon.requests.map { RawJSON($0.params.object.map { .object($0) } ?? .null).text }
            let id = SubscribeTests.id
            #expect(
                asked == [
                    #"{"subscription":"s1","action":["a","b"],"channels":["elements","executions"],"from":"last","#
                        + #""buffer":7,"overflow":"drop-newest"}"#,
                    #"{"subscription":"s1","action":"*","from":"execution"}"#,
                    #"{"subscription":"s1","execution":"\#(id)","from":{"cursor":"7c1f:12"},"overflow":"end"}"#,
                    #"{"subscription":"s1","execution":["\#(id)","\#(id)"],"from":{"execution":"\#(id)"}}"#,
                    #"{"subscription":"s1","action":"a"}"#,
                    #"{"subscription":"s1","action":"a","from":"start"}"#,
                    #"{"subscription":"s1","action":"a","from":{"time":"2026-07-22T01:00:00.000Z"}}"#,
                    #"{"subscription":"s1","action":"a","from":{"time":"2026-11-22T02:00:07.000Z"}}"#,
                    #"{"subscription":"s1","action":"a","from":{"time":"2026-11-22T05:00:00.000Z"}}"#,
                    #"{"subscription":"s1","action":"a","from":{"time":"2026-11-22T03:00:00.500Z"}}"#,
                ])
        }
    }

    @Test(
        "contradictory or unreadable options are a usage error that names them",
        arguments: [
            ("a --from x", "from"),
            ("a --from 2026-02-30", "from"), ("a --from 2026-02-30T03:00", "from"), ("a --from 25:00", "from"),
            ("a --buffer 0", "--buffer"),
            ("a --overflow drop", "overflow"),
            ("a --until '.a ==' ", "it ends too early"), ("a --until 'nothing(1)'", "nothing/1 is not defined"),
            ("a --channel end", "channel"), ("a '*'", "goes alone"), ("a --count 0", "--count"),
        ])
    func usage(arguments: String, part: String) async {
        let result = await bash("rxctl subscribe \(arguments) 2>&1 >/dev/null", socket: "/nonexistent/rxd.sock")
        #expect(result.status == 64)
        #expect(result.output.contains(part), "\(result.output)")
        #expect(result.lines.allSatisfy { $0.hasPrefix("rxctl: ") })
    }

    // MARK: When it ends

    @Test("--until prints the first record that it holds for, and no more")
    func until() async throws {
        try await withLog(of: 9, perConnection: 9) { daemon in
            let found = await bash("rxctl subscribe a --until '.value == 3'", socket: daemon.path)
            #expect(found.status == 0)
            #expect(found.lines == (1...3).map(SubscribeTests.record))
            let value = await bash("rxctl subscribe a --values --until '. > 3'", socket: daemon.path)
            #expect(value.lines == ["1", "2", "3", "4"] && value.status == 0)
            let end = await bash(
                "rxctl subscribe a --until '.channel == \"end\"' | tail -1; echo ${PIPESTATUS[0]}", socket: daemon.path)
            #expect(channels([end.lines[0]]) == ["end"] && end.lines[1] == "0")
            let never = await bash("rxctl subscribe a --values --until 'false, null' 2>/dev/null", socket: daemon.path)
            #expect(never.lines.count == 9 && never.status == 0)
        }
    }

    @Test("an expression that fails for a record does not hold for it, and is reported once")
    func untilFails() async throws {
        try await withLog(of: 4, perConnection: 4) { daemon in
            let errors = await bash("rxctl subscribe a --until '.value.x' 2>&1 >/dev/null", socket: daemon.path)
            #expect(errors.lines.count == 1)
            #expect(errors.output.hasPrefix("rxctl: the expression fails for "))
            #expect(errors.output.contains("Cannot index number"))
        }
    }

    @Test("--count counts records but no reconnections; --timeout is 124, while it is connected and while it is not")
    func countAndTimeout() async throws {
        try await withLog(of: 9, perConnection: 2) { daemon in
            let four = await bash(
                "rxctl subscribe a --channel elements,reconnect --count 4 2>/dev/null", socket: daemon.path)
            #expect(channels(four.lines) == ["elements", "elements", "reconnect", "elements", "elements"])
            #expect(four.status == 0)
        }
        try await withFakeDaemon({ request, peer in peer.open(request, at: 0) }) { daemon in
            #expect(await bash("rxctl subscribe a --timeout 50ms 2>/dev/null", socket: daemon.path).status == 124)
            let before = daemon.requests.count
            // Long enough to be connected on a busy machine.
            async let gone = bash("rxctl subscribe a --timeout 10s 2>/dev/null", socket: daemon.path)
            try await eventually("it is connected") { daemon.requests.count > before }
            daemon.goAway()
            #expect(await gone.status == 124)
        }
    }

    @Test("a reader that goes away ends it with 141, even if no event comes")
    func readerGone() async throws {
        try await withFakeDaemon({ request, peer in peer.open(request, at: 0) }) { daemon in
            let result = await bash(
                "rxctl subscribe a --snapshot | head -1 >/dev/null; echo ${PIPESTATUS[0]}", socket: daemon.path)
            #expect(result.lines == ["141"])
        }
    }

    @Test(
        "the end of an execution decides the exit code",
        arguments: [("completed", 0), ("failed", 1), ("timedOut", 124)])
    func executions(reason: String, status: Int32) async throws {
        try await withLog(of: 1, perConnection: 1, end: reason) { daemon in
            let result = await bash("rxctl subscribe \(SubscribeTests.id) 2>/dev/null", socket: daemon.path)
            #expect(result.status == status)
            #expect(channels(result.lines) == ["elements", "end"])
        }
    }

    // MARK: Lost connections

    @Test("after a lost connection the stream continues after its last record, and a record reports that")
    func reconnects() async throws {
        try await withLog(of: 5, perConnection: 2) { daemon in
            let result = await bash("rxctl subscribe a --channel elements,reconnect", socket: daemon.path)
            #expect(result.status == 0)
            let values = try result.lines.map { try RawJSON(validating: $0).value() }
            #expect(
                values.map { $0["channel"]?.string } == [
                    "elements", "elements", "reconnect", "elements", "elements", "reconnect", "elements", "end",
                ])
            #expect(values[2]["value"] == reconnect(after: "e:2", resumed: true, cursor: "e:2"))
            #expect(values[2]["time"]?.string?.count == 24)
            #expect(values.compactMap { $0["value"]?.int } == [1, 2, 3, 4, 5])
            #expect(daemon.requests.map { $0.params["from"]?["cursor"]?.string } == [nil, "e:2", "e:4"])
            #expect(daemon.requests.allSatisfy { $0.params["channels"] == ["elements"] }, "rxctl makes the other one")
            let unasked = await bash("rxctl subscribe a 2>/dev/null", socket: daemon.path)
            #expect(channels(unasked.lines) == Array(repeating: "elements", count: 5) + ["end"])
            let errors = await bash("rxctl subscribe a 2>&1 >/dev/null", socket: daemon.path)
            #expect(channels(errors.lines) == ["?", "reconnect", "?", "reconnect"])
            #expect(errors.lines.first == "rxctl: the daemon closed the connection; connecting again")
        }
    }

    @Test("with --values reconnections, losses and the end go to stderr")
    func reconnectsWithValues() async throws {
        try await withLog(of: 3, perConnection: 2) { daemon in
            #expect(await bash("rxctl subscribe a --values 2>/dev/null", socket: daemon.path).lines == ["1", "2", "3"])
            let errors = await bash("rxctl subscribe a --values 2>&1 >/dev/null", socket: daemon.path)
            #expect(channels(errors.lines) == ["?", "reconnect", "end"])
        }
    }

    @Test("a daemon that stops is waited for, and its end is not printed; --no-reconnect prints it and leaves with 69")
    func shutdown() async throws {
        let openings = Mutex(0)
        try await withFakeDaemon({ request, peer in
            let opening = openings.withLock {
                $0 += 1; return $0
            }
            peer.open(request, at: opening)
            if opening == 2 {
                peer.event(request.stream, 3, SubscribeTests.element(3))
                peer.end(request.stream, 4)
            } else {
                peer.event(request.stream, 9, #""channel":"end","value":{"reason":"shutdown"}"#)
            }
        }) { daemon in
            let result = await bash("rxctl subscribe a --channel elements,reconnect 2>/dev/null", socket: daemon.path)
            #expect(channels(result.lines) == ["reconnect", "elements", "end"])
            #expect(result.status == 0)
            // Not after the end, which nobody has seen.
            #expect(daemon.requests[1].params["from"]?["cursor"] == "e:1")
            let last = await bash("rxctl subscribe a --no-reconnect 2>/dev/null", socket: daemon.path)
            #expect(channels(last.lines) == ["end"] && last.status == 69)
        }
    }

    @Test("--no-reconnect leaves with 69, and so does a daemon that is not there at first")
    func noReconnect() async throws {
        try await withLog(of: 5, perConnection: 2) { daemon in
            let result = await bash("rxctl subscribe a --no-reconnect 2>/dev/null", socket: daemon.path)
            #expect(channels(result.lines) == ["elements", "elements"] && result.status == 69)
        }
        #expect(await bash("rxctl subscribe a 2>/dev/null", socket: "/nonexistent/rxd.sock").status == 69)
    }

    @Test("a full or stopping daemon is tried again; a permanent refusal ends the command")
    func refusedAgain() async throws {
        let openings = Mutex(0)
        try await withFakeDaemon({ request, peer in
            switch openings.withLock({
                $0 += 1; return $0
            }) {
            case 1:
                peer.open(request, at: 1)
                peer.close()
            case 2: peer.refuse(request, -32015, "shuttingDown")
            case 3: peer.refuse(request, -32008, "limitReached")
            case _: peer.refuse(request, -32006, "notFound")
            }
        }) { daemon in
            #expect(await bash("rxctl subscribe a 2>/dev/null", socket: daemon.path).status == 5)
            #expect(daemon.requests.count == 4)
            #expect(daemon.requests.dropFirst().allSatisfy { $0.params["from"]?["cursor"] == "e:1" })
        }
    }

    // MARK: Losses

    private func withExpiry(_ body: (FakeDaemon) async throws -> Void) async throws {
        try await withFakeDaemon(
            { request, peer in
                // What follows e:80 is kept; of other logs nothing is known.
                if let cursor = request.params["from"]?["cursor"]?.string, cursor != "e:80" {
                    let oldest = cursor.hasPrefix("e:") ? #""e:80""# : "null"
                    return peer.refuse(
                        request, -32014, "cursorExpired", #","cursor":"\#(cursor)","oldest":\#(oldest)"#)
                }
                let begins = request.params["from"].map { $0 == "start" ? 70 : 80 } ?? 90
                peer.open(request, at: begins, snapshot: #"{"actions":{"a":{"executing":false}}}"#)
                peer.event(request.stream, 91, SubscribeTests.element(91))
                if request.id == "1" { return peer.close() }
                peer.end(request.stream, 92)
            }, body)
    }

    @Test("after an expired cursor follows what is kept, with a record of that and the present levels; --strict: 75")
    func expired() async throws {
        try await withExpiry { daemon in
            let result = await bash("rxctl subscribe a --from e:7 --channel reconnect 2>/dev/null", socket: daemon.path)
            let values = try result.lines.map { try RawJSON(validating: $0).value() }
            #expect(values.map { $0["channel"]?.string } == ["reconnect", "elements", "end"])
            #expect(
                values[0]["value"]
                    == reconnect(
                        after: "e:7", resumed: false, cursor: "e:80",
                        snapshot: #"{"actions":{"a":{"executing":false}}}"#))
            let other = await bash("rxctl subscribe a --from x:7 --channel reconnect 2>/dev/null", socket: daemon.path)
            let record = try RawJSON(validating: #require(other.lines.first)).value()
            #expect(
                record["value"]?["after"] == "x:7" && record["value"]?["cursor"] == "e:70", "another log: all of it")
            let strict = await bash("rxctl subscribe a --from e:7 --strict 2>&1", socket: daemon.path)
            #expect(strict.status == 75)
            #expect(strict.lines.first == "rxctl: no: cursorExpired (cursorExpired)")
        }
    }

    @Test("a reconnection with possibly missing events is reported, and is 75 with --strict")
    func expiredMeanwhile() async throws {
        try await withExpiry { daemon in
            let result = await bash("rxctl subscribe a --channel reconnect 2>/dev/null", socket: daemon.path)
            let values = try result.lines.map { try RawJSON(validating: $0).value() }
            #expect(values.map { $0["channel"]?.string } == ["elements", "reconnect", "elements", "end"])
            #expect(values[1]["value"]?["after"] == "e:91")
            #expect(values[1]["value"]?["resumed"] == false)
            let strict = await bash("rxctl subscribe a --strict 2>/dev/null", socket: daemon.path)
            #expect(channels(strict.lines) == ["elements"] && strict.status == 75)
        }
    }

    @Test("a lag is a record; with --strict it is the last one, and the exit code is 75")
    func lag() async throws {
        try await withFakeDaemon({ request, peer in
            peer.open(request, at: 0)
            peer.event(
                request.stream, 1, #""channel":"lag","value":{"dropped":3,"first":"e:1","last":"e:3"}"#)
            peer.event(request.stream, 4, SubscribeTests.element(4))
            peer.end(request.stream, 5)
        }) { daemon in
            let result = await bash("rxctl subscribe a 2>/dev/null", socket: daemon.path)
            #expect(channels(result.lines) == ["lag", "elements", "end"] && result.status == 0)
            let strict = await bash("rxctl subscribe a --strict 2>/dev/null", socket: daemon.path)
            #expect(channels(strict.lines) == ["lag"] && strict.status == 75)
            let values = await bash("rxctl subscribe a --values 2>/dev/null", socket: daemon.path)
            #expect(values.lines == ["4"])
        }
    }

    // MARK: --cursor-file

    @Test("a cursor file is made, followed and gone on from; its first line is the cursor, also for --from")
    func cursorFile() async throws {
        try await withLog(of: 6, perConnection: 6) { daemon in
            let result = await bash(
                """
                d=$(mktemp -d); trap 'rm -r $d' EXIT; cd $d
                rxctl subscribe a --values --cursor-file F --count 2 >>out; head -1 F
                rxctl subscribe a --values --cursor-file F --until '. == 4' >>out; head -1 F
                rxctl subscribe a --values --from "$(head -1 F)" 2>/dev/null
                rxctl subscribe a --values --cursor-file F 2>/dev/null >>out; head -1 F
                rxctl subscribe a --values --cursor-file F 2>/dev/null >>out
                cat out; wc -c <F
                """, socket: daemon.path)
            #expect(result.lines == ["e:2", "e:4", "5", "6", "e:7", "1", "2", "3", "4", "5", "6", "512"])
        }
    }

    @Test(
        "a reader that is stopped before its first event has its cursor, by any signal",
        arguments: ["TERM", "INT", "HUP", "KILL"])
    func snapshotOnly(signal: String) async throws {
        try await withFakeDaemon({ request, peer in peer.open(request, at: 41) }) { daemon in
            let result = await bash(
                """
                d=$(mktemp -d); trap 'rm -r $d' EXIT; cd $d; set -m
                rxctl subscribe a --cursor-file F >>out 2>/dev/null & pid=$!
                until [ -s F ]; do sleep 0.01; done
                kill -\(signal) $pid; wait $pid 2>/dev/null; echo $?; head -1 F; wc -c <out
                """, socket: daemon.path)
            #expect(result.lines == [signal == "KILL" ? "137" : "130", "e:41", "0"])
        }
    }

    @Test("a second reader with the same file is refused, and so is another kind of file; nothing is changed")
    func cursorFileRefusals() async throws {
        try await withFakeDaemon({ request, peer in peer.open(request, at: 1) }) { daemon in
            let result = await bash(
                """
                d=$(mktemp -d); trap 'rm -r $d' EXIT; cd $d
                rxctl subscribe a --cursor-file F >out & pid=$!
                until [ -s F ]; do sleep 0.01; done
                rxctl subscribe a --cursor-file F 2>&1; echo $?; kill $pid; wait $pid
                echo precious >G; rxctl subscribe a --cursor-file G 2>&1; echo $?; cat G
                rxctl subscribe a --cursor-file . 2>&1; echo $?
                : >H; rxctl subscribe a --cursor-file H 2>&1 >>H; echo $?
                """, socket: daemon.path)
            #expect(
                result.lines == [
                    "rxctl: F: in use by another rxctl", "1", "rxctl: G: not a cursor file; it was left unchanged",
                    "1",
                    "precious", "rxctl: .: cannot be opened: Is a directory (EISDIR)", "1",
                    "rxctl: H: is the output as well; name another cursor file", "1",
                ])
        }
    }

    @Test("a cursor file whose cursor is after the newest event is named, with what to do")
    func cursorFileAhead() async throws {
        try await withFakeDaemon({ request, peer in
            peer.refuse(
                request, -32602, "invalidParams", #","errors":[{"path":"/from","message":"is after the newest event"}]"#
            )
        }) { daemon in
            let result = await bash(
                """
                d=$(mktemp -d); trap 'rm -r $d' EXIT; cd $d; echo e:7 >F
                rxctl subscribe a --cursor-file F 2>&1 >out; echo $?
                """, socket: daemon.path)
            #expect(
                result.lines == [
                    "rxctl: F: its cursor, e:7, is after the newest event: an older copy of the daemon's state may "
                        + "have been put back; remove F to begin anew, with --from start at the oldest event that is "
                        + "kept",
                    "2",
                ])
        }
    }

    @Test("a cursor file with an expired cursor continues with what is kept, and the gap is in its output")
    func cursorFileExpired() async throws {
        try await withExpiry { daemon in
            let result = await bash(
                """
                d=$(mktemp -d); trap 'rm -r $d' EXIT; cd $d; echo e:7 >F
                rxctl subscribe a --cursor-file F --strict >>out 2>/dev/null; echo $?; head -1 F
                rxctl subscribe a --cursor-file F --channel reconnect --count 1 >>out 2>/dev/null; echo $?
                head -1 F; cat out; : >out; echo x:7 >F
                rxctl subscribe a --cursor-file F --from start --channel reconnect --count 1 2>/dev/null >>out; cat out
                """, socket: daemon.path)
            #expect(result.lines.prefix(4) == ["75", "e:7", "0", "e:91"])
            let records = try result.lines.dropFirst(4).map { try RawJSON(validating: $0).value() }
            #expect(records.map { $0["channel"] } == ["reconnect", "elements", "reconnect", "elements"])
            #expect(records[0]["value"]?["cursor"] == "e:80" && records[2]["value"]?["cursor"] == "e:70")
        }
    }

    @Test("an expression that never ends is left by the third Ctrl-C")
    func stuck() async throws {
        try await withLog(of: 3, perConnection: 3) { daemon in
            let result = await bash(
                """
                d=$(mktemp -d); trap 'rm -r $d' EXIT
                rxctl subscribe a --values --until 'repeat(empty), last(range(1e15))' >$d/out 2>&1 & pid=$!
                # It is in the expression once it has computed for 0.3 s. Signals that arrive together count as one.
                until [ $(cut -d ' ' -f 14 /proc/$pid/stat) -ge 30 ]; do sleep 0.05; done
                while kill -TERM $pid 2>/dev/null && ! grep -qs '^State:.Z' /proc/$pid/status; do sleep 0.05; done
                wait $pid; echo $?
                """, socket: daemon.path)
            #expect(result.lines == ["130"])
        }
    }
}
