import Rx
import RxJSON
import RxStreams
import TestSupport
import Testing

/// A stream that is taken down at any moment, and goes on from what was stored, emits what it would have emitted.
struct PersistenceTests {
    static let chains: [(name: String, steps: [StepDefinition])] = [
        ("scan", [step("scan", .program(Programs.sum), ["initial": .json(number(0))])]),
        ("distinctUntilChanged", [step("distinctUntilChanged", .program(Programs.parity))]),
        ("pairwise", [step("pairwise", .on)]),
        ("startWith", [step("startWith", .json(number(5)))]),
        ("enumerated", [step("enumerated", .on)]),
        ("take", [step("take", .count(7))]),
        ("skip", [step("skip", .count(7))]),
        ("takeWhile", [step("takeWhile", .program(Programs.isSmall))]),
        ("skipWhile", [step("skipWhile", .program(Programs.isSmall))]),
        ("elementAt", [step("elementAt", .count(7))]),
        ("takeUntil", [step("takeUntil", .other)]),
        ("skipUntil", [step("skipUntil", .other)]),
        ("sample", [step("sample", .other)]),
        ("withLatestFrom", [step("withLatestFrom", .other)]),
        ("debounce", [step("debounce", milliseconds(50))]),
        ("debounce at most", [step("debounce", milliseconds(50), ["at-most": milliseconds(120)])]),
        ("throttle", [step("throttle", milliseconds(70))]),
        ("throttle first", [step("throttle", milliseconds(70), ["latest": .boolean(false)])]),
        ("delay", [step("delay", milliseconds(130))]),
        ("held", [step("held", milliseconds(60), ["while": .program(Programs.isSmall)])]),
        ("timeout", [step("timeout", milliseconds(60))]),
        ("buffer", [step("buffer", milliseconds(70))]),
        ("buffer of four", [step("buffer", milliseconds(70), ["count": .count(4)])]),
        ("buffer by count", [step("buffer", .on, ["count": .count(4)])]),
        (
            "window",
            [
                step(
                    "window", milliseconds(70),
                    ["count": .count(4), "reduce": .program(Programs.sum), "initial": .json(number(0))])
            ]
        ),
        ("recent", [step("recent", milliseconds(100), ["count": .count(5)])]),
        ("take after the end", [step("take", .count(3)), step("concat", .other)]),
        (
            "groups",
            [
                step(
                    "groupBy", .program(Programs.third),
                    ["idle": milliseconds(150), "through": .steps([step("enumerated", .on)])])
            ]
        ),
        (
            "groups with pending times",
            [
                step(
                    "groupBy", .program(Programs.third),
                    [
                        "idle": milliseconds(150),
                        "through": .steps([
                            step("delay", milliseconds(200)), step("throttle", milliseconds(50)),
                            step("buffer", milliseconds(70)),
                        ]),
                    ]), step("enumerated", .on),
            ]
        ),
        (
            "nested groups",
            [
                step(
                    "groupBy", .program(Programs.third),
                    [
                        "idle": milliseconds(300),
                        "through": .steps([
                            step(
                                "groupBy", .program(Programs.parity),
                                [
                                    "idle": milliseconds(100),
                                    "through": .steps([
                                        step("debounce", milliseconds(40)), step("enumerated", .on),
                                    ]),
                                ]), step("recent", milliseconds(200)),
                        ]),
                    ])
            ]
        ),
        (
            "times in a row",
            [
                step("debounce", milliseconds(20)), step("delay", milliseconds(30)), step("buffer", milliseconds(50)),
                step("throttle", milliseconds(50)),
            ]
        ),
    ]

