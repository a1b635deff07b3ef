import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

@Suite("Origins and errors in the store", .countedApart)
struct StoredJSONTests {
    @Test(
        "come back as they were",
        arguments: [
            Origin.peer(uid: .max, gid: 0, pid: .max), .peer(uid: 0, gid: 7, pid: -1), .stream(""),
            .stream("a \"b\" \0 ü"),
            .host, .rule(reactor: "a \"b\" ü", rule: 7), .stream("s", scheduled: "T"),
            .other(["moon": "full", "scheduled": true]),
        ])
    func origins(_ origin: Origin) throws {
        #expect(Origin(stored: origin.stored.value()) == origin)
        let error = ExecutionError.cancelled(by: origin)
        guard case .cancelled(by: origin)? = ExecutionError(stored: error.stored.value()) else {
            Issue.record("\(error.stored)")
            return
        }
    }

    @Test("failures keep message, facts in their order, numbers as written, and whether they may pass")
    func failures() throws {
        let facts = try RawJSON(validating: #"{"z":1.50,"a":[1e3,-0,18446744073709551615],"n":null,"exit":1}"#)
        for mayPass in [true, false] {
            let failure = WorkFailure(
                message: "no\n\u{0}\"ü\"", facts: try #require(facts.value().object), mayPass: mayPass)
            guard case .failed(let found)? = ExecutionError(stored: ExecutionError.failed(failure).stored.value())
            else {
                Issue.record("not read")
                return
            }
            #expect(found == failure)
            #expect(RawJSON(.object(found.facts)) == facts, "bytes, not only values")
        }
    }

    @Test("limits keep their attoseconds, and ends without facts stay distinct")
    func others() throws {
        for limit in [
            Duration.zero, .milliseconds(1500), .init(secondsComponent: 3, attosecondsComponent: 7), .seconds(-1),
        ] {
            guard case .timedOut(limit)? = ExecutionError(stored: ExecutionError.timedOut(limit: limit).stored.value())
            else {
                Issue.record("\(limit)")
                return
            }
        }
        let id = ExecutionID()
        guard case .superseded(by: id)? = ExecutionError(stored: ExecutionError.superseded(by: id).stored.value()),
            case .stopped? = ExecutionError(stored: ExecutionError.stopped.stored.value()),
            case .interrupted? = ExecutionError(stored: ExecutionError.interrupted.stored.value()),
            case .cancelled(by: nil)? = ExecutionError(stored: ExecutionError.cancelled(by: nil).stored.value())
        else {
            Issue.record("not read")
            return
        }
    }

    @Test(
        "that no version has written are not made up",
        arguments: [
            "null", "{}", "[]", "not JSON", #"{"kind":"vanished"}"#, #"{"kind":"failed","message":"x"}"#,
            #"{"kind":"superseded","by":"x"}"#, #"{"kind":"cancelled"}"#, #"{"kind":"cancelled","by":{"uid":-1}}"#,
        ])
    func errors(_ text: String) {
        #expect(ExecutionError(stored: RawJSON(unchecked: Array(text.utf8)).value()) == nil)
    }

    @Test(
        "an origin that no version can have written is not made up",
        arguments: [
            "null", "{}", "[]", "not JSON", #"{"uid":1,"gid":1}"#, #"{"uid":4294967296,"gid":1,"pid":1}"#,
            #"{"host":false}"#, #"{"uid":-1}"#, #"{"reactor":"r","rule":-1}"#, #"{"reactor":"r"}"#,
        ])
    func strangers(_ text: String) {
        #expect(Origin(stored: RawJSON(unchecked: Array(text.utf8)).value()) == nil)
    }
}
