import Rx
import RxJSON
import RxTime
import Testing

@testable import RxStreams

@Suite("The elements that wait for an executing step")
struct ExecutingQueueTests {
    /// Executions that a test ends.
    // Unchecked: a test runs on one thread.
    private final class Executions: StreamEnvironment, @unchecked Sendable {
        private(set) var inputs: [Int] = []
        private(set) var lost = 0
        private var running: [PublishSubject<RawJSON>] = []

        func execute(_ execution: StepExecution, in context: StreamContext) -> Observable<RawJSON> {
            inputs.append(execution.input.value().int ?? -1)
            let subject = PublishSubject<RawJSON>()
            running.append(subject)
            return subject.asObservable()
        }

        /// Ends the oldest execution.
        func end() { if !running.isEmpty { running.removeFirst().onCompleted() } }

        func report(_ failure: StreamFailure, in context: StreamContext) {}
        func report(lost count: Int, step: String, in context: StreamContext) { lost += count }
    }

    private final class Charge: UserCharge {
        let user: ObjectIdentifier

        init(_ user: AnyObject) { self.user = ObjectIdentifier(user) }
    }

    private final class User: Sendable {}

    private let executions = Executions()
    private let running: RunningStream

    init() { running = Self.running([step("concatMap", .text("work"))], executions) }

    private static func running(_ steps: [StepDefinition], _ executions: Executions) -> RunningStream {
        let running = RunningStream(
            StreamDefinition(name: "s", source: .kind("subject"), steps: steps, isPersistent: false),
            startingAt: Rig.start, evaluator: Closures(), environment: executions)
        running.begin { _ in }
        return running
    }

    private func send(_ numbers: some Sequence<Int>, by user: User? = nil, to running: RunningStream) {
        for value in numbers {
            var element = StreamElement(value: number(value), time: Rig.start)
            element.charge = user.map { Charge($0) }
            running.process([element], from: running.context.ports[0])
        }
    }

    @Test("are the newest ones, in order; the oldest are dropped and reported")
    func oldest() {
        // One is executed, and the others wait.
        send(0...StreamLimits.pendingElements + 3, to: running)
        #expect(executions.lost == 3 && executions.inputs == [0])
        #expect(running.context.held == StreamLimits.pendingElements + 1)
        for _ in 0..<3 { executions.end() }
        #expect(executions.inputs == [0, 4, 5, 6])
        while running.context.held > 0 { executions.end() }
        #expect(executions.inputs == [0] + Array(4...StreamLimits.pendingElements + 3))
    }

    @Test("are those of all users: whoever has most there loses the oldest")
    func users() {
        let (one, other) = (User(), User())
        send(0..<10, by: other, to: running)
        send(10..<StreamLimits.pendingElements + 5, by: one, to: running)
        send([-1], by: other, to: running)
        #expect(executions.lost == 5)
        while running.context.held > 0 { executions.end() }
        #expect(executions.inputs == Array(0..<10) + Array(15..<StreamLimits.pendingElements + 5) + [-1])
    }

    @Test("are measured in bytes, too: whoever has few large ones makes room for many small ones")
    func bytes() {
        let (one, other) = (User(), User())
        send(0...20, by: other, to: running)
        let text = String(repeating: "x", count: 1 << 20)
        for _ in 0..<17 {
            var element = StreamElement(value: RawJSON(.string(text)), time: Rig.start)
            element.charge = Charge(one)
            running.process([element], from: running.context.ports[0])
        }
        #expect(executions.lost == 1)
        send([21], by: other, to: running)
        #expect(executions.lost == 2)
        while running.context.held > 0 { executions.end() }
        #expect(executions.inputs == Array(0...20) + Array(repeating: -1, count: 15) + [21])
    }

    @Test("are those of all groups: who has most in one makes room for another's")
    func groups() {
        let through: [StepDefinition] = [step("concatMap", .text("work"))]
        let running = Self.running(
            [step("groupBy", .program(Programs.parity), ["through": .steps(through)])], executions)
        let (one, other) = (User(), User())
        let even = (0...StreamLimits.pendingElements).map { 2 * $0 }
        send(even, by: one, to: running)
        send([1, 3, 5], by: other, to: running)
        #expect(executions.lost == 2 && executions.inputs == [0, 1])
        // The turns of those that were dropped go to those that come.
        send([-2, -4], by: one, to: running)
        #expect(executions.lost == 4)
        while running.context.held > 0 { executions.end() }
        #expect(executions.inputs.filter { $0 % 2 != 0 } == [1, 3, 5])
        #expect(executions.inputs.filter { $0 % 2 == 0 } == [0] + even.dropFirst(5) + [-2, -4])
    }

    @Test("are let go when the stream ends")
    func end() {
        let running = Self.running([step("concatMap", .text("work")), step("take", .count(1))], executions)
        let user = User()
        send(0..<100, by: user, to: running)
        #expect(running.context.held == 100)
        executions.end()
        #expect(running.hasEnded && running.context.held == 0 && executions.inputs.count == 1)
    }
}
