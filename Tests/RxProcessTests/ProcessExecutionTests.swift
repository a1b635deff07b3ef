import HostTestSupport
import RxRecords
import Glibc
import Rx
import RxAction
import RxHost
import RxJSON
import Testing
import TestSupport

@testable import RxProcess

@Suite(.countedApart)
struct ProcessExecutionTests {
    @Test("cancel is SIGTERM: the process may write its last words, and the work ends when it has ended")
    func cancel() async {
        let execution = Recorded(shell: "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.01; done") {
            $0.grace = .seconds(1000)
        }
        _ = await execution.firstElement()
        execution.cancel()
        #expect(await execution.all() == [#""ready""#, #""bye""#])
        // (The shell may also report on standard error that its `sleep` was terminated.)
        #expect(execution.failure?.facts["exit"] == 7)
    }

    @Test("a process that ignores SIGTERM is killed after the grace, its whole group with it")
    func kill() async {
        let execution = Recorded(
            shell: "trap '' TERM; sleep 1000 & echo $!; echo $$; while :; do sleep 0.01; done"
        ) { $0.grace = .milliseconds(200) }
        #expect(await eventually { execution.elements.count == 2 })
        let start = ContinuousClock.now
        execution.cancel()
        _ = await execution.all()
        #expect(ContinuousClock.now - start >= .milliseconds(200))
        #expect(execution.failure?.facts["signalName"] == "SIGKILL")
        for pid in execution.elements.map(number) {
            #expect(await eventually { !isAlive(pid) })
        }
    }

    @Test("without grace cancel is SIGKILL at once")
    func noGrace() async {
        let execution = Recorded(shell: "trap '' TERM; echo ready; while :; do sleep 0.01; done") { $0.grace = .zero }
        _ = await execution.firstElement()
        execution.cancel()
        _ = await execution.all()
        #expect(execution.failure?.facts["signalName"] == "SIGKILL")
    }

    @Test("whoever cancels may shorten the grace")
    func ownGrace() async {
        let execution = Recorded(shell: "trap '' TERM; echo ready; while :; do sleep 0.01; done") {
            $0.grace = .seconds(1000)
        }
        _ = await execution.firstElement()
        execution.cancel(grace: .milliseconds(10))
        _ = await execution.all()
        #expect(execution.failure?.facts["signalName"] == "SIGKILL")
    }

    @Test("an action's execution is in flight until its canceled process has ended, and then canceled")
    func cooperative() async {
        let launcher = Harness.launcher
        let work = launcher.work(
            ProcessDefinition(
                arguments: [
                    .text("/bin/sh"), .text("-c"),
                    .text("trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.01; done"),
                ], grace: .seconds(1000)))
        let told = Locked<[String]>([])
        let action = Action<RawJSON, RawJSON>(
            work: { work(Invocation(action: "test", input: $0, context: $1)) },
            onTransition: { transition in
                switch transition {
                case .element(_, let element): told.withLock { $0.append(element.text) }
                case .ended(_, .cancelled): told.withLock { $0.append("cancelled") }
                case .ended(_, let end): told.withLock { $0.append("\(end)") }
                case .queued, .started, .executing, .enabled, .refused, .conditionFailed: break
                }
            })
        guard case .success(let execution) = action.start(.null) else {
            Issue.record("refused")
            return
        }
        #expect(await eventually { told.withLock { $0 } == [#""ready""#] })
        execution.cancel()
        #expect(await eventually { !action.isExecuting })
        #expect(told.withLock { $0 } == [#""ready""#, #""bye""#, "cancelled"])
    }

    @Test("a cancel in the moment of the start keeps the process from being started, or ends it as soon as it is")
    func earlyCancel() async {
        for _ in 0..<50 {
            let execution = Recorded(shell: "exec sleep 1000") { $0.grace = .seconds(1000) }
            execution.cancel()
            _ = await execution.all()
            let isStarted = execution.failure?.facts["signalName"] == "SIGTERM"
            #expect(isStarted || execution.failure == .cancelledBeforeStart)
        }
    }

