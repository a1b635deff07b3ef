import RxJSON
import Synchronization
import TestSupport
import Testing

@testable import RxHost
@testable import RxRecords
@testable import RxStore

/// Adds numbers. An action is a list of them, each a mutation; or `{"later":[…]}`, whose mutations come of something
/// that it executed. The other values make another reactor of it.
private final class Sums: ReactorEngine {
    struct Variant: Sendable {
        var initial = 0
        /// Multiplies each reduced number.
        var factor = 1
        /// Is added to each number that a mutation is made of.
        var more = 0
        /// Greater ones cannot be reduced.
        var most = Int.max
    }

    private let variant: Variant
    private let sum = Mutex(0)
    private let outlet = Mutex<(any ReactorOutlet)?>(nil)
    /// Actions that were dispatched, to all engines of a test.
    let dispatched: Counter

    init(_ variant: Variant, _ dispatched: Counter) {
        self.variant = variant
        self.dispatched = dispatched
    }

    func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
        let value: Int
        if let kept {
            guard let known = kept["sum"]?.int, known <= variant.most else { throw ReactorFault(.restore, "no sum") }
            value = known
        } else {
            value = variant.initial
        }
        sum.withLock { $0 = value }
        self.outlet.withLock { $0 = outlet }
        return JSONState(["sum": JSONValue(value)])
    }

    func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) {
        dispatched.count.withLock { $0 += 1 }
        let action = input.action.value()
        let isLater = action["later"] != nil
        for number in (action["later"] ?? action).array ?? [] {
            let mutation = (number.int ?? 0) + variant.more
            do throws(ReactorFault) {
                try reduce(mutation, of: input, isRepeatable: !isLater)
            } catch {
                return completion(error)
            }
        }
        completion(nil)
    }

    /// A mutation of a merged stream.
    func merge(_ mutation: Int) { try? reduce(mutation, of: nil, isRepeatable: false) }

    func replay(_ mutation: RawJSON) throws(ReactorFault) {
        try reduce(mutation.value().int ?? 0, of: nil, isRepeatable: false)
    }

    func stop(completion: @escaping @Sendable () -> Void) { completion() }

    private func reduce(_ mutation: Int, of input: ReactorInput?, isRepeatable: Bool) throws(ReactorFault) {
        guard mutation <= variant.most else {
            throw ReactorFault(.reduce, "too many", input: RawJSON(JSONValue(mutation)))
        }
        let value = sum.withLock { sum in
            sum += variant.factor * mutation
            return sum
        }
        outlet.withLock { $0 }?.reduced(
            ReactorStep(
                input: input, mutation: { RawJSON(JSONValue(mutation)) }, state: JSONState(["sum": JSONValue(value)]),
                isRepeatable: isRepeatable))
    }

    final class Counter: Sendable {
        let count = Mutex(0)
    }

    /// The newest engine of a host.
    final class Holder: Sendable {
        let sums = Mutex<Sums?>(nil)
    }
}

/// A history that a host wrote, and its rehearsals with other reactors.
private final class Story {
    private let file = ReactorFile()
    private let host: Host
    private let store: StateStore
    private let engine = Sums.Holder()
    private let schema: JSONSchema?
    let dispatched = Sums.Counter()

    init(_ variant: Sums.Variant = Sums.Variant(), schema: JSONSchema? = nil) throws {
        self.schema = schema
        store = try file.open()
        var definition = ReactorDefinition(
            name: "sums", kind: "test", fingerprint: "one",
            makeEngine: { [engine] in
                let new = Sums(variant, Sums.Counter())
                engine.sums.withLock { $0 = new }
                return new
            })
        definition.persistence = .made(.off)
        definition.schema = schema
        host = Host(reactors: [definition], stateStore: store)
        try host.startReactors()
    }

