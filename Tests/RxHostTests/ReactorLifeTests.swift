import Rx
import RxJSON
import TestSupport
import Testing

@testable import RxHost
@testable import RxRecords
@testable import RxStore

/// An engine that a test drives. Its state is the list of the actions that it received.
private final class ManualEngine: ReactorEngine {
    struct Life: Sendable {
        var outlet: (any ReactorOutlet)?
        var texts: [JSONValue] = []
        var whenStopped: (@Sendable () -> Void)?
        var isStopped = false
    }

    let name: String
    let life = Locked(Life())
    private let stopsAtOnce: Bool
    private let onStart: @Sendable (ManualEngine, JSONValue?) throws(ReactorFault) -> Void

    init(
        _ name: String, stopsAtOnce: Bool = true,
        onStart: @escaping @Sendable (ManualEngine, JSONValue?) throws(ReactorFault) -> Void = { _, _ in }
    ) {
        self.name = name
        self.stopsAtOnce = stopsAtOnce
        self.onStart = onStart
    }

    func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
        life.withLock { life in
            life.outlet = outlet
            life.texts = kept?.array ?? []
        }
        let initial = JSONState(.array(life.withLock { $0.texts }))
        do throws(ReactorFault) {
            try onStart(self, kept)
        } catch {
            life.withLock { $0.isStopped = true }
            throw error
        }
        return initial
    }

    func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) {
        reduce("\(name)\(input.action.value().string ?? "?")", input)
        completion(nil)
    }

    func replay(_ mutation: RawJSON) throws(ReactorFault) { reduce(mutation.value().string ?? "?", nil) }

    func stop(completion: @escaping @Sendable () -> Void) {
        life.withLock { life in
            life.isStopped = true
            if !stopsAtOnce { life.whenStopped = completion }
        }
        if stopsAtOnce { completion() }
    }

    func finishStopping() {
        life.withLock { life in
            defer { life.whenStopped = nil }
            return life.whenStopped
        }?()
    }

    /// Reports a mutation, of `input` or of a stream that is merged.
    func reduce(_ text: String, _ input: ReactorInput?) {
        let (outlet, texts) = life.withLock { life in
            life.texts.append(.string(text))
            return (life.outlet, life.texts)
        }
        outlet?.reduced(
            ReactorStep(input: input, mutation: { RawJSON(.string(text)) }, state: JSONState(.array(texts))))
    }
}

/// A reactor, and the engines that were made for it.
private final class Lives: Sendable {
    let engines = Locked<[ManualEngine]>([])
    let host: Host
    let reactor: HostedReactor
    /// The ends of changes, dispatches, and the stop, as they come.
    let ends = Locked<[String]>([])

    init(_ engine: @escaping @Sendable () -> ManualEngine) throws {
        let engines = engines
        host = Host(reactors: [Lives.definition("a", engines, engine)])
        try host.startReactors()
        reactor = try #require(host.registry.reactor("lives"))
    }

    private static func definition(
        _ fingerprint: String, _ engines: Locked<[ManualEngine]>, _ engine: @escaping @Sendable () -> ManualEngine
    ) -> ReactorDefinition {
        ReactorDefinition(name: "lives", kind: "test", fingerprint: fingerprint) {
            let engine = engine()
            engines.withLock { $0.append(engine) }
            return engine
        }
    }

    func change(to name: String, _ engine: @escaping @Sendable () -> ManualEngine) {
        ReactorReplacement(reactor).change(to: Lives.definition(name, engines, engine)) { [ends] fault in
            ends.withLock { $0.append(name + (fault.map { ": \($0.message)" } ?? "")) }
        }
    }

    func dispatch(_ action: String) {
        reactor.dispatch(RawJSON(.string(action)), by: .host) { [ends] result in
            let end: String
            switch result {
            case .success(let revision): end = String(revision)
            case .failure(.stopping): end = "stopping"
            case .failure(.failed(let fault)): end = fault.message
            case .failure: end = "refused"
            }
            ends.withLock { $0.append("\(action): \(end)") }
        }
    }

    func stop() { reactor.stop { [ends] in ends.withLock { $0.append("stopped") } } }

    var made: [String] { engines.withLock { $0.map(\.name) } }
    /// The engines that were made and not stopped.
    var alive: [String] { engines.withLock { $0.filter { !$0.life.withLock { $0.isStopped } }.map(\.name) } }
    func engine(_ place: Int) -> ManualEngine { engines.withLock { $0[place] } }
    var told: [String] { ends.withLock { $0 } }
}