    @Test("disposing ends the group, and nothing is heard any more")
    func dispose() async {
        let execution = Recorded(shell: "trap 'echo late' TERM; sleep 1000 & echo $!; echo $$; wait; wait; sleep 1000")
        {
            $0.grace = .milliseconds(100)
        }
        #expect(await eventually { execution.elements.count == 2 })
        let pids = execution.elements.map(number)
        execution.dispose()
        for pid in pids { #expect(await eventually { !isAlive(pid) }) }
        #expect(execution.elements.count == 2)
        #expect(!execution.hasEnded)
    }

    @Test("members of the group that hold the output are heard until they let go")
    func lingering() async {
        let execution = Recorded(shell: "(sleep 0.1; echo late) & echo early") { $0.grace = .seconds(1000) }
        #expect(await execution.all() == [#""early""#, #""late""#])
        #expect(execution.isCompleted)
    }

    @Test("members that hold the output longer than the grace are ended, and the leader's status decides")
    func lingeringTooLong() async {
        let execution = Recorded(shell: "sleep 1000 & echo $!; exit 0") { $0.grace = .milliseconds(100) }
        let member = number(await execution.firstElement())
        _ = await execution.all()
        #expect(execution.isCompleted)
        #expect(await eventually { !isAlive(member) })
    }

    @Test("members that ignore SIGTERM and hold the output are killed")
    func lingeringStubborn() async {
        let execution = Recorded(shell: "(trap '' TERM; echo $$; while :; do sleep 0.01; done) & exit 4") {
            $0.grace = .milliseconds(50)
        }
        _ = await execution.all()
        #expect(execution.failure?.facts == ["exit": 4])
    }

    @Test("a process that left the session and holds the output does not hold up the end, and lives on")
    func escaped() async {
        let execution = Recorded(shell: "setsid sh -c 'echo $$; exec sleep 1000' & wait") {
            $0.grace = .milliseconds(50)
        }
        let pid = number(await execution.firstElement())
        execution.cancel()
        _ = await execution.all()
        #expect(execution.hasEnded)
        #expect(isAlive(pid))
        Glibc.kill(pid, SIGKILL)
    }

    @Test("the output is closed on a process that left the session, the grace after the leader's end")
    func daemonised() async {
        // The leader ends when the other one has left, and has written its number.
        let script = #"""
            setsid sh -c 'echo $$; exec sleep 1000' &
            until [ "$(cat /proc/$!/comm)" = sleep ]; do sleep 0.01; done
            """#
        let execution = Recorded(shell: script) { $0.grace = .milliseconds(300) }
        let pid = number(await execution.firstElement())
        _ = await execution.all()
        #expect(execution.isCompleted)
        #expect(isAlive(pid))
        #expect(execution.notes.map(\.source) == [.ending])
        #expect(execution.notes.first?.text.contains("outside its session") == true)
        Glibc.kill(pid, SIGKILL)
    }

    @Test("what has a group of its own within the session is ended too", arguments: [Duration.seconds(1000), .zero])
    func ownGroup(grace: Duration) async throws {
        // As `timeout` does, and shells with job control.
        let execution = Recorded(shell: "timeout 1000 sh -c 'echo $$; exec sleep 1000' & echo $!; wait")
        #expect(await eventually { execution.elements.count == 2 })
        let pids = execution.elements.map(number)
        #expect(try pids.contains { try ProcessTable.entry($0)?.group == $0 })
        execution.cancel(grace: grace)
        _ = await execution.all()
        #expect(pids.map(isAlive) == [false, false])
    }

    @Test("a member that let go of the output has the whole grace to end after its leader has")
    func graceOfMembers() async {
        let directory = TemporaryDirectory()
        let script = """
            (trap 'sleep 0.2; echo done > \(directory.path)/goodbye; exit' TERM; echo >&3; exec 3>&-
                while :; do sleep 0.01; done) \
            3>&1 >/dev/null 2>&1 & wait
            """
        let execution = Recorded(shell: script) { $0.grace = .seconds(1000) }
        _ = await execution.firstElement()
        execution.cancel()
        _ = await execution.all()
        #expect(directory.read("goodbye") == "done\n")
    }

    @Test("a member that let go of the output and ignores SIGTERM is killed after the grace")
    func graceOfMembersOver() async {
        let execution = Recorded(
            shell: "(trap '' TERM; echo; exec sleep 1000 >/dev/null 2>&1) & echo $!; exec sleep 1000"
        ) { $0.grace = .milliseconds(200) }
        #expect(await eventually { execution.elements.count == 2 })
        let start = ContinuousClock.now
        execution.cancel()
        _ = await execution.all()
        #expect(ContinuousClock.now - start >= .milliseconds(200))
        for pid in execution.elements.map(number) where pid > 0 { #expect(!isAlive(pid)) }
        #expect(execution.notes.map(\.text).map { $0.prefix(7) } == ["SIGTERM", "SIGKILL"])
    }

    @Test("when the end is reported, nobody of the session is alive", arguments: [Duration.milliseconds(200), .zero])
    func nobody(grace: Duration) async throws {
        // As many as take the kernel a moment.
        let execution = Recorded(
            shell: "trap '' TERM; for i in $(seq 100); do sleep 1000 >/dev/null 2>&1 & done; echo $$; exec sleep 1000")
        let leader = number(await execution.firstElement())
        #expect(try ProcessSession(leader: leader, in: LinuxSessions()).members().count > 100)
        execution.cancel(grace: grace)
        _ = await execution.all()
        #expect(try ProcessSession(leader: leader, in: LinuxSessions()).members() == [])
    }

    @Test("a stopped process hears SIGTERM")
    func stopped() async {
        let execution = Recorded(shell: "trap 'echo bye; exit 7' TERM; echo $$; kill -STOP $$; sleep 1000") {
            $0.grace = .seconds(1000)
        }
        let pid = number(await execution.firstElement())
        #expect(await eventually { readText("/proc/\(pid)/stat")?.contains(") T ") == true })
        execution.cancel()
        #expect(await execution.all().last == #""bye""#)
    }

    @Test("a second word may shorten the grace, not lengthen it")
    func shorterGrace() async {
        let execution = Recorded(shell: "trap '' TERM; echo ready; echo oops >&2; while :; do sleep 0.01; done") {
            $0.output = .json
            $0.grace = .seconds(1000)
        }
        // The fault in the output has begun the end, with the grace of the definition.
        #expect(await eventually { execution.notes.contains { $0.source == .ending } })
        execution.cancel(grace: .milliseconds(10))
        _ = await execution.all()
        #expect(execution.failure?.facts["line"] == 1)
    }

    @Test("output written after the process has ended comes before the end, or not at all")
    func late() async {
        let execution = Recorded(shell: "(while :; do echo x; sleep 0.01; done) & sleep 0.05; exit 0") {
            $0.grace = .milliseconds(100)
        }
        let count = await execution.all().count
        #expect(execution.isCompleted)
        // The end was reported and nobody is left who could write: nothing may come any more.
        #expect(execution.elements.count == count)
        #expect(execution.notes.contains { $0.source == .ending && $0.text.hasSuffix(": sending SIGTERM") })
    }

    @Test(
        "each signal that ends a process is named", arguments: [SIGHUP, SIGINT, SIGABRT, SIGSEGV, SIGPIPE, SIGUSR1, 40])
    func signals(_ signal: Int32) async {
        let execution = Recorded(shell: "ulimit -c 0; kill -\(signal) $$")
        _ = await execution.all()
        #expect(
            execution.failure?.facts == [
                "signal": .number(JSONNumber(Int(signal))), "signalName": .string(signalName(signal)),
            ])
        #expect(execution.failure?.mayPass == true)
    }

    @Test(
        "an exit after which the same would end the same is not to be retried, another is",
        arguments: [
            (1, true), (2, true), (64, false), (65, false), (69, true), (75, true), (77, false), (78, false),
            (126, false), (127, false), (255, true),
        ])
    func exits(_ exit: Int, mayPass: Bool) async {
        let execution = Recorded(shell: "echo oops >&2; exit \(exit)")
        _ = await execution.all()
        #expect(execution.failure?.facts["exit"] == .number(JSONNumber(exit)))
        #expect(execution.failure?.mayPass == mayPass)
    }

    @Test("a normal end leaves no note of an ending")
    func silent() async {
        for script in ["exit 0", "exit 3"] {
            let execution = Recorded(shell: script)
            _ = await execution.all()
            #expect(execution.notes == [])
        }
    }

    @Test("members that let go of the output outlive a normal end")
    func background() async {
        let execution = Recorded(shell: "sleep 1000 >/dev/null 2>&1 & echo $!") { $0.grace = .seconds(1000) }
        let pid = number(await execution.firstElement())
        _ = await execution.all()
        #expect(execution.isCompleted)
        #expect(isAlive(pid))
        Glibc.kill(pid, SIGKILL)
    }

    @Test("members that let go of the output do not outlive a cancel")
    func backgroundCancelled() async {
        let execution = Recorded(
            shell: "(trap '' TERM; exec sleep 1000) >/dev/null 2>&1 & echo $!; exec sleep 1000")
        let pid = number(await execution.firstElement())
        execution.cancel()
        _ = await execution.all()
        #expect(await eventually { !isAlive(pid) })
    }

    @Test("a fault in the output ends the process, and the fault is the error")
    func fault() async {
        let execution = Recorded(shell: "echo $$ >&2; echo nonsense; exec sleep 1000") { $0.output = .json }
        _ = await execution.all()
        #expect(execution.failure?.facts["line"] == 1)
        let pid = number(execution.failure?.facts["stderr"]?.string ?? "")
        #expect(pid > 0 && !isAlive(pid))
    }

    @Test("a process that closes its output and goes on is waited for")
    func closesOutput() async {
        let execution = Recorded(shell: "echo one; exec >&- 2>&-; sleep 0.1; exit 5")
        #expect(await execution.all() == [#""one""#])
        #expect(execution.failure?.facts == ["exit": 5])
    }

    @Test("two hundred executions at once all end")
    func many() async {
        let executions = (0..<200).map { Recorded(shell: "echo \($0)") }
        for (index, execution) in executions.enumerated() {
            #expect(await execution.all() == ["\"\(index)\""])
        }
    }
}
