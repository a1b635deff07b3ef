import Dispatch
import Rx
import RxJSON
import RxStreams
import TestSupport
import Testing

/// Each operator does what Rx's operator of its name does, on random inputs in virtual time.
struct AgainstRxTests {
    private func compare(
        _ steps: [StepDefinition], ports: Int = 1, sameMoments: Bool = true, ordered: Bool = true,
        source: SourceLocation = #_sourceLocation,
        _ build: @escaping ([Observable<RawJSON>], StreamClock) -> Observable<RawJSON>
    ) {
        for seed in Effort.seeds(25) {
            var random = Seeded(seed)
            let inputs = random.inputs(ports: ports, sameMoments: sameMoments)
            let expected = Rig.reference(inputs, ports: ports, build)
            for isCut in [false, true] {
                let actual = Rig(steps: steps, isCut: isCut).outputs(inputs)
                let isSame =
                    ordered ? actual == expected : Set(actual) == Set(expected) && actual.count == expected.count
                guard isSame else {
                    let cut = isCut ? ", cut" : ""
                    Issue.record(
                        "\(steps.map(\.name)), seed \(seed)\(cut): \(inputs) gave \(actual), Rx gives \(expected)",
                        sourceLocation: source)
                    return
                }
            }
        }
    }

    @Test("map, filter, compactMap, scan")
    func perElement() {
        compare([step("map", .program(Programs.double))]) { sources, _ in sources[0].map { number(int($0) * 2) } }
        compare([step("map", .program(Programs.twice))]) { sources, _ in
            sources[0].concatMap { Observable.from([$0, number(int($0) + 100)]) }
        }
        compare([step("filter", .program(Programs.isEven))]) { sources, _ in sources[0].filter { int($0) % 2 == 0 } }
        compare([step("compactMap", .program(Programs.halfOfEven))]) { sources, _ in
            sources[0].compactMap { int($0) % 2 == 0 ? number(int($0) / 2) : nil }
        }
        compare([step("scan", .program(Programs.sum), ["initial": .json(number(0))])]) { sources, _ in
            sources[0].scan(number(0)) { number(int($0) + int($1)) }
        }
    }

