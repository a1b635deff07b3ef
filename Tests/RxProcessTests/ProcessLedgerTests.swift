import HostTestSupport
import RxPlatform
import RxRecords
import Glibc
import Rx
import RxHost
import RxJSON
import Testing
import TestSupport

@testable import RxProcess

@Suite(.countedApart)
struct ProcessLedgerTests {
    let directory = TemporaryDirectory()

    private func ledger() throws -> ProcessLedger {
        try ProcessLedger.opened(in: directory.path)
    }

    /// A process that the ledger under test has not started, as if another daemon had.
    private func orphan(_ script: String) -> Recorded {
        Recorded(shell: script) { $0.grace = .seconds(1000) }
    }

    /// A ledger as an earlier daemon left it, with one line.
    private func ledger(with mark: String, _ line: String) throws -> ProcessLedger {
        let spaces = String(repeating: " ", count: LedgerFile.slotBytes - line.utf8.count - 3)
        directory.write("processes", "\(mark) \(line)\(spaces)\n")
        return try ledger()
    }

    private func ledger(
        of execution: Recorded, pid: pid_t, startTime: UInt64? = nil, boot: String = ProcessTable.bootID()
    ) throws -> ProcessLedger {
        let start = try startTime ?? #require(try ProcessTable.entry(pid)).startTime
        return try ledger(with: "+", "\(execution.id) \(pid) \(start) \(boot)")
    }

    private func ended(_ execution: Recorded) -> Orphan { Orphan(execution: execution.id, fate: .ended) }

    /// What is on record, each line without its spaces at the end. Slots of a new file are zeros.
    private var lines: [String] {
        (directory.read("processes") ?? "").replacing("\0", with: "").split(separator: "\n").map { line in
            String(String(line.reversed().drop { $0 == " " }).reversed())
        }.filter { !$0.isEmpty }
    }

