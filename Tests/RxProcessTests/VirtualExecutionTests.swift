import Glibc
import HostTestSupport
import RxJSON
import RxRecords
import Testing

@testable import RxProcess

/// Whole executions on one thread, in virtual time, without processes.
struct VirtualExecutionTests {
    private let system = VirtualSystem()

    private func execution(input: String = "null", grace: Duration = .seconds(5)) -> Recorded {
        let services = ProcessServices(system, environment: ProcessEnvironment(entries: [])) { [system] in
            system.note("\($0.source): \($0.text)")
        }
        return Recorded(
            ProcessDefinition(arguments: [.text("/bin/tool"), .text("x")], grace: grace), input: input,
            launcher: services)
    }

    @Test("from the start over SIGTERM and SIGKILL to the end, always in the same order")
    func stubborn() {
        system.onSignal = { [system] signal in
            switch signal {
            case SIGTERM: system.write("no\n")
            case SIGKILL: system.exit(.signaled(SIGKILL))
            case _: break
            }
        }
        let execution = execution(input: #"{"a": 1}"#)
        system.advance(by: .seconds(1))
        #expect(system.input == Array("{\"a\": 1}\n".utf8))
        system.write("ready\nhalf")
        system.run()
        #expect(execution.elements == [#""ready""#])
        execution.cancel()
        system.advance(by: .milliseconds(4999))
        #expect(execution.elements == [#""ready""#, #""halfno""#])
        #expect(!execution.hasEnded)
        system.advance(by: .milliseconds(1))
        #expect(execution.failure?.facts["signalName"] == "SIGKILL")
        #expect(
            system.log == [
                #"0.0 seconds spawn /bin/tool: ["/bin/tool", "x"]"#,
                "1.0 seconds ending: SIGTERM to process 100 and its session, which have 5s to end",
                "1.0 seconds SIGTERM to group 100",
                "1.0 seconds SIGCONT to group 100",
                "6.0 seconds ending: SIGKILL to process 100 and its session",
                "6.0 seconds SIGKILL to group 100",
                "6.0 seconds reaped",
            ])
        #expect(system.openDescriptors == [])
    }

    @Test("a process that survives SIGKILL is reported as left behind, and reaped when it ends after all")
    func survivor() {
        let execution = execution(grace: .zero)
        system.advance(by: .seconds(1))
        execution.cancel()
        system.advance(by: .milliseconds(4999))
        #expect(!execution.hasEnded)
        system.advance(by: .milliseconds(1))
        #expect(execution.failure == .leftBehind(VirtualSystem.pid))
        #expect(system.openDescriptors == [])
        system.advance(by: .seconds(60))
        #expect(system.log.last?.contains("reaped") == false)
        system.exit(.exited(0))
        system.run()
        #expect(system.log.last == "66.0 seconds reaped")
        #expect(execution.failure == .leftBehind(VirtualSystem.pid))
    }

    @Test("a child that holds the output gets SIGTERM after the grace, and the leader's status decides")
    func lingering() {
        system.onSignal = { [system] signal in
            if signal == SIGTERM { system.endChild() }
        }
        let execution = execution()
        system.run()
        system.fork(101)
        system.exit(.exited(0), closingOutput: false)
        system.advance(by: .milliseconds(4999))
        system.write("late\n")
        system.run()
        #expect(!execution.hasEnded)
        system.advance(by: .milliseconds(1))
        #expect(execution.isCompleted)
        #expect(execution.elements == [#""late""#])
        let note = "the process has ended, but others of its session hold its output open after 5s: sending SIGTERM"
        #expect(
            system.log.dropFirst() == [
                "5.0 seconds ending: \(note)",
                "5.0 seconds SIGTERM to group 100",
                "5.0 seconds SIGCONT to group 100",
                "5.0 seconds reaped",
            ])
    }

    @Test("a process that cannot be spawned leaves no descriptor open")
    func notSpawned() {
        system.spawnError = ENOMEM
        let execution = execution()
        system.run()
        #expect(execution.failure?.facts == ["errno": "ENOMEM", "path": "/bin/tool"])
        #expect(system.openDescriptors == [])
    }

    @Test(
        "a process that cannot be watched is killed, and neither a watch nor a descriptor is left of it",
        arguments: 0...3)
    func unwatchable(watches: Int) {
        system.onSignal = { [system] in
            if $0 == SIGKILL { system.exit(.signaled(SIGKILL)) }
        }
        // Its end is watched first, then the rest of its input, its output, and its standard error.
        system.inputRoom = 2
        system.watchesLeft = watches
        let execution = execution(input: #"{"a": 1}"#)
        system.run()
        #expect(execution.failure?.message.hasPrefix("cannot watch the process: ") == true)
        #expect(system.log.contains("0.0 seconds SIGKILL to group 100"))
        #expect(system.log.last == "0.0 seconds reaped")
        #expect(system.watchedDescriptors == [])
        #expect(system.openDescriptors == [])
    }

    @Test("a process whose status is lost has failed, and its pipes are closed once")
    func lostStatus() {
        let execution = execution()
        system.run()
        system.write("half")
        system.exit(.unknown(EMFILE))
        system.run()
        #expect(execution.elements == [#""half""#])
        #expect(execution.failure?.facts == ["errno": "EMFILE"])
        #expect(system.openDescriptors == [])
    }

    @Test("an execution that is canceled before its start spawns nothing")
    func neverStarted() {
        let execution = execution()
        execution.cancel()
        system.run()
        #expect(execution.failure == .cancelledBeforeStart)
        #expect(system.log == [])
    }
}
