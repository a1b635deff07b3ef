import Rx
import RxAction
import RxJSON
import RxPlatform
import RxReactor
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

/// A host without the outside world: its clocks, its entropy, and its queues are those of a `Simulation`.
@Suite("A host in a simulation")
struct SimulatedHostTests {
    private static let hours = #"{"count":3,"interval":"1h"}"#

    private static var definitions: [ActionDefinition] {
        var waiting = Builtin.ticks.definition(name: "waiting", scheduler: .serial)
        waiting.overlap = .queue(limit: 2)
        var durable = waiting
        durable.name = "durable"
        durable.isDurable = true
        let retried = ActionDefinition(
            name: "retried", kind: "test", retry: RetryPolicy(attempts: 3), fingerprint: "retried"
        ) { invocation in
            invocation.attempt < 3 ? .error(WorkFailure(message: "not yet")) : .just(invocation.input)
        }
        let endless = ActionDefinition(name: "endless", kind: "test", timeout: .seconds(86_400), fingerprint: "endless")
        {
            _ in .never()
        }
        return [
            Builtin.echo.definition(name: "brief"), Builtin.ticks.definition(name: "ticks"), waiting, durable, retried,
            endless,
        ]
    }

    private struct History: Equatable {
        let epoch: String
        /// All that a client sees of each event.
        let events: [String]
        /// The sources and kinds of the events alone.
        let order: [String]
        let notes: [String]
    }

    /// Executes some of everything, and stops the host.
    private func history(seed: UInt64, storedAt path: String? = nil) throws -> History {
        let simulation = Simulation(seed: seed)
        let platform = simulation.platform
        let store = try path.map { try ExecutionStore(path: $0, platform: platform) { Issue.record("\($0)") } }
        let notes = Heard<String>()
        let host = Host(
            Self.definitions, reactors: [Counter.definition], store: store,
            onRetry: { notes.add("\($0.record.id) attempt \($0.attempt)") }, platform: platform)
        try host.startReactors()
        let actions = host.registry.actions
        host.log.watch(actions)
        let counter = try #require(host.registry.reactor("counter"))
        for action in actions {
            let input = action.name == "brief" ? "1" : Self.hours
            for _ in 0..<2 { _ = host.execute(action, .own(input)) }
        }
        let brief = try #require(host.registry["brief"])
        for number in 0..<3 {
            simulation.run(until: .seconds(600 * (number + 1)))
            let input = RawJSON(unchecked: Array("\(number)".utf8))
            #expect(host.executeBriefly(brief, input, by: .host) != nil)
            counter.dispatch(input, by: .host) { notes.add("dispatched \($0)") }
        }
        simulation.run(until: .seconds(2 * 86_400))
        #expect(host.log.inFlight.isEmpty)
        _ = host.execute(try #require(host.registry["endless"]), .own())
        _ = host.execute(try #require(host.registry["ticks"]), .own(Self.hours))
        host.stop { notes.add("stopped") }
        simulation.run()
        store?.close()
        #expect(notes.values.last == "stopped")
        let events = host.log.drain().events
        return History(
            epoch: host.epoch,
            events: events.map {
                "\($0.cursor) \($0.time) \($0.source.name) \($0.execution?.description ?? "-") \($0.text)"
            },
            order: events.map { "\($0.source.name) \($0.text)" }, notes: notes.values)
    }

    @Test("does the same at the same times under the same ids for the same seed, and something else for another")
    func reproducible() throws {
        let first = try history(seed: 1)
        #expect(try history(seed: 1) == first)
        let other = try history(seed: 2)
        #expect(
            other.epoch != first.epoch && Set(other.events).isDisjoint(with: first.events.filter { $0.contains("-7") }))
        // The last of the three ticks that waited for three others.
        #expect(first.events.contains { $0.contains(" \(Simulation.start + 6 * 3_600_000) waiting ") })
        #expect(
            first.events.contains {
                $0.contains(" \(Simulation.start + 86_400_000) endless ") && $0.hasSuffix("execution timedOut")
            })
        #expect(first.notes.count { $0.hasSuffix("attempt 2") } == 1)
    }

    @Test("the seed decides which of several queues comes first")
    func order() throws {
        #expect(try Set((1...5).map { try history(seed: $0).order }).count > 1)
    }

    @Test("with a store, too", .ownThreads)
    func stored() throws {
        let directories = [TemporaryDirectory(), TemporaryDirectory()]
        let histories = try directories.map { try history(seed: 3, storedAt: $0.path + "/rxd.db") }
        #expect(histories[0] == histories[1])
        #expect(histories[0].events.contains { $0.contains(" durable ") && $0.hasSuffix("completed") })
        withExtendedLifetime(directories) {}
    }
}

/// A reactor whose state is the sum of its actions.
private final class Counter: Reactor {
    typealias Action = Int

    let initialState = 0
    let store = ReactorStore<Int, Int, Int>()

    func reduce(state: Int, mutation: Int) -> Int { state + mutation }

    static var definition: ReactorDefinition {
        ReactorDefinition(
            name: "counter", kind: "test", fingerprint: "counter",
            coding: ReactorCoding<Counter>(
                action: { json throws(InputFault) in
                    guard let number = json.value().int else { throw InputFault(path: "", message: "must be a number") }
                    return number
                },
                mutation: { RawJSON(JSONValue($0)) }, state: { JSONState(JSONValue($0)) }, restored: { $0.int }),
            make: { Counter() })
    }
}
