import Rx
import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords

@Suite("The elements that requests wait for", .countedApart)
struct ElementCollectionTests {
    /// Counts what it is charged with.
    private final class Charge: ElementCharge {
        let limit: Int
        private let state = Locked((calls: 0, bytes: 0))

        init(limit: Int = .max) { self.limit = limit }

        var calls: Int { state.withLock { $0.calls } }
        var bytes: Int { state.withLock { $0.bytes } }

        func add(_ bytes: Int) -> Bool {
            state.withLock { state in
                state.calls += 1
                guard state.bytes + bytes <= limit else { return false }
                state.bytes += bytes
                return true
            }
        }

        func remove(_ bytes: Int) { state.withLock { $0.bytes -= bytes } }
    }

    /// What a request got at the end.
    private final class Answer: Sendable {
        let elements = Heard<String>()
        let isTruncated = Locked(Bool?.none)

        func take(_ collected: CollectedElements) {
            collected.forEach { elements.add($0.text) }
            isTruncated.withLock { $0 = collected.isTruncated }
        }
    }

    private let puppet = Puppet()

    private func host() throws -> (Host, HostedAction) {
        var definition = puppet.definition()
        definition.overlap = .join
        let host = Host([definition])
        return (host, try #require(host.registry["puppet"]))
    }

    private func join(
        _ action: HostedAction, _ host: Host, _ charge: Charge, elements: Int = 1000, bytes: Int = 1 << 20,
        _ ended: @escaping @Sendable (ExecutionError?, CollectedElements) -> Void
    ) throws -> AcceptedExecution {
        let collecting = ElementCollecting(
            ElementCollecting.Limits(elements: elements, bytes: bytes), charge: charge, ended: ended)
        let submission = host.accept(action, ExecutionRequest(input: .null, by: .host)) {
            ExecutionObserver(.elements(collecting))
        }
        guard case .accepted(let accepted) = submission else { throw CancellationError() }
        return accepted
    }

    @Test("cost the same however many wait, and nothing once all have what they get")
    func shared() throws {
        let (host, action) = try host()
        let charge = Charge()
        let answers = Heard<Int>()
        for _ in 0..<2000 {
            _ = try join(action, host, charge) { _, collected in
                answers.add(collected.isTruncated ? collected.count : -1)
            }
        }
        for number in 0..<5000 { puppet.send("\(number)") }
        #expect(charge.calls == 1000)
        puppet.complete()
        #expect(answers.values == Array(repeating: 1000, count: 2000))
        #expect(charge.calls == 1000 && charge.bytes == 0)
    }

    @Test("begin with the past that is kept, whenever a request joins")
    func moments() throws {
        let (host, action) = try host()
        let charge = Charge()
        let joins = [0, 0, 1, 5, 6, 400, 401, 1200, Recording.eventsKept, Recording.eventsKept + 50]
        let most = 300
        var answers: [Answer] = []
        let total = Recording.eventsKept + 100
        for number in 0...total {
            while answers.count < joins.count, joins[answers.count] == number {
                let answer = Answer()
                answers.append(answer)
                _ = try join(action, host, charge, elements: most) { answer.take($1) }
            }
            if number < total { puppet.send("\(number)") }
        }
        puppet.complete()
        try #require(answers.count == joins.count)
        for (answer, moment) in zip(answers, joins) {
            let first = max(0, moment - Recording.eventsKept)
            #expect(answer.elements.values == (first..<first + most).map { "\($0)" }, "joined at \(moment)")
            #expect(answer.isTruncated.withLock { $0 } == true)
        }
        #expect(charge.bytes == 0)
    }

    @Test("are all there without a limit in the way")
    func whole() throws {
        let (host, action) = try host()
        let charge = Charge()
        let answers = [Answer(), Answer(), Answer()]
        for (index, answer) in answers.enumerated() {
            _ = try join(action, host, charge) { answer.take($1) }
            for number in 0..<300 { puppet.send("\(index * 300 + number)") }
        }
        puppet.complete()
        for answer in answers {
            #expect(answer.elements.values == (0..<900).map { "\($0)" })
            #expect(answer.isTruncated.withLock { $0 } == false)
        }
    }

    @Test("are bounded by bytes, each for itself")
    func bytes() throws {
        let (host, action) = try host()
        let charge = Charge()
        let (early, late) = (Answer(), Answer())
        _ = try join(action, host, charge, bytes: 10) { early.take($1) }
        for text in ["1234", "5678"] { puppet.send(text) }
        _ = try join(action, host, charge, bytes: 12) { late.take($1) }
        for text in ["999", "1", "2"] { puppet.send(text) }
        puppet.complete()
        #expect(early.elements.values == ["1234", "5678"])
        #expect(late.elements.values == ["1234", "5678", "999", "1"])
    }

    @Test("end with the room of the user, who pays for an element once, and for its place")
    func room() throws {
        let (host, action) = try host()
        let charge = Charge(limit: 10 * (1 + CollectedChunk.costOfElement))
        let other = Charge()
        let answers = (0..<20).map { _ in Answer() }
        for answer in answers { _ = try join(action, host, charge) { answer.take($1) } }
        let whole = Answer()
        _ = try join(action, host, other) { whole.take($1) }
        for _ in 0..<50 { puppet.send("7") }
        #expect(charge.bytes == charge.limit && charge.calls == 11)
        puppet.complete()
        for answer in answers {
            #expect(answer.elements.values.count == 10 && answer.isTruncated.withLock { $0 } == true)
        }
        #expect(whole.elements.values.count == 50 && whole.isTruncated.withLock { $0 } == false)
        #expect(charge.bytes == 0 && other.bytes == 0)
    }

    @Test("that only requests of the past have got are kept no longer than these")
    func left() throws {
        let (host, action) = try host()
        let charge = Charge()
        var first: AcceptedExecution? = try join(action, host, charge, elements: 100) { _, _ in }
        let execution = try #require(first?.execution)
        for _ in 0..<100 {
            let accepted = try join(action, host, charge, elements: 100) { _, _ in }
            for _ in 0..<60 { puppet.send("7") }
            accepted.stopObserving()
        }
        #expect(charge.bytes <= (100 + 2 * CollectedChunk.most) * (1 + CollectedChunk.costOfElement))
        first?.stopObserving()
        first = nil
        #expect(charge.bytes == 0 && execution.observers.isEmpty)
        puppet.complete()
    }

    @Test("do not concern observers of the end, which are called in the order in which they came")
    func ends() throws {
        let (host, action) = try host()
        let execution = try host.execute(action, .own()).get()
        let heard = Heard<Int>()
        var observations: [any Disposable] = []
        for number in 0..<1000 { observations.append(execution.observeEnd { _ in heard.add(number) }) }
        #expect(execution.observers.ofEvents.isEmpty && execution.observers.count == 1000)
        for (number, observation) in observations.enumerated() where number % 3 != 0 { observation.dispose() }
        #expect(execution.observers.count == 334)
        puppet.send("1")
        #expect(heard.values.isEmpty)
        puppet.complete()
        #expect(heard.values == Array(stride(from: 0, to: 1000, by: 3)))
        execution.observeEnd { _ in heard.add(-1) }
        #expect(heard.values.last == -1)
    }

    @Test("of an execution that has ended are there for its key")
    func keyed() throws {
        let (host, action) = try host()
        let request = ExecutionRequest(input: .null, by: .host, key: "k")
        _ = try host.execute(action, request).get()
        for number in 0..<10 { puppet.send("\(number)") }
        puppet.complete()
        let (charge, answer) = (Charge(), Answer())
        let limits = ElementCollecting.Limits(elements: 4, bytes: 100)
        let collecting = ElementCollecting(limits, charge: charge) { answer.take($1) }
        guard case .accepted(let joined) = host.accept(action, request, { ExecutionObserver(.elements(collecting)) })
        else { return #expect(Bool(false)) }
        #expect(joined.disposition == .joined)
        #expect(answer.elements.values == ["0", "1", "2", "3"] && answer.isTruncated.withLock { $0 } == true)
        #expect(joined.attachment == nil)
    }
}
