import HostTestSupport
import Rx
import RxHost
import RxJSON
import RxRecords
import Testing

@testable import RxJq

/// A whole engine on the test's own thread: no thread, no process, and no real time.
@Suite("A simulated engine")
struct SimulatedEngineTests {
    private struct Simulation {
        let platform: SimulatedPlatform
        let engine: JqReactorEngine<SimulatedPlatform>
        let outlet = Outlet()
        let results = Locked<[ReactorFault?]>([])

        init(hangs: @escaping (JSONValue) -> Bool = { _ in false }) throws {
            platform = SimulatedPlatform(hangs: hangs)
            engine = JqReactorEngine(
                JqReactorPlan([], mutation: ".action", reduce: ".state + [.mutation]"), host: FakeHost(),
                platform: platform)
            _ = try engine.start(from: nil, outlet: outlet)
            outlet.begin([])
        }

        func dispatch(_ action: JSONValue) {
            engine.dispatch(ReactorInput(RawJSON(action), by: .host)) { fault in
                results.withLock { $0.append(fault) }
            }
        }

        var answers: [ReactorFault?] { results.withLock { $0 } }
    }

    @Test("a dispatch is reduced when the test takes turns, and not before")
    func dispatching() throws {
        let simulation = try Simulation()
        simulation.dispatch(1)
        simulation.dispatch(2)
        #expect(simulation.answers.isEmpty)
        simulation.platform.settle()
        #expect(simulation.answers == [nil, nil])
        #expect(simulation.outlet.now.states == [[1], [1, 2]])
        #expect(simulation.outlet.now.wrongPatches == 0)
        #expect(simulation.platform.workers.count == 1)
    }

    @Test("a worker that exceeds the wall-clock limit is killed at that moment, and a new one gets the rest")
    func wallTime() throws {
        let simulation = try Simulation(hangs: { $0 == 0 })
        let platform = simulation.platform
        for action in [1, 0, 2] as [JSONValue] { simulation.dispatch(action) }
        platform.settle()
        #expect(simulation.answers == [nil])
        platform.advance(by: .seconds(10) - .nanoseconds(1))
        #expect(simulation.answers == [nil])
        #expect(platform.workers.map(\.isEnded) == [false])
        platform.advance(by: .nanoseconds(1))
        let fault = ReactorFault(.limit, "took longer than 10s", input: RawJSON(0))
        #expect(simulation.answers == [nil, fault, nil])
        #expect(simulation.outlet.now.faults == [fault])
        #expect(simulation.outlet.now.state == [1, 2])
        #expect(simulation.outlet.now.wrongPatches == 0)
        #expect(platform.workers.map(\.isEnded) == [true, false])
    }

    @Test("each request has the whole wall-clock limit, and an idle engine has none")
    func restartedClock() throws {
        let simulation = try Simulation(hangs: { $0 == 0 })
        let platform = simulation.platform
        simulation.dispatch(1)
        platform.settle()
        platform.advance(by: .seconds(3600))
        simulation.dispatch(0)
        platform.settle()
        platform.advance(by: .seconds(9))
        #expect(platform.workers.map(\.isEnded) == [false])
        platform.advance(by: .seconds(1))
        #expect(platform.workers.first?.isEnded == true)
        #expect(simulation.answers.count == 2)
    }

    @Test("a replayed mutation is reduced before the call returns, on the same thread")
    func replaying() throws {
        let simulation = try Simulation()
        try simulation.engine.replay(RawJSON(7))
        #expect(simulation.outlet.now.states == [[7]])
    }

    @Test("a stop ends a dispatch that hangs, and the worker")
    func stopping() throws {
        let simulation = try Simulation(hangs: { $0 == 0 })
        simulation.dispatch(0)
        simulation.platform.settle()
        let isStopped = Locked(false)
        simulation.engine.stop { isStopped.withLock { $0 = true } }
        simulation.platform.settle()
        #expect(isStopped.withLock { $0 })
        #expect(simulation.answers == [ReactorFault(.stopped, "the reactor is stopping")])
        #expect(simulation.platform.workers.map(\.isEnded) == [true])
    }

    @Test("a probe is answered in the next turn, whatever the worker does, and at once after the end")
    func probes() throws {
        let simulation = try Simulation(hangs: { _ in true })
        let answers = Locked(0)
        simulation.dispatch(1)
        simulation.platform.settle()
        simulation.engine.probe { answers.withLock { $0 += 1 } }
        #expect(answers.withLock { $0 } == 0, "nobody has taken a turn: its thread is frozen")
        simulation.platform.settle()
        #expect(answers.withLock { $0 } == 1)
        simulation.engine.probe { answers.withLock { $0 += 1 } }
        simulation.engine.stop {}
        simulation.platform.settle()
        #expect(answers.withLock { $0 } == 2)
        simulation.engine.probe { answers.withLock { $0 += 1 } }
        #expect(answers.withLock { $0 } == 3)
    }

    @Test("what is dispatched between the call that stops it and its last turn is answered too")
    func dispatchedLate() throws {
        let simulation = try Simulation()
        simulation.engine.stop {}
        simulation.dispatch(1)
        #expect(simulation.answers.isEmpty)
        simulation.platform.settle()
        #expect(simulation.answers.map { $0?.isWithoutEffect } == [true])
    }
}