    @Test("with any bit of a line flipped, it is damaged, or the line means the same")
    func flipped() throws {
        do { try ledger().begin(execution: "e1")?.record(4321, startTime: 99) }
        func records(_ ledger: ProcessLedger) -> [String] {
            ledger.file.texts().map { line in
                let record = OrphanRecord(line.text, isWhole: line.isWhole, boot: ledger.boot)
                return "\(record?.execution ?? "-") \(record?.leader.map { "\($0)" } ?? "-")"
            }
        }
        let (before, slot) = try { (records($0), $0.file.texts()[0].slot) }(ledger())
        let file = try #require(fopen(directory.path + "/processes", "r+"))
        defer { fclose(file) }
        func flip(_ bit: Int) {
            let place = off_t(slot * LedgerFile.slotBytes + bit / 8)
            var byte: UInt8 = 0
            pread(fileno(file), &byte, 1, place)
            byte ^= 1 << (bit % 8)
            pwrite(fileno(file), &byte, 1, place)
        }
        var damaged = 0
        for bit in 0..<(LedgerFile.slotBytes * 8) {
            flip(bit)
            let ledger = try ledger()
            if ledger.isDamaged { damaged += 1 } else { #expect(records(ledger) == before, "bit \(bit)") }
            flip(bit)
        }
        #expect(damaged > 700)
    }

    @Test("a living process is on record with pid and start time before its output is read, and not after its end")
    func records() async throws {
        let launcher = Harness.launcher(ledger: try ledger())
        let definition = ProcessDefinition(arguments: [
            .text("/bin/sh"), .text("-c"), .text("echo $$; exec sleep 1000"),
        ])
        let execution = Recorded(definition, launcher: launcher)
        let pid = number(await execution.firstElement())
        let entry = try #require(try ProcessTable.entry(pid))
        let fields = "\(execution.id) \(pid) \(entry.startTime) \(ProcessTable.bootID())"
        #expect(lines == ["+ \(LedgerChecksum.adding(to: fields))"])
        execution.cancel()
        _ = await execution.all()
        #expect(lines == [])
    }

    @Test("a line is there before the process is, so that none is started unseen")
    func recordsFirst() throws {
        let ledger = try ledger()
        let entry = try #require(ledger.begin(execution: "e1"))
        #expect(lines == ["? e1"])
        entry.end()
        #expect(lines == [])
    }

    @Test("a daemon that leaves at once ends its own processes by the ledger, and their executions end after it")
    func endsOwn() async throws {
        let ledger = try ledger()
        let launcher = Harness.launcher(ledger: ledger)
        let definition = ProcessDefinition(
            arguments: [.text("/bin/sh"), .text("-c"), .text("trap '' TERM; echo $$; while :; do sleep 0.01; done")])
        let execution = Recorded(definition, launcher: launcher)
        let pid = number(await execution.firstElement())
        #expect(ledger.endOrphans(grace: .zero) == [ended(execution)])
        #expect(!isAlive(pid))
        _ = await execution.all()
        #expect(execution.failure?.facts["signalName"] == "SIGKILL")
        // The line was given back twice, once by each.
        let entries = (0..<LedgerFile.slotCount).compactMap { ledger.begin(execution: "\($0)") }
        #expect(Set(lines).count == entries.count)
    }

    @Test("a full ledger records no more, and what ends makes room")
    func full() throws {
        let ledger = try ledger()
        let entries = (0..<LedgerFile.slotCount).compactMap { ledger.begin(execution: "\($0)") }
        #expect(entries.count == LedgerFile.slotCount)
        #expect(ledger.begin(execution: "more") == nil)
        entries[5].end()
        #expect(ledger.begin(execution: "more") != nil)
        // With the line that notes it.
        #expect(Set(lines).count == LedgerFile.slotCount + 1 && lines.last == "! there were more processes than lines")
    }

    @Test("a process that cannot be started leaves no record")
    func notStarted() async throws {
        let launcher = Harness.launcher(ledger: try ledger())
        _ = await Recorded(ProcessDefinition(arguments: [.text("/no/such")]), launcher: launcher).all()
        #expect(lines == [])
    }

    @Test("a recorded leader that still lives is ended with its whole group")
    func endsGroup() async throws {
        let orphan = orphan("env -u RX_EXECUTION sleep 1000 & echo $!; echo $$; wait")
        try #require(await eventually { orphan.elements.count == 2 })
        let pids = orphan.elements.map(number)
        let ledger = try ledger(of: orphan, pid: pids[1])
        #expect(ledger.endOrphans() == [ended(orphan)])
        #expect(pids.map(isAlive) == [false, false])
        #expect(lines == [])
    }

    @Test("what has a group of its own in the session of a recorded leader is ended with it")
    func endsSession() async throws {
        let orphan = orphan("env -u RX_EXECUTION timeout 1000 sh -c 'echo $$; exec sleep 1000' & echo $$; wait")
        try #require(await eventually { orphan.elements.count == 2 })
        let pids = orphan.elements.map(number)
        let leader = try #require(pids.first { try ProcessTable.entry($0)?.session == $0 })
        let other = try #require(pids.first { $0 != leader })
        #expect(try ProcessTable.entry(other)?.group != leader)
        let ledger = try ledger(of: orphan, pid: leader)
        #expect(ledger.endOrphans() == [ended(orphan)])
        #expect(pids.map(isAlive) == [false, false])
    }

    @Test("one that ignores SIGTERM is killed after the grace")
    func kills() async throws {
        let orphan = orphan("trap '' TERM; echo $$; while :; do sleep 0.01; done")
        let pid = number(await orphan.firstElement())
        let ledger = try ledger(of: orphan, pid: pid)
        #expect(ledger.endOrphans(grace: .milliseconds(100)) == [ended(orphan)])
        #expect(!isAlive(pid))
    }

    /// Whether a process executes `sleep`, with its environment.
    private func isSleep(_ pid: pid_t) -> Bool {
        guard let file = fopen("/proc/\(pid)/cmdline", "r") else { return false }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = fread(&bytes, 1, bytes.count, file)
        return bytes[..<count].starts(with: Array("sleep".utf8) + [0])
    }

    @Test("members whose leader is gone are ended if their environment names the execution, and only then")
    func leaderless() async throws {
        let orphan = orphan("sleep 1000 & echo $!; env -u RX_EXECUTION sleep 1000 & echo $!; echo $$")
        try #require(await eventually { orphan.elements.count == 3 })
        let pids = orphan.elements.map(number)
        defer { kill(pids[1], SIGKILL) }
        #expect(await eventually { !isAlive(pids[2]) })
        // `env` has to become `sleep`, without the variable. Meanwhile, for a moment, no variable is visible.
        #expect(await eventually { isSleep(pids[1]) })
        let ledger = try ledger(of: orphan, pid: pids[2])
        #expect(ledger.endOrphans() == [ended(orphan)])
        #expect(pids.map(isAlive) == [false, true, false])
    }

    @Test("a pid that is somebody else's by now is left alone")
    func reusedPid() async throws {
        // The same pid and group, but neither the start time nor the environment.
        let other = orphan("unset RX_EXECUTION; echo $$; exec sleep 1000")
        let pid = number(await other.firstElement())
        #expect(await eventually { isSleep(pid) })
        let startTime = try #require(try ProcessTable.entry(pid)).startTime
        let ledger = try ledger(of: other, pid: pid, startTime: startTime - 1)
        #expect(ledger.endOrphans() == [])
        #expect(isAlive(pid))
        #expect(lines == [])
        other.cancel()
        _ = await other.all()
    }

    @Test("a record of before the last start of the machine is forgotten")
    func otherBoot() async throws {
        let other = orphan("echo $$; exec sleep 1000")
        let pid = number(await other.firstElement())
        let ledger = try ledger(of: other, pid: pid, boot: "00000000-0000-0000-0000-000000000000")
        #expect(ledger.endOrphans() == [])
        #expect(isAlive(pid))
        #expect(lines == [])
        other.cancel()
        _ = await other.all()
    }

    @Test("a record without a pid stands for the leader that names the execution in its environment")
    func unfinishedRecord() async throws {
        let orphan = orphan("echo $$; exec sleep 1000")
        let pid = number(await orphan.firstElement())
        let ledger = try ledger(with: "?", orphan.id)
        #expect(ledger.endOrphans() == [ended(orphan)])
        #expect(!isAlive(pid))
    }

    @Test(
        "what makes no sense in the file is removed and harms nobody",
        arguments: [
            "+", "+ x", "+ 1 2 3 4", "+ e -1 5 BOOT", "+ e 1 5 BOOT", "+ e 0 5 BOOT", "?", "? ", "x", "\u{0}", "\n\n",
        ])
    func nonsense(_ text: String) throws {
        directory.write("processes", text.replacing("BOOT", with: ProcessTable.bootID()))
        let ledger = try ledger()
        #expect(ledger.endOrphans() == [])
        #expect(lines == [])
        #expect(ledger.begin(execution: "e") != nil)
        #expect(lines == ["? e"])
    }

    @Test("a state directory that cannot be written is an error that names it")
    func unwritable() throws {
        let file = directory.write("file", "")
        #expect(throws: ProcessLedgerError(path: file + "/processes", problem: .system(ENOTDIR))) {
            try ProcessLedger(stateDirectory: file, platform: .system)
        }
        #expect(throws: ProcessLedgerError(path: "/proc/nothing", problem: .system(ENOENT))) {
            try ProcessLedger(stateDirectory: "/proc/nothing", platform: .system)
        }
        #expect(
            ProcessLedgerError(path: "/x", problem: .system(EACCES)).description
                == "/x: cannot be written: Permission denied (EACCES)")
    }

    @Test("a state directory belongs to one daemon at a time")
    func inUse() throws {
        do {
            let first = try ledger()
            #expect(throws: ProcessLedgerError(path: directory.path + "/processes", problem: .inUse)) {
                try ProcessLedger(stateDirectory: directory.path, platform: .system)
            }
            withExtendedLifetime(first) {}
        }
        _ = try ledger()
    }

    @Test("a child of a killed daemon, which shares its lock until it runs its program, is waited for")
    func inheritedLock() async throws {
        directory.write("processes", "")
        let child = orphan("exec 9<'\(directory.path)/processes'; flock 9; echo locked; sleep 0.05")
        _ = await child.firstElement()
        _ = try ledger()
        _ = await child.all()
    }

    @Test("the process table reads names with spaces and parentheses")
    func names() async throws {
        let program = directory.write("a) b (c", "#!/bin/sh\necho $$; sleep 1000\n", mode: 0o755)
        let process = orphan("exec '\(program)'")
        let pid = number(await process.firstElement())
        #expect(readText("/proc/\(pid)/comm") == "a) b (c\n")
        let entry = try #require(try ProcessTable.entry(pid))
        #expect(entry.group == pid)
        #expect(entry.startTime > 0)
        #expect(!entry.isZombie)
        process.cancel()
        _ = await process.all()
    }
}
