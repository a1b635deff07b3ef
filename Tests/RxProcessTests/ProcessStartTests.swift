import HostTestSupport
import RxRecords
import Glibc
import RxHost
import RxJSON
import Testing
import TestSupport

@testable import RxProcess

@Suite(.countedApart)
struct ProcessStartTests {
    let directory = TemporaryDirectory()

    private func facts(_ program: String, _ change: (inout ProcessDefinition) -> Void = { _ in }) async -> JSONObject? {
        var definition = ProcessDefinition(arguments: [.text(program)])
        change(&definition)
        let execution = Recorded(definition)
        #expect(await execution.all() == [])
        // None of these passes by itself.
        #expect(execution.failure?.mayPass == false)
        return execution.failure?.facts
    }

    @Test("a missing program is ENOENT with its path")
    func missing() async {
        #expect(await facts("/no/such/program") == ["errno": "ENOENT", "path": "/no/such/program"])
        #expect(await facts("no-such-program-on-path") == ["errno": "ENOENT", "path": "no-such-program-on-path"])
    }

    @Test("a file that is not executable is EACCES, by path and through PATH")
    func notExecutable() async {
        let file = directory.write("bin/tool", "#!/bin/sh\n")
        #expect(await facts(file) == ["errno": "EACCES", "path": .string(file)])
        let found = await facts("tool") { $0.environment["PATH"] = "/no/such:\(directory.path)/bin" }
        #expect(found == ["errno": "EACCES", "path": .string(file)])
    }

    @Test("the first executable on PATH is started, past one that is not executable")
    func searchesPath() async {
        directory.write("a/tool", "#!/bin/sh\necho a\n")
        directory.write("b/tool", "#!/bin/sh\necho b \"$0\" \"$1\"\n", mode: 0o755)
        var definition = ProcessDefinition(arguments: [.text("tool"), .text("x")])
        definition.environment["PATH"] = "relative::\(directory.path)/a:\(directory.path)/b"
        #expect(await Recorded(definition).all() == [#""b \#(directory.path)/b/tool x""#])
    }

    @Test("a directory or a device in place of a program is EACCES")
    func notAFile() async {
        #expect(await facts("/tmp") == ["errno": "EACCES", "path": "/tmp"])
        #expect(await facts("/dev/null") == ["errno": "EACCES", "path": "/dev/null"])
    }

    @Test("a file on the way that is no directory is ENOTDIR")
    func notADirectory() async {
        #expect(await facts("/etc/passwd/program") == ["errno": "ENOTDIR", "path": "/etc/passwd/program"])
    }

    @Test("a working directory that is missing or none is named, not the program")
    func workingDirectory() async {
        let file = directory.write("file", "")
        #expect(await facts("true") { $0.cwd = "/no/such" } == ["errno": "ENOENT", "path": "/no/such"])
        #expect(await facts("true") { $0.cwd = file } == ["errno": "ENOTDIR", "path": .string(file)])
    }

    @Test("an unreadable directory is EACCES", .disabled(if: geteuid() == 0, "root reads everything"))
    func unreadable() async {
        directory.write("closed/program", "#!/bin/sh\n", mode: 0o755)
        let closed = "\(directory.path)/closed"
        chmod(closed, 0)
        #expect(await facts("\(closed)/program") == ["errno": "EACCES", "path": .string("\(closed)/program")])
        #expect(await facts("true") { $0.cwd = closed } == ["errno": "EACCES", "path": .string(closed)])
    }