@Suite("The life of a hosted reactor", .ownThreads)
struct ReactorLifeTests {
    @Test("actions dispatched during a replacement wait for the next engine, in order")
    func waits() throws {
        let lives = try Lives { ManualEngine("a", stopsAtOnce: false) }
        lives.dispatch("1")
        lives.change(to: "b") { ManualEngine("b") }
        lives.dispatch("2")
        lives.dispatch("3")
        #expect(lives.told == ["1: 1"])
        lives.engine(0).finishStopping()
        #expect(lives.told == ["1: 1", "2: 3", "3: 4", "b"], "revision 2 is that of the next")
        #expect(lives.reactor.now.state.tree == ["a1", "b2", "b3"])
    }

    @Test("a stop while an engine is replaced starts no other, and ends when that one has ended")
    func stopWhileReplaced() throws {
        let lives = try Lives { ManualEngine("a", stopsAtOnce: false) }
        lives.change(to: "b") { ManualEngine("b") }
        lives.dispatch("1")
        lives.stop()
        #expect(lives.told == ["1: stopping"])
        lives.engine(0).finishStopping()
        #expect(lives.told == ["1: stopping", "stopped", "b"])
        #expect(lives.made == ["a"])
        lives.dispatch("2")
        #expect(lives.told.last == "2: stopping")
    }

    @Test("a stop while the next engine starts stops that one too")
    func stopWhileStarted() throws {
        let lives = try Lives { ManualEngine("a") }
        lives.change(to: "b") { [unowned lives] in ManualEngine("b") { _, _ in lives.stop() } }
        #expect(lives.made == ["a", "b"])
        #expect(lives.alive.isEmpty)
        #expect(lives.told == ["stopped", "b"])
    }

    @Test("of changes in a row each has its turn, and the engine of the last one runs")
    func changes() throws {
        let lives = try Lives { ManualEngine("a", stopsAtOnce: false) }
        lives.change(to: "b") { ManualEngine("b") }
        // The second comes while the first engine stops, the third while the next one starts.
        lives.change(to: "c") { [unowned lives] in
            ManualEngine("c") { _, _ in lives.change(to: "d") { ManualEngine("d") } }
        }
        lives.dispatch("1")
        #expect(lives.told.isEmpty)
        lives.engine(0).finishStopping()
        #expect(lives.made == ["a", "b", "c", "d"])
        #expect(lives.alive == ["d"])
        #expect(lives.told.filter { $0 != "1: 2" } == ["b", "c", "d"])
        #expect(lives.reactor.definition.fingerprint == "d")
        lives.dispatch("2")
        #expect(lives.reactor.now.state.tree == ["b1", "d2"])
    }

    @Test("an engine that does not take the state leaves the old definition, whatever comes next")
    func refusedChange() throws {
        let lives = try Lives { ManualEngine("a") }
        lives.dispatch("1")
        lives.change(to: "b") {
            ManualEngine("b") { _, _ throws(ReactorFault) in throw ReactorFault(.restore, "no") }
        }
        #expect(lives.told == ["1: 1", "b: no"])
        #expect(lives.reactor.definition.fingerprint == "a")
        lives.dispatch("2")
        lives.change(to: "c") { ManualEngine("c") }
        lives.dispatch("3")
        #expect(lives.reactor.now.state.tree == ["a1", "a2", "c3"])
        #expect(lives.alive == ["c"])
    }

    @Test("a reactor that could not be started answers dispatches with the reason, until a definition starts")
    func failed() throws {
        let mends = Locked(false)
        func definition(_ fingerprint: String) -> ReactorDefinition {
            ReactorDefinition(name: "new", kind: "test", fingerprint: fingerprint) {
                ManualEngine("n") { _, _ throws(ReactorFault) in
                    if !mends.withLock({ $0 }) { throw ReactorFault(.restore, "broken") }
                }
            }
        }
        let host = Host()
        host.reload([], reactors: [definition("1")])
        let reactor = try #require(host.registry.reactor("new"))
        let ends = Locked<[String]>([])
        func dispatch() {
            reactor.dispatch(RawJSON(.string("x")), by: .host) { result in ends.withLock { $0.append("\(result)") } }
        }
        dispatch()
        #expect(ends.withLock { $0.count } == 1)
        #expect(ends.withLock { $0.first?.contains("broken") } == true)
        #expect(reactor.failure?.message == "broken")
        mends.withLock { $0 = true }
        // The same definition again: the obstacle may be gone.
        #expect(host.reload([], reactors: [definition("1")]).changed == ["new"])
        #expect(reactor.failure == nil)
        dispatch()
        #expect(ends.withLock { $0.last } == "success(1)")
        #expect(reactor.now.state.tree == ["nx"])
    }

