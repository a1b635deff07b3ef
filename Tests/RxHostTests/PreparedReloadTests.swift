import Rx
import RxAction
import RxJSON
import RxPlatform
import TestSupport
import Testing

@testable import RxHost
@testable import RxRecords
@testable import RxStore

/// An engine whose dispatches end when the test ends them. Its state is the list of what it has carried out.
private final class SlowEngine: ReactorEngine {
    private struct State {
        var outlet: (any ReactorOutlet)?
        var texts: [JSONValue] = []
        var waiting: [(input: ReactorInput, completion: @Sendable (ReactorFault?) -> Void)] = []
        var isStopped = false
    }

    private let name: String
    /// Whether it knows, at its stop, that what waits had no effect.
    private let givesBack: Bool
    private let state = Locked(State())

    init(_ name: String, givesBack: Bool = false) {
        self.name = name
        self.givesBack = givesBack
    }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
        if name == "refuses" { throw ReactorFault(.restore, "no") }
        return state.withLock { state in
            state.outlet = outlet
            state.texts = kept?.array ?? []
            return JSONState(.array(state.texts))
        }
    }

    func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) {
        state.withLock { $0.waiting.append((input, completion)) }
        if name != "slow" { carryOut() }
    }

    /// Carries out what waits.
    func carryOut() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for (input, completion) in waiting {
            let (outlet, texts) = state.withLock { state in
                state.texts.append(.string(name + (input.action.value().string ?? "?")))
                return (state.outlet, state.texts)
            }
            outlet?.reduced(
                ReactorStep(input: input, mutation: { input.action }, state: JSONState(.array(texts))))
            completion(nil)
        }
    }

    func replay(_ mutation: RawJSON) throws(ReactorFault) {}

    func stop(completion: @escaping @Sendable () -> Void) {
        let waiting = state.withLock { state in
            state.isStopped = true
            defer { state.waiting = [] }
            return state.waiting
        }
        var fault = ReactorFault(.stopped, "stopped")
        fault.isWithoutEffect = givesBack
        for (_, completion) in waiting { completion(fault) }
        completion()
    }
}

/// A host with one reactor whose engine is slow, in a simulation.
private final class SlowHost: Sendable {
    let simulation = Simulation(seed: 1)
    let engines = Locked<[SlowEngine]>([])
    let host: Host
    let queue: WorkQueue
    let answers = Locked<[String]>([])

    init(givesBack: Bool = false, accepts: @escaping @Sendable (String) -> Bool = { _ in true }) throws {
        let platform = simulation.platform
        queue = platform.queues.serial("reload")
        let definition = SlowHost.definition("slow", engines, givesBack: givesBack, accepts: accepts)
        host = Host(reactors: [definition], platform: platform)
        try host.startReactors()
    }

    static func definition(
        _ fingerprint: String, name: String = "list", _ engines: Locked<[SlowEngine]>, givesBack: Bool = false,
        accepts: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> ReactorDefinition {
        ReactorDefinition(
            name: name, kind: "test", fingerprint: fingerprint,
            input: { (action, causes) throws(DispatchRefusal) in
                guard accepts(action.value().string ?? "") else {
                    throw .input([InputFault(path: "", message: "no")])
                }
                return ReactorInput(action, causes: causes)
            },
            makeEngine: {
                let engine = SlowEngine(fingerprint, givesBack: givesBack)
                engines.withLock { $0.append(engine) }
                return engine
            })
    }

    var reactor: HostedReactor { host.registry.reactor("list")! }
    func engine(_ place: Int) -> SlowEngine { engines.withLock { $0[place] } }
    var answered: [String] { answers.withLock { $0 } }

    func dispatch(_ action: String) {
        reactor.dispatch(RawJSON(.string(action)), by: .host) { [answers] result in
            let end =
                switch result {
                case .success(let revision): String(revision)
                case .failure(.failed(let fault)): "\(fault.stage)"
                case .failure(let refusal): "\(refusal)"
                }
            answers.withLock { $0.append("\(action): \(end)") }
        }
    }

    func prepare(_ fingerprint: String) -> PreparedReload {
        host.prepare([], reactors: [SlowHost.definition(fingerprint, engines)], on: queue)
    }

    /// Brings a definition into force as far as the thread of `commit` does that.
    func commit(_ fingerprint: String) { commit(SlowHost.definition(fingerprint, engines)) }

    func commit(_ definition: ReactorDefinition) {
        let prepared = host.prepare([], reactors: [definition], on: queue)
        let isCommitted = prepared.commit { [answers] in answers.withLock { $0.append("done") } }
        #expect(isCommitted)
    }
}

/// Something that happens once, while an action is validated.
private final class Exchange: Sendable {
    private let body = Locked<(@Sendable () -> Void)?>(nil)

    func set(_ body: @escaping @Sendable () -> Void) { self.body.withLock { $0 = body } }