    @Test("a script whose interpreter is missing names the interpreter and the script")
    func interpreter() async {
        let script = directory.write("script", "#! /no/such/interpreter -x\n", mode: 0o755)
        #expect(
            await facts(script) == [
                "errno": "ENOENT", "path": "/no/such/interpreter", "script": .string(script),
            ])
    }

    @Test("a file in no known format is ENOEXEC")
    func unknownFormat() async {
        let file = directory.write("text", "just text\n", mode: 0o755)
        #expect(await facts(file) == ["errno": "ENOEXEC", "path": .string(file)])
    }

    @Test("a relative program is found from the working directory")
    func relative() async {
        directory.write("tool", "#!/bin/sh\npwd\n", mode: 0o755)
        var definition = ProcessDefinition(arguments: [.text("./tool")])
        definition.cwd = directory.path
        #expect(await Recorded(definition).all() == [#""\#(directory.path)""#])
    }

    @Test("arguments too large together are E2BIG")
    func tooLarge() async {
        // 40 of the longest single argument are more than the 6 MiB that any stack limit allows.
        let longest = String(repeating: "x", count: 131_071)
        var definition = ProcessDefinition(arguments: [.text("/bin/true")])
        definition.arguments += Array(repeating: .text(longest), count: 60)
        let execution = Recorded(definition)
        _ = await execution.all()
        #expect(execution.failure?.facts == ["errno": "E2BIG", "path": "/bin/true"])
        #expect(execution.failure?.mayPass == false)
    }

    @Test("that there is no memory, process or descriptor to be had may pass")
    func mayPass() {
        for code in [EAGAIN, ENOMEM, EMFILE, ENFILE, ETXTBSY] {
            #expect(WorkFailure.notStarted(StartFailure(code: code, path: "/bin/true")).mayPass)
        }
    }

    @Test("a process starts with no signal blocked and none ignored, whatever the daemon does")
    func signals() async {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGHUP, SIG_IGN)
        defer { signal(SIGHUP, SIG_DFL) }
        let execution = Recorded(shell: "exec grep -E '^Sig(Blk|Ign)' /proc/self/status")
        let masks = await execution.all().map { UInt64($0.suffix(17).dropLast(), radix: 16) }
        // 32 and 33 are glibc's own; its posix_spawn has every program start with them ignored.
        let programs: UInt64 = ~0b11 << 31 | 0x7FFF_FFFF
        #expect(masks.map { $0.map { $0 & programs } } == [0, 0])
    }

    @Test("a process leads a session and a group of its own")
    func group() async {
        let execution = Recorded(shell: "echo $$; cut -d' ' -f5 /proc/$$/stat; cut -d' ' -f6 /proc/$$/stat")
        let lines = await execution.all()
        #expect(lines.count == 3 && Set(lines).count == 1)
        #expect(number(lines[0]) != getpgrp())
    }

    @Test("a process inherits its three descriptors and no other")
    func descriptors() async {
        // One without close-on-exec, as a careless library would leave it.
        let leak = open("/dev/null", O_RDONLY)
        defer { close(leak) }
        let execution = Recorded(shell: "exec ls /proc/self/fd")
        // The fourth is the directory `ls` reads.
        #expect(await execution.all() == [#""0""#, #""1""#, #""2""#, #""3""#])
    }

    @Test("no descriptor of the daemon's is left open by executions, however they end")
    func noLeaks() async {
        let launcher = Harness.launcher()
        let text = directory.write("text", "just text\n", mode: 0o755)
        let tooMuch = Array(repeating: ProcessArgument.text(String(repeating: "x", count: 131_071)), count: 60)
        func open() -> Int { (try? descriptorsInUse()) ?? -1 }
        func everyEnd() async {
            for script in ["true", "exit 3", "kill -9 $$", "printf x; sleep 1000"] {
                let definition = ProcessDefinition(arguments: [.text("/bin/sh"), .text("-c"), .text(script)])
                let execution = Recorded(definition, launcher: launcher)
                if script.hasSuffix("1000") {
                    execution.cancel()
                }
                _ = await execution.all()
            }
            // The last two are found, but not started.
            for program in ["/no/such", text, "/bin/true"] {
                var definition = ProcessDefinition(arguments: [.text(program)])
                if program == "/bin/true" { definition.arguments += tooMuch }
                _ = await Recorded(definition, launcher: launcher).all()
            }
        }
        await everyEnd()
        // Other tests open and close theirs meanwhile: a leak grows without end, they do not.
        let before = open()
        for _ in 0..<40 { await everyEnd() }
        #expect(await eventually { open() < before + 100 })
    }

    private func descriptorsInUse() throws -> Int {
        let stream = try #require(opendir("/proc/self/fd"))
        defer { closedir(stream) }
        var count = 0
        while readdir(stream) != nil { count += 1 }
        return count
    }
}
