internal import Rx
internal import RxJSON
internal import RxStreams
internal import RxTime

/// Five steps without programs, as a stream has them and written against Rx by hand, over the same values: how many
/// times as long the stream takes. The two take turns, so that what disturbs the machine disturbs both. With an
/// argument, `stream` or `rx`, only one of them runs, for a profiler.
@main
struct StreamBenchmarks {
    private static let elements = 200_000
    private static let rounds = 11

    static func main() {
        let values = (0..<1_000).map { RawJSON(["path": .string("/srv/site/content/\($0).md"), "event": "written"]) }
        if let contender = CommandLine.arguments.dropFirst().first {
            for _ in 0..<rounds { _ = contender == "stream" ? throughStream(values) : throughRx(values) }
            return
        }
        var ratios: [Double] = []
        var times: [(stream: Double, direct: Double)] = []
        for round in 0...rounds {
            let stream = measure { throughStream(values) }
            let direct = measure { throughRx(values) }
            precondition(stream.sum == direct.sum, "the contenders disagree: \(stream.sum), \(direct.sum)")
            guard round > 0 else { continue }
            ratios.append(stream.nanoseconds / direct.nanoseconds)
            times.append((stream.nanoseconds, direct.nanoseconds))
        }
        let middle = rounds / 2
        print("stream      \(Int(times.map(\.stream).sorted()[middle])) ns/element")
        print("Rx by hand  \(Int(times.map(\.direct).sorted()[middle])) ns/element")
        let hundredths = Int((ratios.sorted()[middle] * 100).rounded())
        print("ratio       \(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)x; at most 1.20x")
    }

    private static func measure(_ body: () -> Int) -> (nanoseconds: Double, sum: Int) {
        var sum = 0
        let duration = ContinuousClock().measure { sum = body() }
        return (duration / .nanoseconds(1) / Double(elements), sum)
    }

    private static func throughStream(_ values: [RawJSON]) -> Int {
        let steps = [
            StepDefinition("pairwise", ["pairwise": .boolean(true)]),
            StepDefinition("enumerated", ["enumerated": .boolean(true)]),
            StepDefinition("skip", ["skip": .count(10)]),
            StepDefinition("distinctUntilChanged", ["distinctUntilChanged": .boolean(true)]),
            StepDefinition("take", ["take": .count(.max)]),
        ]
        let start = Instant(seconds: 1_000_000_000)
        let running = RunningStream(
            StreamDefinition(
                name: "s", source: .external(ExternalSource("subject", ["subject": .boolean(true)])), steps: steps),
            startingAt: start, evaluator: NoPrograms(), environment: Nowhere())
        let sum = Sum()
        running.begin { sum.value &+= $0.value.utf8.count }
        let port = running.context.ports[0]
        var index = 0
        while index < elements {
            let count = min(StreamLimits.elementsPerTurn, elements - index)
            let batch = (index..<index + count).map { index in
                StreamElement(value: values[index % values.count], time: start.adding(microseconds: Int64(index)))
            }
            running.process(batch, from: port)
            index += count
        }
        running.stop()
        return sum.value
    }

    private static func throughRx(_ values: [RawJSON]) -> Int {
        let subject = PublishSubject<RawJSON>()
        let sum = Sum()
        let subscription = subject.scan(into: Pair()) { pair, value in
            pair.previous = pair.newest
            pair.newest = value
        }
        .compactMap { pair -> RawJSON? in
            guard let previous = pair.previous, let newest = pair.newest else { return nil }
            var writer = JSONWriter(reserving: previous.utf8.count + newest.utf8.count + 8)
            writer.array {
                $0.raw(previous)
                $0.raw(newest)
            }
            return RawJSON(unchecked: writer.bytes)
        }
        .enumerated()
        .map { index, value -> RawJSON in
            var writer = JSONWriter(reserving: value.utf8.count + 40)
            writer.object {
                $0.field("index", index)
                $0.field("element", value)
            }
            return RawJSON(unchecked: writer.bytes)
        }
        .skip(10)
        .distinctUntilChanged()
        .take(.max)
        .subscribe(onNext: { sum.value &+= $0.utf8.count })
        for index in 0..<elements { subject.onNext(values[index % values.count]) }
        subscription.dispose()
        return sum.value
    }
}

private struct Pair {
    var previous: RawJSON?
    var newest: RawJSON?
}

// Unchecked: used by one thread.
private final class Sum: @unchecked Sendable {
    var value = 0
}

private final class NoPrograms: ProgramEvaluator {
    func evaluate(_ program: StreamProgram, on inputs: [ProgramInput]) -> [ProgramResult] { [] }
}

private final class Nowhere: StreamEnvironment {
    func execute(_ execution: StepExecution, in context: StreamContext) -> Observable<RawJSON> { .empty() }

    func report(_ failure: StreamFailure, in context: StreamContext) {}
    func report(lost count: Int, step: String, in context: StreamContext) {}
}