    /// - Returns: that the action is accepted.
    func happen() -> Bool {
        body.withLock { body in
            defer { body = nil }
            return body
        }?()
        return true
    }
}

@Suite("A prepared reload")
struct PreparedReloadTests {
    @Test("holds dispatches from its commit on: the old engine answers its own, the new one gets the others, once")
    func held() throws {
        let slow = try SlowHost()
        slow.dispatch("1")
        slow.commit("next")
        slow.dispatch("2")
        slow.dispatch("3")
        slow.simulation.run(until: .seconds(1))
        #expect(slow.answered.isEmpty && !slow.engine(0).isStopped)
        slow.engine(0).carryOut()
        // Nothing is stopped or started on the thread that ended the last dispatch: that may be the loop's.
        #expect(slow.answered == ["1: 1"] && !slow.engine(0).isStopped)
        slow.simulation.run(until: .seconds(2))
        #expect(slow.answered == ["1: 1", "2: 3", "3: 4", "done"])
        #expect(slow.engine(0).isStopped)
        #expect(slow.reactor.now.state.tree == ["slow1", "next2", "next3"])
    }

    @Test("gives the old engine a limited time; what that gives back untouched comes first to the new one")
    func givenBack() throws {
        let slow = try SlowHost(givesBack: true)
        slow.dispatch("1")
        slow.dispatch("2")
        slow.commit("next")
        slow.dispatch("3")
        slow.simulation.run(until: EngineDrains.limit - .milliseconds(1))
        #expect(slow.answered.isEmpty)
        slow.simulation.run(until: EngineDrains.limit + .milliseconds(1))
        #expect(slow.answered == ["1: 2", "2: 3", "3: 4", "done"])
        #expect(slow.reactor.now.state.tree == ["next1", "next2", "next3"])
    }

    @Test("answers what the old engine could not end in time with a fault; nothing is shutting down")
    func unended() throws {
        let slow = try SlowHost()
        slow.dispatch("1")
        slow.commit("next")
        slow.dispatch("2")
        slow.simulation.run(until: EngineDrains.limit + .milliseconds(1))
        #expect(slow.answered == ["1: stopped", "2: 2", "done"])
    }

    @Test("that is refused by its engine leaves the old definition, whose engine gets the held dispatches")
    func refused() throws {
        let slow = try SlowHost()
        slow.dispatch("1")
        slow.commit("refuses")
        slow.dispatch("2")
        slow.engine(0).carryOut()
        slow.simulation.run(until: .seconds(1))
        #expect(slow.answered == ["1: 1", "done"])
        // The one that refused, and another of the old definition.
        slow.engine(2).carryOut()
        #expect(slow.answered.last == "2: 2")
        #expect(slow.reactor.definition.fingerprint == "slow")
    }

    @Test("that is refused leaves the validation of held dispatches to the definition that stays")
    func refusedValidation() throws {
        let slow = try SlowHost(accepts: { $0 != "2" })
        slow.dispatch("1")
        slow.commit("refuses")
        // The refused definition accepts them.
        slow.dispatch("2")
        slow.dispatch("3")
        slow.engine(0).carryOut()
        slow.simulation.run(until: .seconds(1))
        slow.engine(2).carryOut()
        #expect(slow.answered.count == 4 && slow.answered[1].hasPrefix("2: input"))
        #expect(slow.reactor.now.state.tree == ["slow1", "slow3"])
    }

    @Test("that is refused with other rights fails the dispatches that these allowed; what was taken before goes on")
    func refusedRights() throws {
        let slow = try SlowHost(givesBack: true)
        slow.dispatch("1")
        var next = SlowHost.definition("refuses", slow.engines)
        next.access.execute = .nobody
        slow.commit(next)
        #expect(slow.reactor.access == next.access)
        slow.dispatch("2")
        slow.simulation.run(until: EngineDrains.limit + .milliseconds(1))
        #expect(slow.answered == ["2: restore", "done"] && slow.reactor.access == Access())
        slow.dispatch("3")
        slow.engine(2).carryOut()
        #expect(slow.answered.dropFirst(2) == ["1: 1", "3: 2"])
        #expect(slow.reactor.now.state.tree == ["slow1", "slow3"])
    }

    @Test("validates held dispatches against the definition that carries them out")
    func validated() throws {
        let slow = try SlowHost()
        slow.dispatch("1")
        let refuses = Locked(false)
        let next = SlowHost.definition("next", slow.engines, accepts: { _ in !refuses.withLock { $0 } })
        #expect(slow.host.prepare([], reactors: [next], on: slow.queue).commit())
        slow.dispatch("2")
        refuses.withLock { $0 = true }
        slow.engine(0).carryOut()
        slow.simulation.run(until: .seconds(1))
        #expect(slow.answered.count == 2 && slow.answered.last?.contains("input") == true)
        #expect(slow.reactor.now.state.tree == ["slow1"])
    }

