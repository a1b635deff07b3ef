import Rx
import RxAction
import RxJSON
import RxPlatform
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords

/// What is measured by the monotonic clock: a change of the time of day has no effect, and a suspend does not count.
@Suite("When the clock is changed, or the machine is suspended,")
struct ClockChangeTests {
    /// Forward, this is a suspend too.
    static let changes: [Duration] = [.seconds(86_400), .seconds(-86_400)]

    @Test("a retry comes after its delay", arguments: changes)
    func retry(_ change: Duration) throws {
        let simulation = Simulation(seed: 1)
        let attempts = Heard<Duration>()
        let definition = ActionDefinition(
            name: "flaky", kind: "test",
            retry: RetryPolicy(attempts: 2, delay: .seconds(3600), backoff: 1, max: .seconds(3600)), fingerprint: ""
        ) { _ in
            attempts.add(simulation.now)
            return .error(WorkFailure(message: "no"))
        }
        let host = Host([definition], platform: simulation.platform)
        let execution = try host.execute(try #require(host.registry["flaky"]), .own()).get()
        simulation.run(until: .seconds(1800))
        simulation.clockChange = change
        simulation.run(until: .seconds(3599))
        #expect(attempts.values == [.zero] && execution.isInFlight)
        simulation.run()
        #expect(attempts.values == [.zero, .seconds(3600)] && !execution.isInFlight)
    }

    @Test("an execution has its whole timeout; the times in its record are those of the day", arguments: changes)
    func timeout(_ change: Duration) throws {
        let simulation = Simulation(seed: 1)
        let endless = ActionDefinition(name: "endless", kind: "test", timeout: .seconds(3600), fingerprint: "") { _ in
            .never()
        }
        let host = Host([endless], platform: simulation.platform)
        let execution = try host.execute(try #require(host.registry["endless"]), .own()).get()
        simulation.run(until: .seconds(1800))
        simulation.clockChange = change
        simulation.run(until: .seconds(3599))
        #expect(execution.isInFlight)
        simulation.run()
        let record = host.log.record(of: execution)
        #expect(simulation.now == .seconds(3600) && record.state == .timedOut)
        #expect(record.endedAt == Simulation.start + (3_600_000 + Int64(change / .milliseconds(1))))
    }

    @Test("a key lives as long as it was promised", arguments: changes)
    func key(_ change: Duration) throws {
        let simulation = Simulation(seed: 1)
        let host = Host([Builtin.echo.definition(name: "echo")], platform: simulation.platform)
        let action = try #require(host.registry["echo"])
        func execution() throws -> ExecutionID {
            try host.accept(action, ExecutionRequest(input: .null, by: .host, key: "k")).get().execution.id
        }
        let first = try execution()
        simulation.clockChange = change
        #expect(try execution() == first)
        simulation.run(until: .seconds(3600))
        #expect(try execution() == first)
        simulation.run(until: .seconds(3601))
        #expect(try execution() != first)
    }
}
