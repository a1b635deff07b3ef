import JSONRPC
import RxClient
import RxJSON
import RxProtocol
import Testing

@testable import rxctl

struct OutcomeTests {
    /// The exit codes in docs/rxctl.md.
    @Test(
        "every outcome has its exit code",
        arguments: [
            (.done, 0), (.failed, 1), (.inputRefused, 2), (.usage, 64), (.unreachable, 69), (.eventsLost, 75),
            (.timedOut, 124),
            (.interrupted, 130), (.readerGone, 141),
        ] as [(Outcome, Int32)])
    func outcomes(outcome: Outcome, status: Int32) {
        #expect(outcome.exitStatus == status)
    }

    @Test(
        "every error has its exit code",
        arguments: zip(
            ErrorCode.allCases,
            [
                // parseError, invalidRequest, methodNotFound, invalidParams, internalError
                2, 2, 5, 2, 1,
                // workFailed, notEnabled, queueFull, timedOut, cancelled
                1, 3, 3, 124, 1,
                // notFound, forbidden, limitReached, duplicateSubscription
                5, 4, 3, 1,
                // featureMissing, cursorExpired, shuttingDown, tooLarge
                5, 75, 3, 2,
            ] as [Int32]))
    func errors(code: ErrorCode, status: Int32) {
        #expect(Outcome.error(code).exitStatus == status)
        let ending = Ending(ClientError.refused(RPCError(code: code.rawValue, message: "", data: nil)))
        #expect(ending.outcome.exitStatus == status)
    }

    @Test(
        "every end has its exit code",
        arguments: zip(
            EndReason.allCases,
            [
                // completed, failed, cancelled, timedOut, unsubscribed
                0, 1, 1, 124, 0,
                // removed, shutdown, limit, revoked, caughtUp
                5, 69, 3, 4, 0,
            ] as [Int32]))
    func ends(reason: EndReason, status: Int32) {
        #expect(Outcome.ended(reason).exitStatus == status)
    }

    @Test("the tables above leave nothing out")
    func complete() {
        #expect(ErrorCode.allCases.count == 18)
        #expect(EndReason.allCases.count == 10)
    }

    @Test("an error is known by its name before its number, and an unknown one is a failure")
    func names() {
        func status(_ code: Int, _ data: String?) -> Int32 {
            let data = data.map { RawJSON(unchecked: Array($0.utf8)) }
            return Ending.refused(RPCError(code: code, message: "", data: data)).outcome.exitStatus
        }
        #expect(status(-1, #"{"name":"forbidden"}"#) == 4)
        #expect(status(-32006, #"{"name":"brandNew"}"#) == 5)
        #expect(status(-32006, "[]") == 5)
        #expect(status(-40000, nil) == 1)
    }

    @Test("a lost connection and one that was never made are both an unreachable daemon")
    func connection() {
        #expect(Ending(ClientError.unreachable(path: "/x", errno: 13)).outcome == .unreachable)
        #expect(Ending(ClientError.closed(errno: 0)).outcome == .unreachable)
        #expect(Ending(ClientError.protocolViolation("x")).outcome == .unreachable)
        #expect(Ending(ClientError.tooLarge(bytes: 2, limit: 1)).outcome.exitStatus == 2)
    }
}
