import Dispatch
import Rx
import RxJSON
import RxStreams
import RxTime

/// Something that happens to a stream under test.
struct Input: CustomStringConvertible {
    /// Milliseconds since the start.
    var time: Int64
    /// The number of the port: 0 is the source of the stream, others are those of its steps.
    var port = 0
    /// Nil for the end of the source.
    var value: RawJSON?

    var description: String { "\(time)ms \(port):\(value?.text ?? "|")" }
}

/// Something that a stream under test did.
struct Output: Hashable, CustomStringConvertible {
    var time: Int64
    /// Nil for the end.
    var value: RawJSON?

    var description: String { "\(time)ms \(value?.text ?? "|")" }
}

/// Runs chains of steps in virtual time.
struct Rig {
    static let start = Instant(seconds: 978_307_200)

    var steps: [StepDefinition]
    var source: SourceDefinition = .kind("subject")
    var evaluator: any ProgramEvaluator = Closures()
    var environment = TimedExecutions()
    /// Whether the stream stops after each element, and after each thing that is due, and then goes on.
    var isCut = false

    /// What the stream emits. At each of the `cuts`, in milliseconds, it is taken down, and a new one goes on with the
    /// values that were stored.
    func outputs(_ inputs: [Input], cuts: [Int64] = [], until end: Int64 = 5_000) -> [Output] {
        let recorded = Recorded()
        var stored: [String: RawJSON] = [:]
        var state = StreamState(isKept: true)
        var running = begin(Self.start, state, recorded)
        func keep() {
            for (name, value) in state.takeChanges() { stored[name] = value }
        }
        keep()
        var cuts = cuts.sorted()[...]
        func cut(before time: Int64) {
            while let first = cuts.first, first < time {
                cuts.removeFirst()
                move(running, to: first)
                keep()
                running.stop()
                state = StreamState(isKept: true, stored: stored)
                running = begin(Self.instant(first), state, recorded)
                keep()
            }
        }
        for input in inputs {
            cut(before: input.time)
            let port = running.context.ports[input.port]
            if let value = input.value {
                process([StreamElement(value: value, time: Self.instant(input.time))], from: port, running)
            } else {
                move(running, to: input.time)
                port.finish()
            }
            keep()
        }
        cut(before: end)
        move(running, to: end)
        running.stop()
        return recorded.outputs
    }

    private func move(_ running: RunningStream, to time: Int64) {
        _ = running.advance(to: Self.instant(time))
        while !running.goOn() {}
    }

    private func process(_ elements: [StreamElement], from port: SourcePort, _ running: RunningStream) {
        var left = elements[...]
        while !left.isEmpty {
            left = left.dropFirst(running.process(Array(left), from: port))
            if isCut { while !running.goOn() {} }
        }
    }

    /// What the stream emits if it processes all inputs of its source together.
    func outputs(together inputs: [Input]) -> [RawJSON] {
        let recorded = Recorded()
        let running = begin(Self.start, StreamState(), recorded)
        process(
            inputs.compactMap { input in
                input.value.map { StreamElement(value: $0, time: Self.instant(input.time)) }
            }, from: running.context.ports[0], running)
        running.stop()
        return recorded.outputs.compactMap(\.value)
    }

    private func begin(_ time: Instant, _ state: StreamState, _ recorded: Recorded) -> RunningStream {
        let definition = StreamDefinition(name: "s", source: source, steps: steps, isPersistent: true)
        let running = RunningStream(
            definition, startingAt: time, state: state, evaluator: evaluator, environment: environment)
        let clock = running.context.clock
        if isCut { clock.mayGoOn = { false } }
        running.begin {
            recorded.add($0.value, at: clock.instant)
        } end: {
            recorded.add(nil, at: clock.instant)
        }
        return running
    }

    /// What a sequence of Rx emits that is built from the same inputs on the same kind of clock.
    static func reference(
        _ inputs: [Input], ports: Int = 1, until end: Int64 = 5_000,
        _ build: ([Observable<RawJSON>], StreamClock) -> Observable<RawJSON>
    ) -> [Output] {
        let clock = StreamClock(start)
        let subjects = (0..<ports).map { _ in PublishSubject<RawJSON>() }
        let recorded = Recorded()
        let subscription = build(subjects.map { $0.asObservable() }, clock).subscribe(
            onNext: { recorded.add($0, at: clock.instant) }, onCompleted: { recorded.add(nil, at: clock.instant) })
        for input in inputs {
            clock.advance(to: instant(input.time))
            if let value = input.value {
                subjects[input.port].onNext(value)
            } else {
                subjects[input.port].onCompleted()
            }
        }
        clock.advance(to: instant(end))
        subscription.dispose()
        return recorded.outputs
    }

    static func instant(_ milliseconds: Int64) -> Instant { start.adding(microseconds: milliseconds * 1_000) }
}

// Unchecked: a test runs on one thread.
private final class Recorded: @unchecked Sendable {
    var outputs: [Output] = []

