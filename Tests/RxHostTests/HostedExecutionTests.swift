import Glibc
import Rx
import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

@Suite("A hosted execution", .countedApart)
struct HostedExecutionTests {
    @Test("is canceled when its only requester withdraws, once")
    func withdraw() throws {
        let puppet = Puppet()
        let host = Host([puppet.definition()])
        let heard = Heard<String>()
        let execution = try host.execute(
            #require(host.registry["puppet"]), .own(requester: 7) { heard.add($0.text) }
        ).get()
        #expect(!execution.withdraw(8), "somebody else's token means nothing")
        #expect(execution.isInFlight)
        #expect(execution.withdraw(7))
        #expect(!execution.withdraw(7))
        #expect(heard.values == ["cancelled"] && !execution.isInFlight)
        guard case .cancelled(by: nil)? = host.log.record(of: execution).error else {
            Issue.record("\(String(describing: host.log.record(of: execution).error))")
            return
        }
    }

    @Test("that has ended is not canceled by a withdrawal")
    func withdrawLate() throws {
        let host = Host([Builtin.echo.definition(name: "echo")])
        let execution = try host.execute(#require(host.registry["echo"]), .own(requester: 7)).get()
        #expect(!execution.withdraw(7))
        #expect(host.log.record(of: execution).state == .completed)
    }

    @Test("passes the next events to a late observer, and the end to one that comes after it")
    func observe() throws {
        let puppet = Puppet()
        let host = Host([puppet.definition()])
        let execution = try host.execute(#require(host.registry["puppet"]), .own()).get()
        let (late, after) = (Heard<String>(), Heard<String>())
        puppet.send("1")
        execution.observe { late.add($0.text) }
        puppet.send("2")
        puppet.complete()
        execution.observe { after.add($0.text) }
        #expect(late.values == ["2", "completed"])
        #expect(after.values == ["completed"])
    }

    @Test("is canceled by name, and its record has the origin")
    func cancel() throws {
        let puppet = Puppet()
        let host = Host([puppet.definition()])
        let execution = try host.execute(#require(host.registry["puppet"]), .own()).get()
        execution.cancel(by: .stream("night"))
        execution.cancel(by: .host)
        let record = host.log.record(of: execution)
        #expect(record.state == .cancelled && record.error?.description == "by the stream night")
        #expect(!puppet.subject.hasObservers, "the work was disposed")
    }

    @Test(
        "times out after the shorter of its own limit and the requested one",
        arguments: [
            (Duration.milliseconds(20), Duration.seconds(100)), (.seconds(100), .milliseconds(20)),
        ])
    func timeout(own: Duration, asked: Duration) async throws {
        for scheduler in WorkScheduler.allCases {
            let puppet = Puppet()
            let host = Host([puppet.definition(scheduler: scheduler, timeout: own)])
            let heard = Heard<String>()
            let clock = ContinuousClock()
            let start = clock.now
            let execution = try host.execute(
                #require(host.registry["puppet"]), .own(timeout: asked) { heard.add($0.text) }
            ).get()
            #expect(await eventually { !heard.values.isEmpty })
            #expect(clock.now - start >= .milliseconds(20))
            #expect(heard.values == ["timedOut"])
            guard case .timedOut(limit: .milliseconds(20))? = host.log.record(of: execution).error else {
                Issue.record("\(String(describing: host.log.record(of: execution).error))")
                return
            }
        }
    }

    @Test("whose work takes time to stop stays in flight until it has, and then has timed out")
    func slowStop() async throws {
        let subject = PublishSubject<RawJSON>()
        let reasons = Heard<String>()
        let host = Host([
            ActionDefinition(
                name: "slow", kind: "test", scheduler: .inline, timeout: .milliseconds(10), fingerprint: ""
            ) { invocation in
                invocation.context.onCancel { reasons.add("\(type(of: $0))") }
                return subject.asObservable()
            }
        ])
        let execution = try host.execute(#require(host.registry["slow"]), .own()).get()
        #expect(await eventually { !reasons.values.isEmpty })
        #expect(execution.isInFlight && reasons.values == ["WorkTimedOut"])
        subject.onCompleted()
        #expect(host.log.record(of: execution).state == .timedOut)
    }

    #if RX_TSAN
        /// ThreadSanitizer keeps freed memory.
        static let measuresMemory = false
    #else
        static let measuresMemory = true
    #endif

    @Test("leaves nothing behind of a limit that was not reached", .enabled(if: measuresMemory))
    func unreachedLimit() async {
        // In a process of its own, since the tests beside it take memory too.
        await #expect(processExitsWith: .success) {
            let host = Host([Builtin.echo.definition(name: "echo")])
            let action = try #require(host.registry["echo"])
            func execute(_ count: Int) throws {
                for _ in 0..<count { _ = try host.execute(action, .own(timeout: .seconds(86_400))).get() }
            }
            // As many as are always kept, and the objects that Dispatch makes once.
            try execute(2000)
            let before = try residentBytes()
            try execute(100_000)
            // Dispatch takes a moment to free canceled timers.
            let isFreed = await eventually { ((try? residentBytes()) ?? .max) - before < 20_000_000 }
            try #require(isFreed)
        }
    }

    @Test("reads its input while its end drops it")
    func inputAtItsEnd() async throws {
        let host = Host([
            ActionDefinition(name: "brief", kind: "test", scheduler: .inline, fingerprint: "") { _ in .never() }
        ])
        let action = try #require(host.registry["brief"])
        let input = "\"" + String(repeating: "x", count: ExecutionRecord.inputBytesKept) + "\""
        for round in 0..<500 * Effort.times {
            // The limit is over at about the time when the work is made.
            let execution = try host.execute(action, .own(input, timeout: .nanoseconds(1 + round * 10))).get()
            #expect(await eventually { host.log.inFlight.isEmpty })
            #expect(host.log.record(of: execution).state == .timedOut)
        }
    }
}

private func residentBytes() throws -> Int {
    let file = try #require(fopen("/proc/self/statm", "r"))
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    try #require(fgets(&line, 128, file) != nil)
    let fields = String(decoding: line.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self).split(separator: " ")
    return try #require(Int(fields[1])) * Int(getpagesize())
}
