import Glibc
import Rx
import RxTest
import Testing
import TestSupport

/// Random chains over random events, computed by the library in virtual time and by `Model` from the definitions.
///
/// A failure prints its seed, the chain and the tables, made as small as still fails. `RX_PROPERTY_SEED=17` runs that
/// seed alone, `RX_PROPERTY_COUNT=100000` as many from the first on.
@Suite("Random chains agree with a model", .leakFree)
struct ChainPropertyTests {
    private static let defaultCount: UInt64 = 5_000

    private struct Outcome {
        let chain: Chain
        let horizon: Int
        let expected: [Timed]
        let actual: [Timed]
        /// When which sources were subscribed; nil where that is not compared.
        var expectedSpans: [Int: [Span]]?
        var actualSpans: [Int: [Span]] = [:]

        var isRight: Bool { expected == actual && (expectedSpans == nil || expectedSpans == actualSpans) }
    }

    /// Nil when the definitions do not determine what comes first.
    private static func outcome(_ chain: Chain, _ horizon: Int) -> Outcome? {
        var model = Model(horizon: horizon)
        let events = model.events(chain, from: 200)
        for event in events { model.tie(event.time, horizon) }
        if model.isAmbiguous { return nil }
        let builder = ChainBuilder()
        var outcome = Outcome(
            chain: chain, horizon: horizon, expected: events, actual: builder.run(chain, until: horizon))
        let spans = model.spans(chain)
        if !model.isAmbiguous {
            outcome.expectedSpans = spans
            outcome.actualSpans = builder.spans
        }
        return outcome
    }

    private static func report(_ seed: UInt64, _ outcome: Outcome) -> Comment {
        let chain = outcome.chain.shrunk { self.outcome($0, outcome.horizon).map { !$0.isRight } ?? false }
        let small = self.outcome(chain, outcome.horizon) ?? outcome
        var lines = [
            "RX_PROPERTY_SEED=\(seed), disposed at \(small.horizon)", "\(small.chain)", small.chain.tables,
            "model   \(small.expected.table)", "library \(small.actual.table)",
        ]
        if let spans = small.expectedSpans {
            lines += ["model   \(text(spans))", "library \(text(small.actualSpans))"]
        }
        return Comment(rawValue: lines.joined(separator: "\n"))
    }

    private static func text(_ spans: [Int: [Span]]) -> String {
        spans.sorted { $0.key < $1.key }.map { "s\($0.key) subscribed \($0.value)" }.joined(separator: ", ")
    }

    private static func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }

    private static var seeds: ClosedRange<UInt64> {
        if let seed = number("RX_PROPERTY_SEED") { return seed...seed }
        return 1...(number("RX_PROPERTY_COUNT") ?? defaultCount)
    }

    @Test("the events, and the subscriptions to sources, are those of the model")
    func events() {
        var decided: [String: Int] = [:]
        var ambiguous = 0, withSpans = 0, failures = 0
        for seed in ChainPropertyTests.seeds {
            var maker = ChainMaker(seed: seed)
            let chain = maker.chain(), horizon = maker.horizon()
            guard let outcome = ChainPropertyTests.outcome(chain, horizon) else {
                ambiguous += 1
                continue
            }
            if outcome.expectedSpans != nil { withSpans += 1 }
            for name in chain.operatorNames { decided[name, default: 0] += 1 }
            if !outcome.isRight {
                failures += 1
                Issue.record(ChainPropertyTests.report(seed, outcome))
                // The first ones suffice.
                if failures == 3 { break }
            }
        }
        if ChainPropertyTests.seeds.count < 1000 || failures > 0 { return }
        // The generator and the model leave most chains decided, and every operator is met often.
        #expect(ambiguous * 4 < ChainPropertyTests.seeds.count)
        #expect(withSpans * 2 > ChainPropertyTests.seeds.count)
        #expect(decided.count == 57)
        #expect(decided.values.allSatisfy { $0 > ChainPropertyTests.seeds.count / 400 })
    }
}
