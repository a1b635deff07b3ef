internal import RxPlatform
package import RxRecords
import Glibc
package import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import TestSupport
internal import Testing
internal import RxLoop

package import RxProcess

/// One launcher for all tests, as a daemon has one; what it logs is kept by execution.
package enum Harness {
    package static let notes = Locked<[ProcessNote]>([])
    package static let launcher = launcher()

    package static func launcher(
        ledger: ProcessLedger? = nil, inputFiles: InputFiles? = nil, environment: ProcessEnvironment = .inherited
    ) -> ProcessServices {
        let loop = try! EventLoop()
        loop.start(name: "processes")
        return ProcessServices(
            loop: loop, platform: .system, ledger: ledger, inputFiles: inputFiles, environment: environment
        ) { note in
            notes.withLock { $0.append(note) }
        }
    }
}

/// One execution of a process definition, with all that it reports.
package final class Recorded: Sendable {
    package struct State {
        var elements: [String] = []
        var end: End?
    }
    package enum End { case completed, failed(any Error) }

    private let state = Locked(State())
    /// Lends its execution's identity and cancel; the work under test is subscribed by hand, so that it can be
    /// disposed.
    private let action: Action<Void, Never>
    private let execution: RxAction.Execution<Never>
    private let subscription = Locked<(any Disposable)?>(nil)

    package init(_ definition: ProcessDefinition, input: String = "null", launcher: ProcessServices = Harness.launcher)
    {
        let lent = Locked<WorkContext?>(nil)
        action = Action(work: { _, context in
            lent.withLock { $0 = context }
            return .never()
        })
        guard case .success(let execution) = action.start(()), let context = lent.withLock({ $0 }) else {
            preconditionFailure("a new action accepts an input")
        }
        self.execution = execution
        let work = launcher.work(definition)
        let input = RawJSON(unchecked: Array(input.utf8))
        let disposable = work(Invocation(action: "test", input: input, context: context)).subscribe { [state] event in
            state.withLock { state in
                switch event {
                case .next(let element): state.elements.append(element.text)
                case .error(let error): state.end = .failed(error)
                case .completed: state.end = .completed
                }
            }
        }
        subscription.withLock { $0 = disposable }
    }

    package convenience init(
        shell script: String, input: String = "null", _ change: (inout ProcessDefinition) -> Void = { _ in }
    ) {
        var definition = ProcessDefinition(arguments: [.text("/bin/sh"), .text("-c"), .text(script)])
        change(&definition)
        self.init(definition, input: input)
    }

    package var id: String { execution.id.description }
    package var elements: [String] { state.withLock { $0.elements } }
    package var hasEnded: Bool { state.withLock { $0.end != nil } }
    package var notes: [ProcessNote] { Harness.notes.withLock { $0.filter { $0.execution == id } } }
    package var failure: WorkFailure? {
        guard case .failed(let error) = state.withLock({ $0.end }) else { return nil }
        return error as? WorkFailure
    }
    package var isCompleted: Bool {
        if case .completed = state.withLock({ $0.end }) { true } else { false }
    }

    package func cancel(grace: Duration? = nil) { execution.cancel(CancellationRequest(by: nil, grace: grace)) }
    package func dispose() { subscription.withLock { $0 }?.dispose() }

    /// Elements of the whole execution.
    package func all() async -> [String] {
        #expect(await eventually { hasEnded }, "the execution does not end")
        return elements
    }

    package func firstElement() async -> String {
        #expect(await eventually { !elements.isEmpty }, "no element")
        return elements.first ?? ""
    }
}

/// The number an element stands for: `"12"` or `12`.
package func number(_ element: String) -> Int32 {
    Int32(element.filter { $0 != "\"" }) ?? -1
}