    func dispatch(_ action: JSONValue) async {
        let reactor = host.registry.reactor("sums")
        _ = await withCheckedContinuation { continuation in
            reactor?.dispatch(RawJSON(action), by: .peer(uid: 1, gid: 2, pid: 3)) { continuation.resume(returning: $0) }
        }
    }

    func merge(_ mutation: Int) { engine.sums.withLock { $0 }?.merge(mutation) }

    /// As a definition that has changed begins.
    func become(_ variant: Sums.Variant) {
        var definition = host.registry.reactor("sums")!.definition
        definition.fingerprint = "\(variant)"
        definition.makeEngine = { [engine] in
            let new = Sums(variant, Sums.Counter())
            engine.sums.withLock { $0 = new }
            return new
        }
        _ = host.reload([], reactors: [definition])
    }

    func replayed(
        _ variant: Sums.Variant = Sums.Variant(), _ scope: Rehearsal.Scope = Rehearsal.Scope(),
        refusing: JSONValue? = nil
    ) async throws -> (summary: RehearsalSummary, findings: [Finding]) {
        await store.flush()
        var definition = ReactorDefinition(
            name: "sums", kind: "test", fingerprint: "two",
            input: { (action, causes) throws(DispatchRefusal) in
                if action.value() == refusing { throw .input([InputFault(path: "/0", message: "is not wanted")]) }
                return ReactorInput(action, causes: causes)
            }, makeEngine: { [dispatched] in Sums(variant, dispatched) })
        definition.schema = schema
        var findings: [Finding] = []
        let rehearsal = Rehearsal(of: "sums", under: definition, try StateArchive(path: file.path), scope) {
            findings.append($0)
        }
        let summary = try rehearsal.run()
        return (summary, findings)
    }
}

extension Finding {
    fileprivate var difference: Difference? {
        if case .difference(let difference) = self { difference } else { nil }
    }
}

extension Difference {
    fileprivate var fault: ReactorFault? {
        if case .fault(let fault) = trouble { fault } else { nil }
    }
}

private func sum(_ value: Int) -> JSONPatch { JSONPatch([.replace(JSONPointer(tokens: ["sum"]), JSONValue(value))]) }

@Suite(.ownThreads)
struct RehearsalTests {
    /// Revisions 1 and 2 by one action, 3 by a merged stream, 4 by another action, 5 by something executed.
    private func story() async throws -> Story {
        let story = try Story()
        await story.dispatch([1, 2])
        story.merge(3)
        await story.dispatch([4])
        await story.dispatch(["later": [5]])
        return story
    }

    @Test("actions with secrets are taken from the record, and neither dispatched nor checked")
    func secrets() async throws {
        let schema = try JSONSchema(RawJSON(["items": ["writeOnly": true]]))
        let story = try Story(schema: schema)
        await story.dispatch([1, 2])
        await story.dispatch([4])
        let (summary, findings) = try await story.replayed(refusing: ["[redacted]"])
        #expect(findings.compactMap(\.difference).isEmpty)
        #expect(summary.same == 3 && summary.fromRecord == 3 && summary.actions == 0)
        #expect(story.dispatched.count.withLock { $0 } == 0)
    }

    @Test("the same reactor has the same states; only actions without stored results are dispatched again")
    func same() async throws {
        let story = try await story()
        let (summary, findings) = try await story.replayed()
        #expect(findings.isEmpty)
        #expect((summary.from, summary.to) == (0, 5))
        #expect((summary.actions, summary.fromRecord) == (2, 2))
        #expect((summary.same, summary.different, summary.otherMutations) == (4, 0, 0))
        #expect(summary.firstDifference == nil)
        #expect(story.dispatched.count.withLock { $0 } == 2)
    }