    func add(_ value: RawJSON?, at time: Instant) {
        // A stream that has ended ends once more when it starts again.
        if value == nil, outputs.last?.value == nil, !outputs.isEmpty { return }
        let microseconds = time.microseconds - Rig.start.microseconds
        outputs.append(Output(time: (microseconds + 500) / 1_000, value: value))
    }
}

/// Programs as closures: a test of an operator needs no jq.
struct Programs {
    static let double = StreamProgram("double", .many)
    static let isEven = StreamProgram("isEven", .condition)
    static let isSmall = StreamProgram("isSmall", .condition)
    static let halfOfEven = StreamProgram("halfOfEven", .one)
    static let parity = StreamProgram("parity", .one)
    static let third = StreamProgram("third", .one)
    /// A text that is not ASCII. Two of the three look the same, and differ in their bytes.
    static let room = StreamProgram("room", .one)
    static let sum = StreamProgram("sum", .one)
    static let twice = StreamProgram("twice", .many)
}

final class Closures: ProgramEvaluator {
    private let most: Int

    /// Evaluates at most so many inputs in a call, as if more would take long.
    init(most: Int = .max) { self.most = most }

    func evaluate(_ program: StreamProgram, on inputs: [ProgramInput]) -> [ProgramResult] {
        inputs.prefix(most).map { input in
            let value = input.value.value()
            if let sum = value["state"]?.int { return .values([number(sum + (value["element"]?.int ?? 0))]) }
            guard let int = value.int else { return .failed("not a number") }
            switch program.text {
            case "double": return .values([number(int * 2)])
            case "twice": return .values([number(int), number(int + 100)])
            case "isEven": return .values([int % 2 == 0 ? .true : .false])
            case "isSmall": return .values([int < 7 ? .true : .false])
            case "halfOfEven": return .values([int % 2 == 0 ? number(int / 2) : .null])
            case "parity": return .values([number(int % 2)])
            case "third": return .values([number(int % 3)])
            case "room": return .values([json(["\"Küche\"", "\"Caf\u{e9}\"", "\"Cafe\u{301}\""][int % 3])])
            default: return .failed("unknown program")
            }
        }
    }
}

func number(_ value: Int) -> RawJSON { RawJSON(JSONValue(value)) }

/// Executions that take ten milliseconds for each unit of the input, and emit the input at their end; those of 3 fail.
// Unchecked: a test runs on one thread.
final class TimedExecutions: StreamEnvironment, @unchecked Sendable {
    private(set) var failures: [StreamFailure] = []
    private(set) var lost = 0

    func execute(_ execution: StepExecution, in context: StreamContext) -> Observable<RawJSON> {
        Self.work(execution.input, context.clock)
    }

    static func work(_ input: RawJSON, _ clock: StreamClock) -> Observable<RawJSON> {
        let number = input.value().int ?? 0
        return Observable<Int>.timer(.milliseconds(number * 10), scheduler: clock).flatMap { _ in
            number == 3
                ? .error(StepFailure(name: "workFailed", message: "failed", error: json(#"{"name":"workFailed"}"#)))
                : Observable.just(input)
        }
    }

    func report(_ failure: StreamFailure, in context: StreamContext) { failures.append(failure) }
    func report(lost count: Int, step: String, in context: StreamContext) { lost += count }
}

func json(_ text: String) -> RawJSON {
    do { return try RawJSON(validating: text) } catch { preconditionFailure("\(text): \(error)") }
}

func step(_ name: String, _ main: ArgumentValue, _ more: [String: ArgumentValue] = [:]) -> StepDefinition {
    StepDefinition(name, more.merging([name: main]) { $1 })
}

func milliseconds(_ count: Int64) -> ArgumentValue { .duration(count * 1_000) }

extension SourceDefinition {
    static func kind(_ kind: String, _ value: String = "x") -> SourceDefinition {
        .external(ExternalSource(kind, [kind: .text(value)]))
    }
}

extension ArgumentValue {
    static let on = ArgumentValue.boolean(true)
    static let other = ArgumentValue.source(.kind("signal", "USR1"))
}

/// Random inputs, the same for the same seed.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state = state &+ 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Up to 40 inputs at multiples of 10 ms, some at the same moment.
    mutating func inputs(ports: Int = 1, ends: Bool = true, sameMoments: Bool = true) -> [Input] {
        var time: Int64 = 0
        var inputs: [Input] = []
        for _ in 0..<Int.random(in: 0...40, using: &self) {
            time += 10 * Int64.random(in: sameMoments ? 0...8 : 1...8, using: &self)
            inputs.append(
                Input(
                    time: time, port: Int.random(in: 0..<ports, using: &self),
                    value: number(Int.random(in: 0..<10, using: &self))))
        }
        guard ends else { return inputs }
        for port in (0..<ports).shuffled(using: &self) where Bool.random(using: &self) {
            time += 10 * Int64.random(in: 0...8, using: &self)
            inputs.append(Input(time: time, port: port, value: nil))
            // Nothing comes after the end of a port.
        }
        return inputs
    }
}
