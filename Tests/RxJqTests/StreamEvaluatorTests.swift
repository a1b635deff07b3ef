import Glibc
import Rx
import RxJSON
import RxStreams
import TestSupport
import Testing

@testable import RxJq

@Suite(.ownThreads)
struct StreamEvaluatorTests {
    /// A program that does something bad for the input `"bad"`.
    private func program(bad: String) -> StreamProgram {
        StreamProgram("if . == \"bad\" then (\(bad)) else . end", .many)
    }

    private func inputs(_ texts: String...) -> [ProgramInput] { texts.map { element($0) } }

    private func evaluator(time: Duration = .seconds(20), wall: Duration = .seconds(60), memory: Int = 128 << 20)
        -> StreamEvaluator
    {
        var limits = JqLimits()
        (limits.processorTime, limits.wallTime, limits.memory) = (time, wall, memory)
        return StreamEvaluator(executable: RxJqTests.program, limits: limits)
    }

    @Test("a message that the program has as a literal is the operator's; others may have values")
    func operatorText() throws {
        let evaluator = StreamEvaluator(executable: RxJqTests.program, limits: .patient)
        for (text, isOperators) in [
            (#"error("the door is open")"#, true), (#"error("the \(.) is open")"#, false), (".a", false),
            (#"error("the door" + " is open")"#, false),
        ] {
            let program = StreamProgram(text, .condition)
            guard case .failed(let message)? = evaluator.evaluateAll(program, on: inputs("\"door\"")).first else {
                Issue.record("\(text) does not fail")
                continue
            }
            #expect(evaluator.isOperatorText(message, of: program) == isOperators, "\(text): \(message)")
        }
    }

    @Test(
        "an input that breaks a limit fails alone, wherever it is",
        arguments: [
            ("last(range(1e15))", "took longer than 200ms of the processor"),
            ("[repeat(1)] | empty", "took longer than 200ms of the processor"),
            ("repeat(empty)", "took longer than 200ms of the processor"),
            ("[range(1e10)]", "took more than 128 MiB of memory"),
            (#"reduce range(100) as $i ("x"; . + .)"#, "took more than 128 MiB of memory"),
            ("1e300 | todate", "jq aborted"),
            ("reduce range(1000000) as $i (1; [.]) | tojson", "jq aborted"),
        ])
    func limits(bad: String, message: String) {
        let evaluator = evaluator(time: message.hasPrefix("took longer") ? .milliseconds(200) : .seconds(20))
        let failure = "! " + message
        let program = program(bad: bad)
        #expect(
            written(evaluator.evaluateAll(program, on: inputs("1", "\"bad\"", "2", "3", "\"bad\"", "4")))
                == ["[1]", failure, "[2]", "[3]", failure, "[4]"])
        #expect(written(evaluator.evaluateAll(program, on: inputs("\"bad\""))) == [failure])
        #expect(written(evaluator.evaluateAll(program, on: inputs("\"bad\"", "\"bad\""))) == [failure, failure])
        #expect(written(evaluator.evaluateAll(program, on: inputs("5"))) == ["[5]"])
    }

    @Test("the limit of time is for each input, not for all")
    func timePerInput() {
        // Each takes several times less than the limit, all of them many times more.
        let evaluator = evaluator(time: .milliseconds(800))
        let program = StreamProgram("last(range(300000))", .one)
        let inputs = (0..<40).map { _ in element("0") }
        #expect(written(evaluator.evaluateAll(program, on: inputs)) == inputs.map { _ in "[299999]" })
    }

    @Test("a call with slow inputs has the results of the first ones; quick ones have all of them")
    func pauses() {
        let evaluator = evaluator(time: .milliseconds(800))
        let program = StreamProgram("if . < 0 then last(range(300000)) else . end", .one)
        // An eighth of the limit is enough for a few.
        let slow = (0..<40).map { _ in element("-1") }
        let results = evaluator.evaluate(program, on: slow)
        #expect((1..<20).contains(results.count), "\(results.count)")
        #expect(written(results).allSatisfy { $0 == "[299999]" })
        let quick = (0..<256).map { element("\($0)") }
        // A tick may come at any time.
        let counts = (0..<5).map { _ in evaluator.evaluate(program, on: quick).count }
        #expect(counts.filter { $0 == 256 }.count >= 3, "\(counts)")
        // One that takes too long ends the call, and those before it keep their results.
        let mixed = [element("1"), element("-1"), element("2")]
        let endless = StreamProgram("if . < 0 then last(range(1e15)) else . end", .one)
        let failed = "! took longer than 800ms of the processor"
        #expect(written(evaluator.evaluate(endless, on: mixed)) == ["[1]", failed])
    }

    @Test("a worker that is killed between calls, or within one, is replaced; no input fails for it")
    func killed() async throws {
        let started = Locked<[pid_t]>([])
        let evaluator = StreamEvaluator(limits: .patient) { () throws(WorkerStartError) in
            let worker = try StreamWorker(executable: RxJqTests.program, limits: .patient)
            started.withLock { $0.append(worker.child.pid) }
            return worker
        }
        let program = StreamProgram("if . > 1000 then last(range(.)) else . end", .one)
        #expect(written(evaluator.evaluateAll(program, on: inputs("1", "2"))) == ["[1]", "[2]"])
        kill(try #require(started.withLock { $0.last }), SIGKILL)
        #expect(written(evaluator.evaluateAll(program, on: inputs("3", "4"))) == ["[3]", "[4]"])
        #expect(started.withLock { $0.count } == 2)
        // One that computes is killed while it does. On a busy machine it may be done before the signal.
        var isReplaced = false
        for _ in 0..<10 where !isReplaced {
            #expect(written(evaluator.evaluateAll(program, on: inputs("1"))) == ["[1]"])
            let count = started.withLock { $0.count }
            let worker = try #require(started.withLock { $0.last })
            let used = processorTicks(worker)
            async let results = evaluator.evaluateAll(program, on: inputs("5", "4000000", "6"))
            #expect(await eventually { processorTicks(worker) > used + 5 })
            kill(worker, SIGKILL)
            #expect(written(await results) == ["[5]", "[3999999]", "[6]"])
            isReplaced = started.withLock { $0.count } > count
        }
        #expect(isReplaced)
    }

    @Test("an input that kills each worker fails, and only it")
    func killing() {
        let started = Locked(0)
        // A worker that is killed has the same end as one that kills itself; no jq program can do that.
        let scripts = TemporaryDirectory()
        let dying = scripts.write("dying", "#!/bin/sh\nkill -9 $$\n", mode: 0o755)
        let evaluator = StreamEvaluator(limits: .patient) { () throws(WorkerStartError) in
            let number = started.withLock { number in
                number += 1
                return number
            }
            return try StreamWorker(executable: number <= 2 ? dying : RxJqTests.program, limits: .patient)
        }
        let results = written(evaluator.evaluateAll(StreamProgram(".", .one), on: inputs("1", "2")))
        #expect(results.allSatisfy { $0 == "! its worker was ended by signal 9" })
        #expect(written(evaluator.evaluateAll(StreamProgram(".", .one), on: inputs("1", "2"))) == ["[1]", "[2]"])
    }

    @Test(
        "a process that is not a worker, is silent, or sends garbage fails the call within a few attempts",
        arguments: [
            ("exit 3", "its worker ended with status 3"),
            ("exit 0", "its worker is stuck"),
            ("exec sleep 100", "gave no result within 200ms"),
            ("exec 3>&-; exec sleep 100", "its worker was ended by signal 9"),
            (#"printf '\0\0\0\0\5' >&3; exec sleep 100"#, "gave no result within 200ms"),
            (#"printf '\0\0\0\0\5\0\0\0' >&3; exec sleep 100"#, "gave no result within 200ms"),
            (#"head -c 100 /dev/zero >&3; exec sleep 100"#, "its worker sent a malformed reply"),
            // A result before the compilation, a length that is too large, values that are cut off or empty.
            (#"printf '\0\0\0\0\1' >&3; exec sleep 100"#, "its worker sent a malformed reply"),
            (#"printf '\0\0\0\0\5\377\377\377\177\3' >&3; exec sleep 100"#, "its worker sent a malformed reply"),
            (#"printf '\0\0\0\0\5\5\0\0\0\3\377\0\0\0a' >&3; exec sleep 100"#, "its worker sent a malformed reply"),
            (#"printf '\0\0\0\0\5\2\0\0\0\3\1\0' >&3; exec sleep 100"#, "its worker sent a malformed reply"),
            (#"printf '\0\0\0\0\5\4\0\0\0\3\0\0\0\0' >&3; exec sleep 100"#, "its worker sent a malformed reply"),
            (#"printf '\0\0\0\0\5\1\0\0\0\1x' >&3; exec sleep 100"#, "its worker sent a malformed reply"),
            (#"printf '\0\0\0\0\5\0\0\0\0\5' >&3; exec sleep 100"#, "its worker sent a malformed reply"),
        ])
    func broken(script: String, message: String) {
        let directory = TemporaryDirectory()
        let executable = directory.write("worker", "#!/bin/sh\n\(script)\n", mode: 0o755)
        var limits = JqLimits.patient
        if message.contains("within") { limits.wallTime = .milliseconds(200) }
        let evaluator = StreamEvaluator(executable: executable, limits: limits)
        // Silence is waited for twice for each input.
        let inputs = (0..<(message.contains("within") ? 3 : 20)).map { element("\($0)") }
        #expect(
            written(evaluator.evaluateAll(StreamProgram(".", .one), on: inputs)) == inputs.map { _ in "! \(message)" })
    }

    @Test("what a worker sends after its last reply ends it, but not the results")
    func excess() {
        let directory = TemporaryDirectory()
        let script = #"printf '\0\0\0\0\5\0\0\0\0\1\0\0\0\0\2\0' >&3; exec sleep 100"#
        let executable = directory.write("worker", "#!/bin/sh\n\(script)\n", mode: 0o755)
        let evaluator = StreamEvaluator(executable: executable, limits: .patient)
        for _ in 0..<2 {
            #expect(
                written(evaluator.evaluateAll(StreamProgram(".", .condition), on: inputs("1", "2")))
                    == ["[true]", "[false]"])
        }
    }

    @Test("a worker that cannot be started fails the inputs")
    func absent() {
        let evaluator = StreamEvaluator(executable: "/nonexistent", limits: .patient)
        let fault = "! its worker cannot be started: No such file or directory (ENOENT)"
        #expect(
            written(evaluator.evaluateAll(StreamProgram(".", .one), on: inputs("1", "2"))) == [fault, fault])
    }

    @Test("a worker that has leaked half of its memory is renewed; no input fails for it")
    func renewed() {
        let started = Locked(0)
        var limits = JqLimits.patient
        limits.memory = 32 << 20
        let evaluator = StreamEvaluator(limits: limits) { [limits] () throws(WorkerStartError) in
            started.withLock { $0 += 1 }
            return try StreamWorker(executable: RxJqTests.program, limits: limits)
        }
        // jq 1.6 leaks about 100 bytes at each `ltrimstr` of something that is no string.
        let leaking = StreamProgram("last(range(1; 101) | ltrimstr([.]))", .one)
        let one = (0..<500).map { _ in element("0") }
        for _ in 0..<60 where started.withLock({ $0 }) < 3 {
            #expect(written(evaluator.evaluateAll(leaking, on: one)) == one.map { _ in "[100]" })
        }
        #expect(started.withLock { $0 } == 3)
    }

    @Test("callers share two workers, one each, and more callers wait")
    func callers() async {
        let started = Locked(0)
        let evaluator = StreamEvaluator(limits: .patient) { () throws(WorkerStartError) in
            started.withLock { $0 += 1 }
            return try StreamWorker(executable: RxJqTests.program, limits: .patient)
        }
        await withTaskGroup(of: Bool.self) { group in
            for caller in 0..<5 {
                group.addTask {
                    (0..<50).allSatisfy { number in
                        let program = StreamProgram(". + \(number % 7)", .one)
                        let results = evaluator.evaluateAll(program, on: [element("\(caller)"), element("1")])
                        return written(results) == ["[\(caller + number % 7)]", "[\(1 + number % 7)]"]
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
        #expect(started.withLock { (1...2).contains($0) })
    }

    @Test("an evaluator that is dropped takes its worker with it")
    func dropped() async throws {
        let started = Locked<[pid_t]>([])
        var evaluator: StreamEvaluator? = StreamEvaluator(limits: .patient) { () throws(WorkerStartError) in
            let worker = try StreamWorker(executable: RxJqTests.program, limits: .patient)
            started.withLock { $0.append(worker.child.pid) }
            return worker
        }
        _ = evaluator?.evaluate(StreamProgram(".", .one), on: inputs("1"))
        evaluator = nil
        let pid = try #require(started.withLock { $0.first })
        #expect(kill(pid, 0) == -1)
    }

    @Test("a worker dies with its parent, even while it computes")
    func orphan() async throws {
        let directory = TemporaryDirectory()
        let fifo = directory.path + "/fifo"
        mkfifo(fifo, 0o600)
        let socket = open(fifo, O_RDWR | O_CLOEXEC)
        defer { close(socket) }
        var request = StreamRequest()
        let endless = StreamProgram("last(range(1e15))", .one)
        request.compile(endless, as: EvaluatedProgram(endless), in: 0)
        request.run(0, [], on: [element("0")])
        #expect(write(socket, request.bytes, request.bytes.count) == request.bytes.count)
        // It has 16 s of processor time, and uses 2 s at most after the end of its parent.
        let parent = directory.write(
            "parent",
            """
            #!/bin/sh
            '\(RxJqTests.program)' --jq-stream-worker $$ 268435456 16000 3<>'\(fifo)' &
            echo $! > '\(directory.path)/pid'
            wait
            """, mode: 0o755)
        var pid: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(parent), nil]
        defer { free(arguments[0]) }
        try #require(posix_spawn(&pid, parent, nil, nil, &arguments, environ) == 0)
        #expect(await eventually { directory.read("pid")?.hasSuffix("\n") == true })
        let worker = try #require(directory.read("pid").flatMap { pid_t($0.dropLast()) })
        #expect(await eventually { processorTicks(worker) > 10 })
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
        var used = 0
        let hasEnded = await eventually(within: .seconds(120)) {
            let ticks = processorTicks(worker)
            used = max(used, ticks)
            return ticks < 0
        }
        #expect(hasEnded)
        #expect(used < 10 * sysconf(Int32(_SC_CLK_TCK)))
    }
}

extension StreamEvaluator {
    /// Calls it until each input has its result.
    func evaluateAll(_ program: StreamProgram, on inputs: [ProgramInput]) -> [ProgramResult] {
        var results: [ProgramResult] = []
        repeat {
            results += evaluate(program, on: Array(inputs[results.count...]))
        } while results.count < inputs.count
        return results
    }
}

/// The processor time of a process in ticks of the kernel; -1 if it has ended.
private func processorTicks(_ pid: pid_t) -> Int {
    guard let fields = readText("/proc/\(pid)/stat")?.split(separator: ")").last?.split(separator: " "),
        fields.count > 12, fields[0] != "Z", let user = Int(fields[11])
    else { return -1 }
    return user
}