    @Test("validates a dispatch again that the definition before it has validated meanwhile")
    func validatedLate() throws {
        let exchange = Exchange()
        let slow = try SlowHost(accepts: { _ in exchange.happen() })
        let refusing = SlowHost.definition("next", slow.engines, accepts: { $0 != "1" })
        exchange.set { [unowned slow] in
            slow.commit(refusing)
            slow.simulation.run(until: .seconds(1))
        }
        slow.dispatch("1")
        #expect(slow.answered.count == 2 && slow.answered.last?.hasPrefix("1: input") == true)
        // The same engine with another validation.
        var lenient = SlowHost.definition("next", slow.engines)
        lenient.settings = "lenient"
        slow.commit(lenient)
        slow.simulation.run(until: .seconds(2))
        slow.dispatch("1")
        #expect(slow.answered.last == "1: 2" && slow.engines.withLock { $0.count } == 2)
    }

    @Test("that removes a reactor stops its engine after the last dispatch")
    func removed() throws {
        let slow = try SlowHost()
        let reactor = slow.reactor
        slow.dispatch("1")
        let isCommitted = slow.host.prepare([], on: slow.queue).commit { [answers = slow.answers] in
            answers.withLock { $0.append("done") }
        }
        #expect(isCommitted)
        #expect(slow.host.registry.reactor("list") == nil)
        slow.simulation.run(until: .seconds(1))
        #expect(!slow.engine(0).isStopped)
        slow.engine(0).carryOut()
        slow.simulation.run(until: .seconds(2))
        #expect(slow.answered == ["1: 1", "done"])
        #expect(slow.engine(0).isStopped && reactor.now.revision == 1)
    }

    @Test("answers a dispatch with a fault whose reactor it has removed meanwhile; nothing is shutting down")
    func removedMeanwhile() throws {
        let exchange = Exchange()
        let slow = try SlowHost(accepts: { _ in exchange.happen() })
        let reactor = slow.reactor
        exchange.set { [unowned slow] in
            #expect(slow.host.prepare([], on: slow.queue).commit())
            slow.simulation.run(until: .seconds(1))
        }
        slow.dispatch("1")
        #expect(slow.answered == ["1: stopped"] && slow.host.registry.reactors.isEmpty && reactor.now.revision == 0)
    }

    @Test("ends its waits when the host stops: the old engine stops, no other starts")
    func stopped() throws {
        let slow = try SlowHost()
        slow.dispatch("1")
        slow.commit("next")
        slow.dispatch("2")
        let isIdle = Locked(false)
        slow.host.stop { isIdle.withLock { $0 = true } }
        #expect(slow.answered == ["2: stopping"])
        slow.simulation.run(until: .seconds(1))
        #expect(slow.answered == ["2: stopping", "1: stopping", "done"])
        #expect(isIdle.withLock { $0 } && slow.engines.withLock { $0.count } == 1)
    }

    @Test("shows nothing and changes nothing before its commit, and stops what it has started when it is abandoned")
    func abandoned() throws {
        let slow = try SlowHost()
        let echo = Builtin.echo.definition(name: "echo")
        let prepared = slow.host.prepare(
            [echo], reactors: [SlowHost.definition("new", name: "new", slow.engines)], on: slow.queue)
        #expect(prepared.change == RegistryChange(added: ["echo", "new"], removed: ["list"]))
        #expect(prepared.action("echo")?.name == "echo")
        let cursor = slow.host.log.cursor
        #expect(slow.host.registry.actions.isEmpty && slow.host.registry.reactors.map(\.name) == ["list"])
        prepared.abandon()
        slow.simulation.run(until: .seconds(1))
        #expect(slow.engine(1).isStopped && !slow.engine(0).isStopped)
        #expect(slow.host.registry.reactors.map(\.name) == ["list"] && slow.host.log.cursor == cursor)
    }

    @Test("does not come into force once the host is stopping")
    func tooLate() throws {
        let slow = try SlowHost()
        let prepared = slow.prepare("next")
        slow.host.stop {}
        #expect(!prepared.commit())
        #expect(slow.reactor.definition.fingerprint == "slow")
    }

    @Test("lets reactors that come together see each other's states")
    func together() throws {
        let host = Host()
        let heard = Locked<[JSONValue]>([])
        func definition(_ name: String, listensTo other: String) -> ReactorDefinition {
            ReactorDefinition(name: name, kind: "test", fingerprint: name) { [unowned host] in
                _ = host.listen(toStatesOf: other) { state in heard.withLock { $0.append(state.tree) } }
                return SlowEngine(name)
            }
        }
        // The second one starts when the first has begun; nobody notifies it any more.
        let prepared = host.prepare(
            [], reactors: [definition("a", listensTo: "b"), definition("b", listensTo: "a")], on: nil)
        #expect(heard.withLock { $0 } == [[], []])
        #expect(prepared.commit())
    }
}