    @Test("another reducer: states stay different, and are reported at the revisions where they begin to differ")
    func reducer() async throws {
        let (summary, findings) = try await story().replayed(Sums.Variant(factor: 2))
        #expect((summary.same, summary.different, summary.firstDifference) == (0, 4, 1))
        #expect(findings.compactMap(\.difference?.revision) == [1, 3, 4, 5])
        // Sums of 3, 6, 10, 15.
        #expect(findings.compactMap(\.difference?.patch) == [sum(6), sum(12), sum(20), sum(30)])
        #expect(findings.compactMap(\.difference?.action?.text) == ["[1,2]", "[4]", #"{"later":[5]}"#])
        #expect(findings.compactMap { $0.difference?.now?.map(\.text) } == [["1", "2"], ["4"]])
        #expect(findings.compactMap { $0.difference?.kept.map(\.text) } == [["1", "2"], ["3"], ["4"], ["5"]])
    }

    @Test("each step by itself, from the stored state, differs only by its own effect")
    func each() async throws {
        var scope = Rehearsal.Scope()
        scope.returnsToKept = true
        let (_, findings) = try await story().replayed(Sums.Variant(factor: 2), scope)
        #expect(findings.compactMap(\.difference?.patch) == [sum(6), sum(9), sum(14), sum(20)])
    }

    @Test("other rules: the old and the new mutations are reported, and the stored ones stay")
    func rules() async throws {
        let (summary, findings) = try await story().replayed(Sums.Variant(more: 10))
        let differences = findings.compactMap(\.difference)
        #expect(summary.firstDifference == 1)
        #expect(differences.map(\.patch) == [sum(23), sum(26), sum(40), sum(45)])
        #expect(differences.compactMap { $0.now?.map(\.text) } == [["11", "12"], ["14"]])
    }

    @Test("rules are not evaluated if only mutations are reduced")
    func mutations() async throws {
        let story = try await story()
        var scope = Rehearsal.Scope()
        scope.takesMutations = true
        let (summary, findings) = try await story.replayed(Sums.Variant(more: 10), scope, refusing: [4])
        #expect(findings.isEmpty)
        #expect((summary.actions, summary.fromRecord, summary.same) == (0, 5, 5))
        #expect(story.dispatched.count.withLock { $0 } == 0)
    }

    @Test("a failure is reported with its stage, the state stays, and the rest continues from there")
    func failing() async throws {
        let story = try Story()
        for action: JSONValue in [[1], [50], [2]] { await story.dispatch(action) }
        let (summary, findings) = try await story.replayed(Sums.Variant(most: 49))
        let differences = findings.compactMap(\.difference)
        #expect(differences.map(\.revision) == [2, 3])
        #expect(differences.first?.fault == ReactorFault(.reduce, "too many", input: RawJSON(50)))
        #expect(differences.map(\.patch) == [sum(1), sum(3)])
        #expect((summary.same, summary.different) == (1, 2))
    }

    @Test("a mutation of the record that cannot be reduced is a difference, too")
    func failingRecord() async throws {
        let story = try Story()
        story.merge(50)
        let (summary, findings) = try await story.replayed(Sums.Variant(most: 49))
        #expect(findings.first?.difference?.fault?.stage == .reduce)
        #expect(findings.first?.difference?.now == nil)
        #expect((summary.fromRecord, summary.different) == (1, 1))
    }

    @Test("a failure that repeats a stored failure is not a difference")
    func failedThen() async throws {
        let story = try Story(Sums.Variant(most: 49))
        await story.dispatch([1, 50, 2])
        await story.dispatch([3])
        let (summary, _) = try await story.replayed(Sums.Variant(most: 49))
        #expect((summary.actions, summary.same, summary.to) == (2, 2, 2))
        let (other, findings) = try await story.replayed()
        #expect(other.different == 2)
        #expect(findings.first?.difference?.patch == sum(53))
    }

    @Test("an action that is refused now leads to nothing")
    func refused() async throws {
        let (summary, findings) = try await story().replayed(refusing: [4])
        let differences = findings.compactMap(\.difference)
        #expect(differences.map(\.revision) == [4, 5])
        #expect(differences.first?.trouble == .refused(InputFault(path: "/0", message: "is not wanted")))
        #expect(differences.first?.now == [])
        #expect(differences.map(\.patch) == [sum(6), sum(11)])
        #expect(summary.same == 2)
    }

