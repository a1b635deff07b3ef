package import Rx
internal import RxPlatform
package import RxRecords
import Glibc
package import RxJq
package import RxHost
package import RxJSON
internal import Synchronization
package import Testing

/// An engine with a real worker, what it reports, and a host that a test controls.
package final class ReactorHarness: Sendable {
    package let engine: JqReactorEngine<SystemEnginePlatform>
    package let outlet = Outlet()
    package let host: FakeHost

    package init(_ plan: JqReactorPlan, host: FakeHost = FakeHost(), from kept: JSONValue? = nil) throws {
        var plan = plan
        plan.executable = Self.program
        // Limits of time that no program of a test reaches by itself, however busy the machine is.
        let limits = JqLimits()
        if plan.limits.processorTime == limits.processorTime { plan.limits.processorTime = .seconds(60) }
        if plan.limits.wallTime == limits.wallTime { plan.limits.wallTime = .seconds(120) }
        self.host = host
        engine = JqReactorEngine(plan, host: host, clock: .system)
        let state = try engine.start(from: kept, outlet: outlet)
        outlet.begin(try #require(state as? JSONState).value)
    }

    /// The daemon's program, built beside the tests.
    package static let program: String = {
        let directories = CommandLine.arguments.map { path in path.lastIndex(of: "/").map { path[..<$0] } ?? "." }
        let programs = directories.map { "\($0)/rxd" }
        return programs.first { access($0, X_OK) == 0 } ?? programs[0]
    }()

    package func dispatch(_ action: JSONValue) async -> ReactorFault? {
        await withCheckedContinuation { continuation in
            engine.dispatch(ReactorInput(RawJSON(action), by: .host)) { continuation.resume(returning: $0) }
        }
    }

    package func stop() async {
        await withCheckedContinuation { continuation in engine.stop { continuation.resume() } }
    }
}

/// Keeps what is reported to it, and finds patches that do not lead from state to state.
package final class Outlet: ReactorOutlet {
    package struct Told: Sendable {
        package var initial = JSONValue.null
        package var states: [JSONValue] = []
        package var mutations: [String] = []
        package var faults: [ReactorFault] = []
        package var wrongPatches = 0

        package var state: JSONValue { states.last ?? initial }
    }

    private let told = Mutex(Told())

    package init() {}

    package var now: Told { told.withLock { $0 } }

    package func begin(_ state: JSONValue) { told.withLock { $0.initial = state } }

    package func reduced(_ step: ReactorStep) {
        guard let state = (step.state as? JSONState)?.value else { return }
        let mutation = step.mutation().text
        told.withLock { told in
            var patched = told.state
            if let patch = step.patch { try? patch.apply(to: &patched) }
            if patched != state { told.wrongPatches += 1 }
            told.states.append(state)
            told.mutations.append(mutation)
        }
    }

    package func failed(_ fault: ReactorFault) { told.withLock { $0.faults.append(fault) } }

    /// Waits until something is so.
    package func wait(_ isSo: @Sendable (Told) -> Bool, _ location: SourceLocation = #_sourceLocation) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while !isSo(now) {
            guard ContinuousClock.now < deadline else {
                Issue.record("waited in vain: \(now)", sourceLocation: location)
                return
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

/// A host whose executions a test controls.
package final class FakeHost: JqReactorHost {
    package struct Execution: Sendable {
        package let action: String
        package let input: RawJSON
        package let causes: Causes
        package let onElement: @Sendable (RawJSON) -> Void
        package let onEnd: @Sendable (RawJSON?) -> Void
    }

    package struct Contents: Sendable {
        package var executions: [Execution] = []
        package var cancelled = 0
        package var elements: [String: @Sendable (RawJSON) -> Void] = [:]
        package var states: [String: @Sendable (RawJSON) -> Void] = [:]
    }

    private let contents = Mutex(Contents())

    package init() {}

    package var now: Contents { contents.withLock { $0 } }

    package func execute(
        _ action: String, input: RawJSON, causes: Causes, onElement: @escaping @Sendable (RawJSON) -> Void,
        onEnd: @escaping @Sendable (RawJSON?) -> Void
    ) -> any Disposable {
        contents.withLock {
            $0.executions.append(
                Execution(action: action, input: input, causes: causes, onElement: onElement, onEnd: onEnd))
        }
        return Disposables.create { [self] in contents.withLock { $0.cancelled += 1 } }
    }

    package func elements(of action: String, _ onElement: @escaping @Sendable (RawJSON) -> Void) -> any Disposable {
        contents.withLock { $0.elements[action] = onElement }
        return Disposables.create { [self] in contents.withLock { $0.elements[action] = nil } }
    }

    package func states(of reactor: String, _ onState: @escaping @Sendable (RawJSON) -> Void) -> any Disposable {
        contents.withLock { $0.states[reactor] = onState }
        return Disposables.create { [self] in contents.withLock { $0.states[reactor] = nil } }
    }
}

extension JqReactorPlan {
    package init(_ initial: JSONValue, mutation: String, reduce: String) {
        var programs = JqReactorPrograms(reduce: reduce)
        programs.rules = [JqReactorPrograms.Rule()]
        programs.rules[0].mutation = mutation
        self.init(initial: initial, programs: programs)
        actions = [nil]
    }
}
