import RxAction
import RxJSON
import Testing

@testable import RxRecords
@testable import RxStore

/// Chains of causes, in memory and in the database.
struct CausesTests {
    private static let user = Origin.peer(uid: 1000, gid: 1000, pid: 42)

    /// The chain of a user's dispatch after `count` rules, the last of them first.
    private static func chain(_ count: Int) -> Causes {
        (0..<count).reduce(Causes(user)) { causes, rule in
            Causes(.rule(reactor: "loop", rule: rule), after: EarlierCauses(causes))
        }
    }

    private static func rules(_ numbers: some Sequence<Int>) -> [Origin] {
        numbers.map { .rule(reactor: "loop", rule: $0) }
    }

    @Test("the nearest link is first and the origin last")
    func order() {
        #expect(Causes(Self.user).links == [Self.user] && Causes(Self.user).origin == Self.user)
        let chain = Self.chain(3)
        #expect(chain.by == .rule(reactor: "loop", rule: 2))
        #expect(chain.links == Self.rules([2, 1, 0]) + [Self.user])
        #expect(chain.origin == Self.user && chain.origin.uid == 1000 && chain.by.uid == nil)
        #expect(chain.omitted == 0)
    }

    @Test("of 40 links 32 are kept: the nearest 31 and the origin; the others are counted")
    func cut() {
        let full = Self.chain(31)
        #expect(full.links.count == 32 && full.omitted == 0)
        let cut = Self.chain(39)
        #expect(cut.links == Self.rules((8...38).reversed()) + [Self.user])
        #expect(cut.omitted == 8)
    }

    @Test("a loop of 100,000 rules costs as much as one of 32, and executions of one dispatch share their past")
    func bounded() {
        let loop = Self.chain(100_000)
        #expect(loop.links.count == 32 && loop.omitted == 99_969 && loop.origin == Self.user)
        #expect(loop.cost == Self.chain(31).cost)
        let earlier = EarlierCauses(loop)
        let two = [Causes(.host, after: earlier), Causes(.stream("t"), after: earlier)]
        #expect(two.map(\.cost) == [31 * 64, 31 * 64] && two[0].links.dropFirst() == two[1].links.dropFirst())
    }

    @Test("a chain is stored as its nearest link, with the others in it", arguments: [0, 1, 31, 39])
    func stored(count: Int) throws {
        let causes = Self.chain(count)
        let value = causes.stored.value()
        #expect(Causes(stored: value) == causes)
        #expect(Origin(stored: value) == causes.by)
        #expect(value["uid"]?.int == (count == 0 ? 1000 : nil), "nobody's own but by the nearest link")
    }

    @Test("what earlier versions stored is a chain of one link; a later version's link is kept as it is")
    func versions() throws {
        func decoded(_ text: String) throws -> Causes? { Causes(stored: try RawJSON(validating: text).value()) }
        #expect(try decoded(#"{"uid":1000,"gid":1000,"pid":42}"#) == Causes(Self.user))
        #expect(try decoded(#"{"trigger":"nightly"}"#) == Causes(.stream("nightly")))
        #expect(try decoded(#"{"host":true}"#) == Causes(.host))
        #expect(
            try decoded(#"{"stream":"s","scheduled":"T"}"#) == Causes(.stream("s", scheduled: "T")))
        let later = try #require(try decoded(#"{"moon":"full","causes":[{"uid":1,"gid":1,"pid":1}]}"#))
        #expect(later.by == .other(["moon": "full"]) && later.origin.uid == 1)
        #expect(Causes(stored: later.stored.value()) == later)
        for damaged in [#"{}"#, #"7"#, #"{"uid":-1}"#, #"{"reactor":"r","rule":0,"causes":[7]}"#] {
            #expect(try decoded(damaged) == nil, "\(damaged)")
        }
    }

    @Test("a chain survives in the queue and in the history; own are only the executions that a user requested")
    func survives() async throws {
        let file = StoreFile()
        let store = try file.open()
        let (waiting, done, own) = (Self.made(.queued, 39), Self.made(.completed, 39), Self.made(.completed, 0))
        for record in [waiting, done, own] {
            #expect(
                await outcome {
                    store.accepted(record, durableInput: RawJSON(1), timeout: nil, key: nil, completion: $0)
                } == nil)
        }
        for record in [done, own] {
            #expect(await outcome { store.ended(record, isKept: true, completion: $0) } == nil)
        }
        store.close()
        let later = try file.open()
        let recovery = later.takeRecovery()
        #expect(recovery.queued.map(\.causes) == [Self.chain(39)])
        #expect(try await later.found(done.id)?.causes == Self.chain(39))
        let scope = ExecutionScope(actions: [], uid: 1000)
        #expect(try await later.page(in: scope, limit: 10).records.map(\.id) == [own.id])
        #expect([done, own].map(scope.contains) == [false, true])
        later.close()
    }

    private static func made(_ state: ExecutionState, _ count: Int) -> ExecutionRecord {
        ExecutionRecord(
            id: .init(), action: "deploy", causes: chain(count), state: state, queuedAt: 10,
            startedAt: state.isFinal ? 20 : nil, endedAt: state.isFinal ? 30 : nil, elements: 0)
    }
}
