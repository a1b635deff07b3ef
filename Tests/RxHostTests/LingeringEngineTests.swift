import Rx
import RxJSON
import TestSupport
import Testing

@testable import RxHost
@testable import RxRecords
@testable import RxStore

/// Takes an action as its mutation, and stops when the test ends its stop. The action `"held"` ends when the test does.
private final class LingeringEngine: ReactorEngine {
    private struct State {
        var outlet: (any ReactorOutlet)?
        var texts: [JSONValue] = []
        var stopped: (@Sendable () -> Void)?
        var held: (@Sendable (ReactorFault?) -> Void)?
    }

    private let state = Locked(State())

    var isStopping: Bool { state.withLock { $0.stopped != nil } }

    func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
        state.withLock { state in
            state.outlet = outlet
            state.texts = kept?.array ?? []
            return JSONState(.array(state.texts))
        }
    }

    func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) {
        reduce(input.action, input)
        if input.action.value() == "held" { state.withLock { $0.held = completion } } else { completion(nil) }
    }

    func endHeld() {
        let held = state.withLock { state in state.held.take() }
        held?(nil)
    }

    /// Reduces a mutation, without `input` one of a merged stream.
    func reduce(_ mutation: RawJSON, _ input: ReactorInput? = nil) {
        let (outlet, texts) = state.withLock { state in
            state.texts.append(mutation.value())
            return (state.outlet, state.texts)
        }
        outlet?.reduced(ReactorStep(input: input, mutation: { mutation }, state: JSONState(.array(texts))))
    }

    func replay(_ mutation: RawJSON) throws(ReactorFault) {}

    func stop(completion: @escaping @Sendable () -> Void) { state.withLock { $0.stopped = completion } }

    func finishStop() {
        let stopped = state.withLock { state in state.stopped.take() }
        stopped?()
    }
}

@Suite("A reactor that is to go back after a reload has done so")
struct LateReturnTests {
    @Test("lets the engine that the next reload replaces answer what it has taken")
    func drains() throws {
        let simulation = Simulation(seed: 1)
        let engine = LingeringEngine()
        let definition = ReactorDefinition(name: "words", kind: "test", fingerprint: "one", makeEngine: { engine })
        let host = Host(reactors: [definition], platform: simulation.platform)
        try host.startReactors()
        let reactor = try #require(host.registry.reactor("words"))
        let answers = Heard<Result<UInt64, DispatchRefusal>>()
        reactor.dispatch(RawJSON("held"), by: .host) { answers.add($0) }
        let next = ReactorDefinition(
            name: "words", kind: "test", fingerprint: "two", makeEngine: { LingeringEngine() })
        let changed = Heard<Bool>()
        ReactorReplacement(reactor).change(to: next) { changed.add($0 == nil) }
        ReactorReplacement(reactor).goBack()
        simulation.run(until: .seconds(1))
        #expect(!engine.isStopping && answers.values.isEmpty && changed.values.isEmpty)
        engine.endHeld()
        #expect(engine.isStopping && answers.values.compactMap { try? $0.get() } == [1])
        engine.finishStop()
        simulation.run(until: .seconds(2))
        #expect(changed.values == [true] && reactor.now.state.tree == ["held"])
    }
}

@Suite("A reactor that goes back while its engine still stops", .countedApart)
struct LingeringEngineTests {
    @Test("holds dispatches, and nothing bridges the log with the state that it leaves")
    func held() async throws {
        let file = ReactorFile()
        let store = try file.open(retryDelay: .zero)
        let engines = Locked<[LingeringEngine]>([])
        var definition = ReactorDefinition(
            name: "words", kind: "test", fingerprint: "one",
            makeEngine: {
                let engine = LingeringEngine()
                engines.withLock { $0.append(engine) }
                return engine
            })
        definition.persistence = .made(.sync)
        let host = Host(reactors: [definition], stateStore: store)
        try host.startReactors()
        let reactor = try #require(host.registry.reactor("words"))
        let answers = Heard<String>()
        @Sendable func send(_ action: String) {
            reactor.dispatch(RawJSON(.string(action)), by: .host) { result in
                switch result {
                case .success(let revision): answers.add("\(action) \(revision)")
                case .failure: answers.add("\(action) failed")
                }
            }
        }
        send("a")
        #expect(await eventually { answers.values == ["a 1"] })
        try store.disk(fails: true)
        send("b")
        let first = engines.withLock { $0[0] }
        #expect(await eventually { first.isStopping })
        try store.disk(fails: false)
        for action in ["c", "d"] { send(action) }
        first.reduce(RawJSON(.string("merged")))
        store.writes.flush()
        let log = try #require(reactor.keptLog)
        #expect(try await log.history().steps.map(\.revision) == [1] && log.isBehind)
        #expect(answers.values == ["a 1"], "b is still in the state")
        first.finishStop()
        #expect(await eventually { answers.values.count == 4 })
        #expect(answers.values.first { $0.hasPrefix("b") } == "b failed")
        #expect(reactor.now.state.tree == ["a", "c", "d"])
        #expect(try await log.history().steps.map(\.revision) == [1, 4, 5, 6])
        store.close()
        let again = try file.open()
        #expect(try again.log(of: "words", .made()).restore()?.value == ["a", "c", "d"])
        again.close()
    }
}
