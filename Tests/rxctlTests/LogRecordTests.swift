import RxJSON
import RxProtocol
import Testing

@testable import rxctl

/// The records of `rxctl logs`, from either source.
struct LogRecordTests {
    private static let id = "01a1fc74-5543-7000-b6c5-3532564cb263"
    private static let by: JSONValue = ["uid": 4_000_000_000, "gid": 4_000_000_000, "pid": 7]
    private static let time = "2026-11-21T01:02:03.123Z"

    /// A record of the journal as journalctl prints it, of that time.
    private func journal(_ fields: JSONObject) throws -> LogRecord {
        var record: JSONObject = [
            "__REALTIME_TIMESTAMP": "1795222923123456", "RXD_ACTION": "deploy",
            "RXD_EXECUTION": .string(LogRecordTests.id),
        ]
        for field in fields { record[field.key] = field.value }
        return try #require(LogRecord(journal: .object(record)))
    }

    @Test("from the journal: a request, an attempt, stderr, a message of the daemon, and the end with its causes")
    func fromJournal() throws {
        let records = try [
            journal([
                "MESSAGE": .string("uid 4000000000, pid 7: action.execute deploy \(LogRecordTests.id): started"),
                "PRIORITY": "6", "RXD_METHOD": "action.execute", "RXD_OUTCOME": "started",
                "RXD_PEER_UID": "4000000000",
            ]),
            journal([
                "MESSAGE": .string("uid 4000000000, pid 8: action.execute deploy \(LogRecordTests.id): joined"),
                "PRIORITY": "6", "RXD_METHOD": "action.execute", "RXD_OUTCOME": "joined",
                "RXD_PEER_UID": "4000000000",
            ]),
            journal([
                "MESSAGE": "deploy failed, attempt 1 of 3: exit: 3; the next in 1s", "PRIORITY": "4",
                "RXD_ATTEMPT": "1",
            ]),
            journal(["MESSAGE": "careful: now", "PRIORITY": "6"]),
            journal(["MESSAGE": [0x61, 0x1B, 0xFF], "PRIORITY": "6"]),
            journal(["MESSAGE": "SIGTERM to process 7", "PRIORITY": "5"]),
            journal([
                "MESSAGE": "uid 0, pid 9: execution.cancel deploy: done", "PRIORITY": "6",
                "RXD_METHOD": "execution.cancel", "RXD_OUTCOME": "done", "RXD_PEER_UID": "0",
            ]),
            journal([
                "MESSAGE": "deploy failed: exited: 3\nbadly", "PRIORITY": "4", "RXD_STATE": "failed",
                "RXD_CAUSES": #"[{"reactor":"r","rule":1},{"uid":4000000000,"gid":1,"pid":7}]"#,
                "RXD_CAUSES_OMITTED": "2",
            ]),
            journal(["MESSAGE": "deploy completed", "PRIORITY": "6", "RXD_STATE": "completed", "RXD_CAUSES": "[null]"]),
        ]
        #expect(
            records.flatMap { $0.lines(showsExecution: false) } == [
                "\(LogRecordTests.time) accepted    by uid 4000000000, pid 7",
                "\(LogRecordTests.time) accepted    by uid 4000000000, pid 8, joined",
                "\(LogRecordTests.time) attempt     1 of 3 failed: exit: 3; the next in 1s",
                "\(LogRecordTests.time) stderr      careful: now",
                "\(LogRecordTests.time) stderr      a\u{1B}\u{FFFD}",
                "\(LogRecordTests.time) daemon      SIGTERM to process 7",
                "\(LogRecordTests.time) daemon      uid 0, pid 9: execution.cancel deploy: done",
                "\(LogRecordTests.time) failed      exited: 3",
                "                                     badly",
                "                                     <- mutate[1] of the reactor r",
                "                                     <- 2 more",
                "                                     <- uid 4000000000, pid 7",
                "\(LogRecordTests.time) completed",
                "                                     <- the daemon itself",
            ])
        #expect(records[3].lines(showsExecution: true)[0].hasPrefix("\(LogRecordTests.time) \(LogRecordTests.id) std"))
        #expect(
            records[8].lines(showsExecution: false, width: 58) == [
                "\(LogRecordTests.time) completed", "                                     <- the daemon itself",
            ])
        #expect(
            records[6].lines(showsExecution: true, width: 80) == [
                "\(LogRecordTests.time) \(LogRecordTests.id.suffix(8)) daemon      uid 0, pid 9: execution.cancel",
                "                                                deploy: done",
            ])
        #expect(
            records[0].json
                == RawJSON([
                    "time": .string(LogRecordTests.time), "action": "deploy", "execution": .string(LogRecordTests.id),
                    "kind": "accepted", "text": "by uid 4000000000, pid 7", "by": ["uid": 4_000_000_000, "pid": 7],
                ]))
        let causes: JSONValue = [["reactor": "r", "rule": 1], ["uid": 4_000_000_000, "gid": 1, "pid": 7]]
        #expect(records[7].json.value()["causes"] == causes)
        #expect(LogRecord(journal: ["MESSAGE": "x", "__REALTIME_TIMESTAMP": "1"]) == nil)
    }

    @Test("from the daemon: what its record of the execution has, in the same format")
    func fromRecord() {
        var record: JSONObject = [
            "execution": .string(LogRecordTests.id), "action": "deploy", "state": "queued", "by": LogRecordTests.by,
            "causes": [LogRecordTests.by], "queuedAt": .string(LogRecordTests.time), "startedAt": .null,
            "endedAt": .null, "error": .null,
        ]
        func lines(_ stderr: [String] = []) -> [String] {
            LogRecord.all(of: .object(record), stderr: stderr).flatMap { $0.lines(showsExecution: false) }
        }
        let accepted = "\(LogRecordTests.time) accepted    by uid 4000000000, pid 7"
        #expect(lines() == [accepted])
        record["state"] = "executing"
        record["startedAt"] = "2026-11-21T01:02:04.000Z"
        #expect(lines() == [accepted, "2026-11-21T01:02:04.000Z started"])
        record["state"] = "failed"
        record["endedAt"] = "2026-11-21T01:02:05.000Z"
        record["error"] = ["code": -32001, "message": "exited with 3"]
        #expect(
            lines(["one", "two"]) == [
                accepted, "2026-11-21T01:02:04.000Z started", "2026-11-21T01:02:05.000Z stderr      one",
                "2026-11-21T01:02:05.000Z stderr      two",
                "2026-11-21T01:02:05.000Z failed      exited with 3",
                "                                     <- uid 4000000000, pid 7",
            ])
        let end = LogRecord.all(of: .object(record)).last?.json.value()
        #expect(end?["kind"] == "end" && end?["state"] == "failed" && end?["causes"] == [LogRecordTests.by])
        #expect(end?["error"]?["code"] == -32001)
    }

    @Test("a failed attempt is the same from the journal and from the daemon, and it is before stderr")
    func attempt() throws {
        var record: JSONObject = [
            "execution": .string(LogRecordTests.id), "action": "deploy", "state": "executing", "by": .null,
            "queuedAt": .string(LogRecordTests.time), "startedAt": .string(LogRecordTests.time), "endedAt": .null,
            "error": .null, "attempt": 1, "attempts": 3,
        ]
        #expect(LogRecord.attempt(of: .object(record)) == nil)
        record["retry"] = ["error": ["message": "exited with 3"], "delay": "1s500ms", "at": "2026-11-21T01:02:04.623Z"]
        let attempt = try #require(LogRecord.attempt(of: .object(record)))
        let logged = try journal([
            "MESSAGE": "deploy failed, attempt 1 of 3: exited with 3; the next in 1s500ms", "PRIORITY": "4",
            "RXD_ATTEMPT": "1",
        ])
        #expect(attempt == logged)
        // A line of an execution in flight has the time at which it was read.
        let now = Timestamp(milliseconds: attempt.time.milliseconds + 1)
        let all = LogRecord.all(of: .object(record), attempts: [attempt], stderr: ["one"], now: now)
        #expect(all.map(\.kind) == [.accepted, .started, .attempt, .stderr])
        #expect(all.last?.time == now)
    }
}