    @Test("distinctUntilChanged, pairwise, startWith, enumerated")
    func history() {
        compare([step("distinctUntilChanged", .on)]) { sources, _ in sources[0].distinctUntilChanged() }
        compare([step("distinctUntilChanged", .program(Programs.parity))]) { sources, _ in
            sources[0].distinctUntilChanged { int($0) % 2 }
        }
        compare([step("pairwise", .on)]) { sources, _ in
            sources[0].scan([RawJSON]()) { $0.suffix(1) + [$1] }.filter { $0.count == 2 }.map(array)
        }
        compare([step("startWith", .json(number(-1)))]) { sources, _ in sources[0].startWith(number(-1)) }
        compare([step("enumerated", .on)]) { sources, _ in
            sources[0].enumerated().map { json(#"{"index":\#($0.index),"element":\#($0.element.text)}"#) }
        }
    }

    @Test("take, skip, takeWhile, skipWhile, elementAt")
    func limits() {
        for count in [0, 1, 5, 100] {
            compare([step("take", .count(count))]) { sources, _ in sources[0].take(count) }
            compare([step("skip", .count(count))]) { sources, _ in sources[0].skip(count) }
        }
        compare([step("takeWhile", .program(Programs.isSmall))]) { sources, _ in
            sources[0].take(while: { int($0) < 7 })
        }
        compare([step("skipWhile", .program(Programs.isSmall))]) { sources, _ in
            sources[0].skip(while: { int($0) < 7 })
        }
        // Rx's ends with an error if there are too few elements.
        compare([step("elementAt", .count(3))]) { sources, _ in sources[0].skip(3).take(1) }
    }

    @Test("takeUntil, skipUntil, sample, withLatestFrom, merge, concat")
    func others() {
        compare([step("takeUntil", .other)], ports: 2) { sources, _ in sources[0].take(until: sources[1]) }
        compare([step("skipUntil", .other)], ports: 2) { sources, _ in sources[0].skip(until: sources[1]) }
        compare([step("sample", .other)], ports: 2) { sources, _ in sources[0].sample(sources[1]) }
        compare([step("withLatestFrom", .other)], ports: 2) { sources, _ in
            sources[0].withLatestFrom(sources[1]) { json(#"{"element":\#($0.text),"latest":\#($1.text)}"#) }
        }
        compare([step("merge", .sources([.kind("signal", "USR1"), .kind("signal", "USR2")]))], ports: 3) { sources, _ in
            Observable.merge(sources)
        }
        compare([step("concat", .other)], ports: 2) { sources, _ in sources[0].concat(sources[1]) }
    }

    @Test("debounce, throttle, delay", arguments: [0, 10, 30, 50, 200])
    func time(_ span: Int) {
        compare([step("debounce", milliseconds(Int64(span)))]) { sources, clock in
            sources[0].debounce(.milliseconds(span), scheduler: clock)
        }
        compare([step("delay", milliseconds(Int64(span)))]) { sources, clock in
            sources[0].delay(.milliseconds(span), scheduler: clock)
        }
        for latest in [true, false] {
            compare([step("throttle", milliseconds(Int64(span)), ["latest": .boolean(latest)])]) { sources, clock in
                sources[0].throttle(.milliseconds(span), latest: latest, scheduler: clock)
            }
        }
    }

    @Test("buffer and window", arguments: [10, 30, 50, 200])
    func batches(_ span: Int) {
        for count in [0, 1, 3] {
            var more: [String: ArgumentValue] = count == 0 ? [:] : ["count": .count(count)]
            compare([step("buffer", milliseconds(Int64(span)), more)]) { sources, clock in
                sources[0].buffer(timeSpan: .milliseconds(span), count: count, scheduler: clock)
                    .filter { !$0.isEmpty }.map(array)
            }
            more["reduce"] = .program(Programs.sum)
            more["initial"] = .json(number(0))
            compare([step("window", milliseconds(Int64(span)), more)]) { sources, clock in
                sources[0].window(timeSpan: .milliseconds(span), count: count, scheduler: clock)
                    .flatMap { $0.toArray() }
                    .filter { !$0.isEmpty }.map { number($0.map(int).reduce(0, +)) }
            }
        }
        compare([step("buffer", .on, ["count": .count(3)])]) { sources, clock in
            sources[0].buffer(timeSpan: .never, count: 3, scheduler: clock).filter { !$0.isEmpty }.map(array)
        }
    }

    @Test("groupBy", arguments: [10, 30, 200])
    func groups(_ span: Int) {
        func grouped(_ steps: [StepDefinition]) -> [StepDefinition] {
            [step("groupBy", .program(Programs.third), ["through": .steps(steps)])]
        }
        compare(grouped([step("debounce", milliseconds(Int64(span)))]), ordered: false) { sources, clock in
            sources[0].groupBy { int($0) % 3 }
                .flatMap { $0.debounce(.milliseconds(span), scheduler: clock) }
        }
        compare(grouped([step("throttle", milliseconds(Int64(span)))]), ordered: false) { sources, clock in
            sources[0].groupBy { int($0) % 3 }
                .flatMap { $0.throttle(.milliseconds(span), scheduler: clock) }
        }
        compare(grouped([step("take", .count(2)), step("enumerated", .on)])) { sources, _ in
            sources[0].groupBy { int($0) % 3 }.flatMap {
                $0.take(2).enumerated().map { json(#"{"index":\#($0.index),"element":\#($0.element.text)}"#) }
            }
        }
    }

    @Test("concatMap, flatMap, flatMapLatest, flatMapFirst")
    func executing() {
        @Sendable func work(_ input: RawJSON, _ clock: StreamClock) -> Observable<RawJSON> {
            TimedExecutions.work(input, clock).catch { _ in .empty() }
        }
        compare([step("concatMap", .text("a"))], sameMoments: false) { sources, clock in
            sources[0].concatMap { work($0, clock) }
        }
        compare([step("flatMap", .text("a"), ["limit": .count(2)])], sameMoments: false) { sources, clock in
            sources[0].map { work($0, clock) }.merge(maxConcurrent: 2)
        }
        compare([step("flatMapLatest", .text("a"))], sameMoments: false) { sources, clock in
            sources[0].flatMapLatest { work($0, clock) }
        }
        compare([step("flatMapFirst", .text("a"))], sameMoments: false) { sources, clock in
            sources[0].flatMapFirst { work($0, clock) }
        }
    }

    @Test("retry with a delay, and catch")
    func errors() {
        compare(
            [
                step("concatMap", .text("a")),
                step("retry", .count(3), ["delay": milliseconds(20), "backoff": .count(1)]),
            ],
            sameMoments: false
        ) { sources, clock in
            sources[0].concatMap { element in
                TimedExecutions.work(element, clock).retry { errors in
                    errors.enumerated().flatMap { attempt -> Observable<Int> in
                        attempt.index < 2
                            ? .timer(.milliseconds(20), scheduler: clock) : .error(attempt.element)
                    }
                }
                .catch { _ in .empty() }
            }
        }
    }

    private func array(_ values: [RawJSON]) -> RawJSON { json("[" + values.map(\.text).joined(separator: ",") + "]") }
}

private func int(_ value: RawJSON) -> Int { value.value().int ?? 0 }
