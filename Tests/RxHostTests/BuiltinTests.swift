import Rx
import RxAction
import RxJSON
import RxPlatform
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

@Suite("The built-ins", .countedApart)
struct BuiltinTests {
    /// Executes a built-in that completes and waits for its end, which comes after the execution is out of flight.
    private func execute(_ builtin: Builtin, _ input: String) async throws -> [String] {
        let host = Host([builtin.definition(name: "x")])
        let heard = Heard<String>()
        let execution = try host.execute(#require(host.registry["x"]), .own(input) { heard.add($0.text) }).get()
        #expect(await eventually { heard.values.last == "completed" })
        #expect(!execution.isInFlight)
        return heard.values
    }

    @Test("echo answers its input as it was written")
    func echo() async throws {
        #expect(try await execute(.echo, #"{"b":1.0, "a":[]}"#) == [#"{"b":1.0, "a":[]}"#, "completed"])
    }

    @Test("fail fails, with its input's message and its input")
    func fail() throws {
        let host = Host([Builtin.fail.definition(name: "x")])
        for (input, message) in [(#"{"message":"no"}"#, "no"), ("[1]", "failed as requested")] {
            let execution = try host.execute(#require(host.registry["x"]), .own(input)).get()
            guard case .failed(let failure)? = host.log.record(of: execution).error else {
                Issue.record("it did not fail")
                return
            }
            #expect(failure.message == message)
            #expect(failure.facts["input"].map { RawJSON($0).text } == input)
        }
    }

    @Test("ticks counts from 0, an interval apart, and completes")
    func ticks() async throws {
        let clock = ContinuousClock()
        let start = clock.now
        #expect(try await execute(.ticks, #"{"count":3,"interval":"5ms"}"#) == ["0", "1", "2", "completed"])
        #expect(clock.now - start >= .milliseconds(15))
        #expect(try await execute(.ticks, #"{"count":0}"#) == ["completed"])
    }

    @Test("ticks without a count go on until they are canceled")
    func endlessTicks() async throws {
        let host = Host([Builtin.ticks.definition(name: "x")])
        let heard = Heard<String>()
        let execution = try host.execute(
            #require(host.registry["x"]), .own(#"{"interval":"1ms"}"#) { heard.add($0.text) }
        ).get()
        #expect(await eventually { heard.values.count > 5 })
        execution.cancel(by: .host)
        #expect(await eventually { heard.values.last == "cancelled" })
        #expect(!execution.isInFlight)
        let values = heard.values
        #expect(values.dropLast() == (0..<(values.count - 1)).map(String.init)[...])
        #expect(host.log.record(of: execution).elements == values.count - 1)
    }

    @Test("ticks of all executions share one queue, so that a thousand of them are not a thousand threads")
    func sharedQueue() async throws {
        let made = Locked<[String]>([])
        let queues = Queues(shared: Queues.system.shared) { label in
            made.withLock { $0.append(label) }
            return Queues.system.serial(label)
        }
        var definition = Builtin.ticks.definition(name: "x")
        definition.overlap = .concurrent(limit: 5)
        let host = Host([definition], platform: Platform(queues: queues))
        let heard = Heard<String>()
        for _ in 0..<5 {
            _ = try host.execute(
                #require(host.registry["x"]), .own(#"{"count":3,"interval":"1ms"}"#) { heard.add($0.text) }
            ).get()
        }
        #expect(await eventually { heard.values.filter { $0 == "completed" }.count == 5 })
        #expect(heard.values.count == 5 * 4)
        #expect(made.withLock { $0.filter { $0 == "rxd.ticks" } }.count == 1)
    }

    @Test("ticks take intervals and limits longer than anyone lives")
    func longInterval() throws {
        let host = Host([Builtin.ticks.definition(name: "x")])
        for interval in ["36500d", "3155760000000ms"] {
            let execution = try host.execute(
                #require(host.registry["x"]), .own(#"{"interval":"\#(interval)"}"#, timeout: .seconds(1 << 60))
            ).get()
            #expect(execution.isInFlight)
            execution.cancel(by: .host)
            #expect(host.log.record(of: execution).state == .cancelled)
        }
    }

    @Test(
        "ticks refuse an input that they cannot count by, with its place",
        arguments: [
            ("1", ""), ("[]", ""), (#"{"count":-1}"#, "/count"), (#"{"count":1.5}"#, "/count"),
            (#"{"count":"3"}"#, "/count"), (#"{"interval":"0ms"}"#, "/interval"), (#"{"interval":5}"#, "/interval"),
            (#"{"interval":"soon"}"#, "/interval"),
        ])
    func tickFaults(input: String, path: String) throws {
        let validate = Builtin.ticks.definition(name: "x").validate
        #expect(validate(try RawJSON(validating: input)).map(\.path) == [path])
    }

    @Test("ticks accept", arguments: ["null", "{}", #"{"count":0}"#, #"{"count":2,"interval":"1s500ms"}"#])
    func tickInputs(input: String) throws {
        #expect(Builtin.ticks.definition(name: "x").validate(try RawJSON(validating: input)).isEmpty)
    }

    @Test("have a fingerprint of all their parameters")
    func fingerprints() {
        let same = Builtin.echo.definition(name: "x", timeout: .seconds(1))
        #expect(same.fingerprint == Builtin.echo.definition(name: "x", timeout: .milliseconds(1000)).fingerprint)
        let others = [
            Builtin.echo.definition(name: "x"), Builtin.fail.definition(name: "x", timeout: .seconds(1)),
            Builtin.echo.definition(name: "x", summary: "s", timeout: .seconds(1)),
            Builtin.echo.definition(name: "x", scheduler: .serial, timeout: .seconds(1)),
        ]
        for other in others { #expect(other.fingerprint != same.fingerprint) }
    }
}
