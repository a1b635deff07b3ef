import JSONRPC
import RxClient
import RxJSON
import RxProtocol
import Testing

@testable import rxctl

struct ErrorTextTests {
    private func text(_ message: String, _ data: String?) -> String {
        RPCError(code: -32001, message: message, data: data.map { RawJSON(unchecked: Array($0.utf8)) }).forPeople
    }

    @Test("the message and the name come first, then each fact on its line, each line of a stderr on its own")
    func facts() {
        #expect(
            text("exited with 3", #"{"name":"workFailed","exit":3,"stderr":"one\ntwo\n","by":null,"at":{"x":[1]}}"#)
                == """
                exited with 3 (workFailed)
                  stderr: one
                  stderr: two
                  at: {"x":[1]}
                """)
    }

    @Test("refused params are printed with their paths")
    func params() {
        #expect(
            text("bad", #"{"name":"invalidParams","errors":[{"path":"/input/count","message":"must be 0 or more"}]}"#)
                == "bad (invalidParams)\n  /input/count: must be 0 or more")
    }

    @Test("the requester of a cancellation is printed by name")
    func cancelled() {
        #expect(
            text("cancelled", #"{"name":"cancelled","by":{"uid":0,"gid":0,"pid":7}}"#)
                == "cancelled (cancelled)\n  by: uid 0 (root), pid 7")
    }

    @Test("an error without data is printed with its number")
    func bare() {
        #expect(text("odd", nil) == "odd (error -32001)")
    }

    @Test("a refusal is a sentence with its facts in it, and no fact is printed twice")
    func refusals() {
        #expect(
            text(
                "the action is not enabled",
                #"{"name":"notEnabled","action":"deploy","reason":{"cause":"executing","execution":"E","since":"T","#
                    + #""by":{"uid":0,"pid":3}}}"#
            )
                == "deploy is not enabled: executing E since T, requested by uid 0 (root), pid 3 (notEnabled)")
        #expect(
            text("x", #"{"name":"queueFull","action":"deploy","limit":8}"#)
                == "the queue of deploy is full, limit 8 (queueFull)")
        // A refusal without an action is printed as it came.
        #expect(
            text("the queue is full", #"{"name":"queueFull","limit":8}"#) == "the queue is full (queueFull)\n  limit: 8"
        )
    }

    @Test("the command's own status is its exit code, or 128 and its signal")
    func commandStatus() {
        func status(_ data: String) -> Int32? {
            RPCError(code: -32001, message: "", data: RawJSON(unchecked: Array(data.utf8))).commandStatus
        }
        #expect(status(#"{"name":"workFailed","exit":42}"#) == 42)
        #expect(status(#"{"name":"workFailed","signal":9,"signalName":"SIGKILL"}"#) == 137)
        #expect(status(#"{"name":"workFailed","errno":"ENOENT"}"#) == nil)
        #expect(status(#"{"name":"workFailed","exit":0}"#) == nil)
        #expect(status(#"{"name":"timedOut","exit":42}"#) == nil)
        #expect(Outcome.propagated(42).exitStatus == 42)
    }

    @Test("permission denied names the path and EACCES")
    func permission() {
        let error = ClientError.unreachable(path: "/run/rxd/rxd.sock", errno: 13)
        guard case .text(let text) = Ending(error).message else { return #expect(Bool(false)) }
        #expect(
            text == "cannot reach the daemon at /run/rxd/rxd.sock: Permission denied (EACCES); "
                + "join the group rxd, or name another socket with --socket")
        #expect(
            Ending(error).facts
                == ["name": "unreachable", "path": "/run/rxd/rxd.sock", "errno": "EACCES"])
    }
}