    @Test("states that are the same by other mutations are the same, and counted")
    func otherMutations() async throws {
        let (summary, findings) = try await story().replayed(Sums.Variant(factor: 0, more: 1))
        #expect(summary.different == 4)
        #expect(findings.count == 4)
        let story = try Story(Sums.Variant(factor: 0))
        await story.dispatch([1, 2])
        let (same, _) = try await story.replayed(Sums.Variant(factor: 0, more: 1))
        #expect((same.same, same.different, same.otherMutations) == (1, 0, 1))
    }

    @Test("another initial state is a difference of revision 0, where the history begins there")
    func initial() async throws {
        let (summary, findings) = try await story().replayed(Sums.Variant(initial: 7))
        #expect(findings.first?.difference?.revision == 0)
        #expect(findings.first?.difference?.patch == sum(7))
        #expect(summary.firstDifference == 0)
        var scope = Rehearsal.Scope()
        scope.from = 1
        let (later, _) = try await story().replayed(Sums.Variant(initial: 7), scope)
        #expect(later.different == 0)
    }

    @Test("after a break it continues from the stored state and reports that")
    func breaks() async throws {
        let story = try await story()
        story.become(Sums.Variant(factor: 10))
        await story.dispatch([1])
        // 15, then 25 in revision 7.
        let (summary, findings) = try await story.replayed(Sums.Variant(factor: 10))
        #expect(summary.breaks == 1)
        #expect((summary.different, summary.same, summary.to) == (4, 1, 7))
        guard case .restart(6, .definition) = findings.last else {
            Issue.record("\(findings)")
            return
        }
    }

    @Test("a state that the reactor does not take ends it, as a difference")
    func unrestorable() async throws {
        let story = try await story()
        story.become(Sums.Variant())
        await story.dispatch([1])
        let (summary, findings) = try await story.replayed(Sums.Variant(most: 14))
        #expect(findings.last?.difference?.fault?.stage == .restore)
        #expect((summary.to, summary.different, summary.firstDifference) == (6, 1, 6))
    }

    @Test("from and through bound it; an action is taken as a whole, or from the record")
    func bounds() async throws {
        let story = try await story()
        var scope = Rehearsal.Scope()
        scope.through = 1
        let whole = try await story.replayed(Sums.Variant(), scope).summary
        #expect((whole.from, whole.to, whole.actions, whole.same) == (0, 2, 1, 1))
        (scope.from, scope.through) = (1, 3)
        let rest = try await story.replayed(Sums.Variant(), scope).summary
        #expect((rest.from, rest.to, rest.actions, rest.fromRecord, rest.same) == (1, 3, 0, 2, 2))
        (scope.from, scope.through) = (5, nil)
        let nothing = try await story.replayed(Sums.Variant(), scope).summary
        #expect((nothing.from, nothing.to, nothing.actions, nothing.fromRecord) == (5, 5, 0, 0))
        for (from, through) in [(6, nil), (2, 1)] as [(UInt64, UInt64?)] {
            (scope.from, scope.through) = (from, through)
            await #expect(throws: Rehearsal.Failure.self) { try await story.replayed(Sums.Variant(), scope) }
        }
    }

    @Test("the first of many differences are reported, and all are counted")
    func many() async throws {
        let story = try Story()
        for number in 1...30 { await story.dispatch([JSONValue(number)]) }
        let (summary, findings) = try await story.replayed(Sums.Variant(factor: 2))
        #expect(summary.different == 30)
        #expect(findings.count == Rehearsal.Scope().mostReported)
        var scope = Rehearsal.Scope()
        scope.mostReported = .max
        #expect(try await story.replayed(Sums.Variant(factor: 2), scope).findings.count == 30)
    }
}
