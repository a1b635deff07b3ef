import JSONRPC
import RxHost
import RxJSON
import RxProtocol
import RxRecords
import Testing

@testable import RxServer

@Suite("Errors of the host")
struct ErrorNameTests {
    private static let errors: [ExecutionError] = [
        .failed(WorkFailure(message: "no")), .timedOut(limit: .seconds(1)), .cancelled(by: nil), .stopped, .postponed,
        .interrupted,
    ]
    private static let refusals: [ExecutionRefusal] = [
        .input([InputFault(path: "", message: "no")]), .queueFull(limit: 1), .keyReused, .tooManyKeys(limit: 1),
        .tooManyKeysOfUser(limit: 1), .stopping,
    ]

    @Test("have a code of the protocol under each name", arguments: ErrorName.allCases)
    func codes(_ name: ErrorName) {
        #expect(ErrorCode(name: name.rawValue) != nil)
    }

    @Test("have on the wire the name that rules see")
    func names() {
        for error in Self.errors { #expect(RPCError(error).name == error.name.rawValue, "\(error)") }
        for refusal in Self.refusals {
            #expect(RPCError(refusal, action: "a").name == refusal.name.rawValue, "\(refusal)")
        }
        for refusal in [DispatchRefusal.full(limit: 1), .stopping, .input([InputFault(path: "", message: "no")])] {
            #expect(RPCError(refusal, reactor: "r", reveals: false).name == refusal.name.rawValue, "\(refusal)")
        }
    }

    @Test("of an interrupted execution and of a reused key are what they are in records and responses")
    func particular() {
        #expect(ExecutionError.interrupted.name == .workFailed)
        #expect(ExecutionRefusal.keyReused.name == .invalidParams)
    }
}
