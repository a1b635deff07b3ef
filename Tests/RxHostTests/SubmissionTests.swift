import Rx
import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords

@Suite("Submitting a request", .countedApart)
struct SubmissionTests {
    private struct Counts {
        var validations = 0
        var observers = 0
    }

    private let counts = Locked(Counts())

    /// Echo, which counts how often it validates an input, and refuses `"bad"`.
    private func echo() -> ActionDefinition {
        var definition = Builtin.echo.definition(name: "a")
        definition.validate = { [counts] input in
            counts.withLock { $0.validations += 1 }
            return input.text == #""bad""# ? [InputFault(path: "", message: "bad")] : []
        }
        return definition
    }

    private func submit(_ host: Host, _ request: ExecutionRequest) throws -> Submission {
        host.submit(try #require(host.registry["a"]), request) { [counts] in
            counts.withLock { $0.observers += 1 }
            return { _ in }
        }
    }

    private func input(_ text: String) -> RawJSON { RawJSON(unchecked: Array(text.utf8)) }

    @Test(
        "is done at once if the work is a function of the input: validated once, and not observed",
        arguments: [nil, .nanoseconds(1), .seconds(60)] as [Duration?])
    func done(_ timeout: Duration?) throws {
        let host = Host([echo()])
        let request = ExecutionRequest(input: input("1"), by: .host, timeout: timeout)
        guard case .done(let execution) = try submit(host, request) else {
            Issue.record("not done")
            return
        }
        #expect(execution.element?.text == "1" && execution.error == nil)
        #expect(counts.withLock { $0.validations } == 1 && counts.withLock { $0.observers } == 0)
    }

    @Test("that others may find makes an execution with an object and an observer", arguments: ["key", "watched"])
    func accepted(_ option: String) throws {
        let host = Host([echo()])
        var request = ExecutionRequest(input: input("1"), by: .host)
        switch option {
        case "key": request.key = "k"
        default: request.isWatched = true
        }
        guard case .accepted(let accepted) = try submit(host, request) else {
            Issue.record("not accepted")
            return
        }
        #expect(accepted.disposition == .started && !accepted.execution.isInFlight)
        #expect(counts.withLock { $0.validations } == 1 && counts.withLock { $0.observers } == 1)
    }

    @Test("with an invalid input is refused after one validation", arguments: [true, false])
    func refused(_ isPlain: Bool) throws {
        let host = Host([echo()])
        let request = ExecutionRequest(input: input(#""bad""#), by: .host, key: isPlain ? nil : "k")
        guard case .refused(.input(let faults)) = try submit(host, request) else {
            Issue.record("not refused")
            return
        }
        #expect(faults == [InputFault(path: "", message: "bad")])
        #expect(counts.withLock { $0.validations } == 1 && counts.withLock { $0.observers } == 0)
        #expect(host.log.executions().isEmpty)
    }
}
