import Rx
import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords

/// Readers begin, and catch up, while others wait for the log: each event is looked at once, however many executions
/// the reader wants.
@Suite("The start of a reader", .countedApart)
struct StartSearchTests {
    private static let count = 60
    private static let kinds: EventKinds = [.elements, .errors, .executions]

    private let puppet = Puppet()

    /// A host with an action of which `count` executions have yielded 40 elements each.
    private func host() throws -> (Host, HostedAction, [HostedExecution]) {
        var definition = puppet.definition()
        definition.overlap = .concurrent(limit: 1000)
        let host = Host([definition, Builtin.echo.definition(name: "echo")])
        let action = try #require(host.registry["puppet"])
        let executions = try (0..<Self.count).map { _ in try host.execute(action, .own()).get() }
        for number in 0..<40 { puppet.send("\(number)") }
        return (host, action, executions)
    }

    private func visits(_ action: HostedAction, _ body: () throws -> Void) rethrows -> Int {
        let before = action.ring.visits
        try body()
        return action.ring.visits - before
    }

    @Test("among many executions looks at each event a few times, not once for each execution")
    func executions() throws {
        let (host, action, executions) = try host()
        let middle = host.log.cursor / 2
        for start in [EventStart.last, .cursor(middle), .executing, .start, .execution(executions[7].id)] {
            let visits = try visits(action) {
                _ = try host.log.open(.executions(executions), Self.kinds, from: start).get()
            }
            #expect(visits <= 2 * action.ring.entryCount, "\(start)")
        }
        puppet.complete()
    }

    @Test("is followed by a replay that looks at each event a few times, and has them all in order")
    func replay() throws {
        let (host, action, executions) = try host()
        let source = EventSource.executions(executions)
        var position = try #require(try host.log.open(source, Self.kinds, from: .executing).get().position)
        var events: [HostEvent] = []
        let visits = try visits(action) {
            while true {
                let portion = host.log.nextPortion(of: source, Self.kinds, after: &position)
                for item in portion.items {
                    guard case .event(let event) = item else { throw CancellationError() }
                    events.append(event)
                }
                if portion.isComplete { break }
            }
        }
        #expect(events.count == Self.count * 41 && visits < 2 * events.count)
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.cursor < $1.cursor })
        puppet.complete()
    }

    @Test("reports what is lost of each execution, without looking at all events for each")
    func losses() throws {
        var limits = CatchUpLimits()
        limits.events = 500
        var definition = puppet.definition()
        definition.overlap = .concurrent(limit: 1000)
        let host = Host([definition], catchUp: limits)
        let action = try #require(host.registry["puppet"])
        let executions = try (0..<Self.count).map { _ in try host.execute(action, .own()).get() }
        for number in 0..<40 { puppet.send("\(number)") }
        let source = EventSource.executions(executions)
        var position = try #require(try host.log.open(source, Self.kinds, from: .executing).get().position)
        var (events, lost, portions) = (0, 0, 0)
        let visits = visits(action) {
            while true {
                let portion = host.log.nextPortion(of: source, Self.kinds, after: &position)
                portions += 1
                for item in portion.items {
                    if case .event = item { events += 1 }
                    if case .lost(let count?, _, _) = item { lost += count }
                }
                if portion.isComplete { break }
            }
        }
        #expect(events == 500 && lost == Self.count * 41 - 500)
        #expect(visits <= 3 * portions * 500)
        puppet.complete()
    }

    @Test("at an execution that is known is found without a search, and every other one ahead, without the log's lock")
    func prepared() throws {
        let (host, action, executions) = try host()
        #expect(action.ring.entryCount > 2048)
        let echo = try #require(host.registry["echo"])
        let source = EventSource.named([action, echo])
        #expect(!host.log.mustPrepare(source, Self.kinds, from: .execution(executions[0].id)))
        let found = try visits(action) {
            _ = try host.log.open(source, Self.kinds, from: .execution(executions[0].id)).get()
        }
        #expect(found < 10)
        let unknown = EventStart.execution(ExecutionID())
        for start in [unknown, .time(.max), .time(0)] {
            #expect(host.log.mustPrepare(source, Self.kinds, from: start))
            let plain = host.log.open(source, Self.kinds, from: start)
            let prepared = try #require(host.log.prepare(source, Self.kinds, from: start))
            var opened: Result<EventOpening, EventStartRefusal>?
            #expect(visits(action) { opened = host.log.open(source, Self.kinds, from: start, prepared) } == 0)
            switch (plain, opened) {
            case (.failure(let one), .failure(let other)?): #expect(one == other && start == unknown)
            case (.success(let one), .success(let other)?):
                #expect(one.position?.cursor == other.position?.cursor && one.position?.seen == other.position?.seen)
            default: Issue.record("\(start)")
            }
        }
        #expect(!host.log.mustPrepare(source, Self.kinds, from: .now))
        #expect(!host.log.mustPrepare(.named([echo]), Self.kinds, from: unknown))
        puppet.complete()
    }

    @Test("that was prepared is the same as one that is found at once", arguments: [false, true])
    func equal(ofExecutions: Bool) throws {
        let (host, action, executions) = try host()
        let source = ofExecutions ? EventSource.executions(executions) : .named([action])
        let middle = host.log.cursor / 2
        for start in [EventStart.start, .cursor(middle), .cursor(3), .execution(executions[3].id), .last] {
            let plain = try host.log.open(source, Self.kinds, from: start).get()
            guard let prepared = host.log.prepare(source, Self.kinds, from: start) else {
                #expect(start == .last && !ofExecutions)
                continue
            }
            let opened = try host.log.open(source, Self.kinds, from: start, prepared).get()
            #expect(plain.cursor == opened.cursor, "\(start)")
            #expect(plain.position?.seen == opened.position?.seen, "\(start)")
            #expect(plain.position?.first.map(\.cursor) == opened.position?.first.map(\.cursor), "\(start)")
        }
        puppet.complete()
    }

    @Test("finds several executions together as it finds each of them")
    func together() throws {
        let (host, _, executions) = try host()
        let echo = try #require(host.registry["echo"])
        let brief = (0..<20).compactMap { _ in host.executeBriefly(echo, .null, by: .host) }
        puppet.complete()
        let ids = executions.map(\.id) + brief.map(\.id) + [ExecutionID()]
        let found = host.executions(ids)
        #expect(found.count == ids.count - 1)
        for id in ids { #expect(found[id]?.id == host.execution(id)?.id) }
    }
}