    @Test("at any moment", arguments: Self.chains.map(\.name))
    func cuts(_ name: String) throws {
        let chain = try #require(Self.chains.first { $0.name == name })
        for seed in Effort.seeds(40) {
            var random = Seeded(seed)
            let inputs = random.inputs(ports: Self.ports(chain.steps), ends: false)
            let cuts = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                Int64.random(in: 0...(inputs.last?.time ?? 0) + 100, using: &random)
            }
            let rig = Rig(steps: chain.steps)
            let whole = rig.outputs(inputs, until: 2_000)
            let pieces = rig.outputs(inputs, cuts: cuts, until: 2_000)
            guard whole == pieces else {
                Issue.record("seed \(seed), cut at \(cuts.sorted()): \(inputs) gave \(pieces) instead of \(whole)")
                return
            }
        }
    }

    @Test(
        "groups whose keys are not ASCII", arguments: Self.chains.filter { Self.ports($0.steps) == 1 }.map(\.name))
    func keys(_ name: String) throws {
        let chain = try #require(Self.chains.first { $0.name == name })
        let rooms = step(
            "groupBy", .program(Programs.room), ["idle": milliseconds(2_000), "through": .steps(chain.steps)])
        for seed in Effort.seeds(10) {
            var random = Seeded(seed)
            let inputs = random.inputs(ends: false)
            let cuts = (0..<2).map { _ in Int64.random(in: 0...(inputs.last?.time ?? 0) + 100, using: &random) }
            let rig = Rig(steps: [rooms])
            let (whole, pieces) = (rig.outputs(inputs), rig.outputs(inputs, cuts: cuts))
            guard whole == pieces else {
                Issue.record("seed \(seed), cut at \(cuts.sorted()): \(inputs) gave \(pieces) instead of \(whole)")
                return
            }
        }
    }

    @Test("a batch whose elements were lost begins anew: the next element is emitted with its period")
    func lostBatch() {
        let running = RunningStream(
            StreamDefinition(
                name: "s", source: .kind("subject"), steps: [step("buffer", milliseconds(50))], isPersistent: true),
            startingAt: Rig.start, state: StreamState(isKept: true, stored: ["1/number": number(1)]),
            evaluator: Closures(), environment: TimedExecutions())
        let emitted = Locked<[RawJSON]>([])
        running.begin { element in emitted.withLock { $0.append(element.value) } }
        running.process([StreamElement(value: number(7), time: Rig.instant(10))], from: running.context.ports[0])
        running.advance(to: Rig.instant(50))
        #expect(emitted.withLock { $0 } == [json("[7]")])
    }

    @Test("random chains of up to five steps, some of them in groups")
    func randomChains() {
        let pool = Self.chains.map(\.steps).filter { $0.count == 1 && Self.ports($0) == 1 }.flatMap { $0 }
        for seed in Effort.seeds(150) {
            var random = Seeded(seed)
            func steps() -> [StepDefinition] {
                (0..<Int.random(in: 1...3, using: &random)).compactMap { _ in pool.randomElement(using: &random) }
            }
            var chain = steps()
            if Bool.random(using: &random) {
                chain.append(
                    step(
                        "groupBy", .program(Programs.third), ["idle": milliseconds(250), "through": .steps(steps())]))
            }
            chain += steps().prefix(1)
            let inputs = random.inputs(ends: false)
            let cuts = (0..<3).map { _ in Int64.random(in: 0...(inputs.last?.time ?? 0) + 300, using: &random) }
            let rig = Rig(steps: chain)
            let (whole, pieces) = (rig.outputs(inputs), rig.outputs(inputs, cuts: cuts))
            guard whole == pieces else {
                Issue.record(
                    "seed \(seed), \(chain), cut at \(cuts.sorted()): \(inputs) gave \(pieces) instead of \(whole)")
                return
            }
        }
    }

    @Test("combinations of sources", arguments: ["combineLatest", "zip"])
    func combinations(_ kind: String) {
        let parts = ["a", "Küche"].map { NamedSource(name: $0, source: .kind("signal", $0)) }
        for seed in Effort.seeds(40) {
            var random = Seeded(seed)
            let inputs = random.inputs(ports: 2, ends: false)
            let cuts = [Int64.random(in: 0...(inputs.last?.time ?? 0) + 10, using: &random)]
            let rig = Rig(steps: [], source: kind == "zip" ? .zip(parts) : .combineLatest(parts))
            let (whole, pieces) = (rig.outputs(inputs), rig.outputs(inputs, cuts: cuts))
            guard whole == pieces else {
                Issue.record("seed \(seed), cut at \(cuts): \(inputs) gave \(pieces) instead of \(whole)")
                return
            }
        }
    }

    @Test("what is pending is stored element by element: a turn stores what it changes")
    func increments() {
        let state = StreamState(isKept: true)
        let running = RunningStream(
            StreamDefinition(
                name: "s", source: .kind("subject"), steps: [step("delay", milliseconds(1_000))], isPersistent: true),
            startingAt: Rig.start, state: state, evaluator: Closures(), environment: TimedExecutions())
        running.begin { _ in }
        for time in 0..<100 {
            let element = StreamElement(value: number(time), time: Rig.instant(Int64(time)))
            running.process([element], from: running.context.ports[0])
            #expect(state.takeChanges().count == 1)
        }
        running.advance(to: Rig.instant(1_000))
        #expect(state.takeChanges().filter { $0.value == nil }.count == 1)
    }

    private static func ports(_ steps: [StepDefinition]) -> Int {
        steps.contains { ["takeUntil", "skipUntil", "sample", "withLatestFrom", "concat"].contains($0.name) } ? 2 : 1
    }
}
