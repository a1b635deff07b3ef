import Rx
import RxAction
import RxBindings
import RxHost
import RxJSON
import RxRecords
import RxStore
import RxStreams
import TestSupport
import Testing

/// An engine that answers nothing until it is stopped, or one that reduces each action at once.
private final class HoldingEngine: ReactorEngine {
    private struct State {
        var outlet: (any ReactorOutlet)?
        var held: [@Sendable (ReactorFault?) -> Void] = []
    }

    private let holds: Bool
    private let taken: Locked<[RawJSON]>
    private let state = Locked(State())

    init(holds: Bool, taken: Locked<[RawJSON]>) {
        self.holds = holds
        self.taken = taken
    }

    func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
        state.withLock { $0.outlet = outlet }
        return JSONState(0)
    }

    func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) {
        taken.withLock { $0.append(input.action) }
        if holds { return state.withLock { $0.held.append(completion) } }
        state.withLock { $0.outlet }?.reduced(
            ReactorStep(input: input, mutation: { input.action }, state: JSONState(input.action.value())))
        completion(nil)
    }

    func replay(_ mutation: RawJSON) throws(ReactorFault) {}

    func stop(completion: @escaping @Sendable () -> Void) {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for answer in held { answer(ReactorFault(.stopped, "stopped")) }
        completion()
    }
}

/// Fails each program with a message, which the operator wrote or not.
private final class FailingEvaluator: ProgramEvaluator {
    private let isOperators: Bool

    init(isOperators: Bool) { self.isOperators = isOperators }

    func evaluate(_ program: StreamProgram, on inputs: [ProgramInput]) -> [ProgramResult] {
        inputs.map { _ in .failed("no") }
    }

    func isOperatorText(_ message: String, of program: StreamProgram) -> Bool { isOperators }
}

@Suite("An element for a reactor")
struct ReactorBindingTests {
    private func fixture(_ store: ExecutionStore, holds: Bool, taken: Locked<[RawJSON]>) throws -> StreamFixture {
        let reactor = ReactorDefinition(name: "r", kind: "test", fingerprint: "r") {
            HoldingEngine(holds: holds, taken: taken)
        }
        let fixture = StreamFixture(reactors: [reactor], store: store)
        try fixture.host.startReactors()
        return fixture
    }

    @Test("is owed by the next daemon if the reactor stops before it has reduced it", arguments: [true, false])
    func owed(comesFirst: Bool) async throws {
        let directory = TemporaryDirectory()
        let stream = StreamDefinition.of("action", "s", persist: true)
        let binding = BindingDefinition(target: .reactor("r"), stream: "s", input: nil, whenFull: .wait)
        let taken = Locked<[RawJSON]>([])
        let first = try ExecutionStore(path: directory.path + "/rxd.db") { _ in }
        let stopping = try fixture(first, holds: true, taken: taken)
        await stopping.apply([stream], [binding])
        func emit() { stopping.opener["s"]?.emit([json("1"), json("2")], at: StreamFixture.start, position: 2) }
        if comesFirst {
            emit()
            #expect(await eventually { taken.withLock { $0.count } == 2 })
        }
        let isIdle = Locked(false)
        stopping.host.stop { isIdle.withLock { $0 = true } }
        #expect(await eventually { isIdle.withLock { $0 } })
        if !comesFirst { emit() }
        #expect(await eventually { stopping.streams.stream("s")?.status.emitted == 2 })
        await stopping.stop()
        #expect(stopping.firings("s").isEmpty)
        first.close()
        taken.withLock { $0 = [] }
        let second = try ExecutionStore(path: directory.path + "/rxd.db") { _ in }
        let later = try fixture(second, holds: false, taken: taken)
        await later.apply([stream], [binding])
        #expect(await eventually { later.firings("s").map(\.word) == ["reduced", "reduced"] })
        #expect(taken.withLock { $0 } == ["1", "2"].map { json($0) })
        await later.stop()
        second.close()
    }

    @Test("the error of a condition has its place, and for all only text of the operator", arguments: [false, true])
    func conditions(isOperators: Bool) async throws {
        let reactor = ReactorDefinition(name: "r", kind: "test", fingerprint: "r") {
            HoldingEngine(holds: false, taken: Locked([]))
        }
        let fixture = StreamFixture(reactors: [reactor], evaluator: FailingEvaluator(isOperators: isOperators))
        try fixture.host.startReactors()
        let place = "rxd.toml:7: enabled.when"
        fixture.streams.conditions.watch(
            ["act": .reactor("r", when: StreamProgram(".", .condition))], at: ["act": place])
        let action = try #require(fixture.host.registry["act"])
        let unmet = UnmetCondition(
            reactor: "r", when: ".", error: place + ": no",
            publicError: place + (isOperators ? ": no" : ": the program failed"))
        #expect(
            await eventually { fixture.host.log.snapshot(of: [action]).levels[0].enabled.reason == .unmet(unmet) })
        await fixture.stop()
    }
}