    @Test("steps of an engine before its start is published follow the state of the start")
    func earlySteps() throws {
        let lives = try Lives { ManualEngine("a") { engine, _ in engine.reduce("merged", nil) } }
        #expect(lives.reactor.now.revision == 1)
        #expect(lives.reactor.now.state.tree == ["merged"])
        lives.dispatch("1")
        #expect(lives.told == ["1: 2"])
        lives.change(to: "b") { ManualEngine("b") { engine, _ in engine.reduce("again", nil) } }
        #expect(lives.reactor.now.state.tree == ["merged", "a1", "again"])
        #expect(lives.reactor.now.revision == 4)
    }

    @Test("steps of an engine at its start are stored, and restored")
    func earlyStepsKept() async throws {
        let file = ReactorFile()
        defer { withExtendedLifetime(file) {} }
        var definition = ReactorDefinition(name: "lives", kind: "test", fingerprint: "a") {
            ManualEngine("a") { engine, kept in engine.reduce("merged", nil) }
        }
        definition.persistence = ReactorPersistence()
        for life in 1...3 {
            let store = try StateStore(path: file.path) { error in Issue.record("\(error)") }
            let host = Host(reactors: [definition], stateStore: store)
            try host.startReactors()
            let reactor = try #require(host.registry.reactor("lives"))
            #expect(reactor.now.revision == UInt64(life))
            #expect(reactor.now.state.tree == .array(Array(repeating: "merged", count: life)))
            await withCheckedContinuation { continuation in host.stop { continuation.resume() } }
            store.close()
        }
        // Another definition, which reduces the stored mutations again while a stream continues.
        definition.fingerprint = "b"
        definition.persistence?.onChange = .replay
        let store = try StateStore(path: file.path) { error in Issue.record("\(error)") }
        let host = Host(reactors: [definition], stateStore: store)
        try host.startReactors()
        let reactor = try #require(host.registry.reactor("lives"))
        #expect(reactor.now.revision == 4)
        #expect(reactor.now.state.tree == .array(Array(repeating: "merged", count: 4)))
        let past = try await withCheckedContinuation { continuation in
            reactor.state(at: 2) { continuation.resume(returning: $0) }
        }.get()
        #expect(past == ["merged", "merged"])
        await withCheckedContinuation { continuation in host.stop { continuation.resume() } }
        store.close()
    }

    @Test("a state that an engine makes while it is replaced is stored as one of its own definition")
    func lastSnapshot() async throws {
        let file = ReactorFile()
        defer { withExtendedLifetime(file) {} }
        let store = try StateStore(path: file.path) { error in Issue.record("\(error)") }
        func definition(_ engine: ManualEngine) -> ReactorDefinition {
            var definition = ReactorDefinition(name: "lives", kind: "test", fingerprint: engine.name) { engine }
            definition.persistence = ReactorPersistence()
            return definition
        }
        let old = ManualEngine("a", stopsAtOnce: false)
        let host = Host(reactors: [definition(old)], stateStore: store)
        try host.startReactors()
        host.reload([], reactors: [definition(ManualEngine("b"))])
        let reactor = try #require(host.registry.reactor("lives"))
        #expect(reactor.definition.fingerprint == "b")
        let log = try #require(reactor.keptLog)
        // While the first snapshot is being stored, no other is due.
        log.flush()
        // So long that a snapshot is due.
        old.reduce(String(repeating: "x", count: 100_000), nil)
        log.flush()
        let snapshot = try #require(try log.kept()?.snapshot)
        #expect(snapshot.revision == 1 && snapshot.fingerprint == "a")
        old.finishStopping()
        log.flush()
        #expect(try log.kept()?.snapshot.fingerprint == "b")
        await withCheckedContinuation { continuation in host.stop { continuation.resume() } }
        store.close()
    }

    @Test("a listener receives the present state before the next one")
    func firstState() throws {
        let lives = try Lives { ManualEngine("a") }
        lives.dispatch("1")
        let heard = Locked<[JSONValue]>([])
        let isFirst = Locked(true)
        let subscription = lives.host.listen(toStatesOf: "lives") { state in
            // Meanwhile another one comes.
            if isFirst.withLock({ first in
                defer { first = false }
                return first
            }) {
                lives.dispatch("2")
                lives.dispatch("3")
            }
            heard.withLock { $0.append(state.tree) }
        }
        #expect(heard.withLock { $0 } == [["a1"], ["a1", "a2", "a3"]])
        lives.dispatch("4")
        #expect(heard.withLock { $0.last } == ["a1", "a2", "a3", "a4"])
        subscription.dispose()
        lives.dispatch("5")
        #expect(heard.withLock { $0.count } == 3)
    }
}
