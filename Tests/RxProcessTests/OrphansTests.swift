import Glibc
import RxPlatform
import TestSupport
import Testing

@testable import RxProcess

/// The end of orphans in a world of a few thousand processes, without any.
struct OrphansTests {
    private let directory = TemporaryDirectory()
    private let world = OrphanWorld()

    /// A ledger that an earlier daemon has left behind, with `count` processes, each with a child in its own group.
    private func ledger(orphans count: Int) throws -> ProcessLedger {
        do {
            let ledger = try ProcessLedger.opened(in: directory.path)
            // As after its own look for orphans.
            ledger.file.settle()
            for number in 0..<count {
                let pid = pid_t(1000 + 10 * number)
                world.start(pid, session: pid, group: pid, execution: "e\(number)")
                world.start(pid + 1, session: pid, group: pid + 1, execution: "e\(number)")
                ledger.begin(execution: "e\(number)")?.record(pid, startTime: OrphanWorld.startTime)
            }
        }
        return try ProcessLedger.opened(in: directory.path)
    }

    private func end(_ ledger: ProcessLedger) -> [Orphan] {
        ledger.endOrphans(grace: .seconds(2), in: world, by: world)
    }

    @Test("each look reads the table of processes once, however many orphans ignore SIGTERM")
    func oneScan() throws {
        let ledger = try ledger(orphans: 250)
        world.start(5, session: 5, group: 5, execution: nil)
        let orphans = end(ledger)
        #expect(orphans == (0..<250).map { Orphan(execution: "e\($0)", fate: .ended) })
        #expect(world.alive == [5])
        // One to find them, one at the beginning of each wait, and one after each pause.
        #expect(world.scans <= world.pauses + 3)
        #expect(world.now == .milliseconds(2010))
        #expect(ledger.file.texts().isEmpty)
    }

    @Test("lines without a process cost one look at each leader's environment, not one for each line")
    func unfinishedLines() throws {
        let ledger = try ProcessLedger.opened(in: directory.path)
        for number in 0..<100 {
            let pid = pid_t(1000 + number)
            world.start(pid, session: pid, group: pid, execution: "e\(number)")
            _ = ledger.begin(execution: "e\(number)")
        }
        world.diesOnSIGTERM = true
        #expect(end(ledger).count == 100)
        #expect(world.alive.isEmpty)
        #expect(world.scans == 2)
        #expect(world.environmentsRead == 100)
    }

    @Test("if the table cannot be read, nothing is ended or reported as ended, and the ledger keeps its lines")
    func unreadable() throws {
        let ledger = try ledger(orphans: 2)
        world.failure = .noDescriptor
        #expect(end(ledger) == (0..<2).map { Orphan(execution: "e\($0)", fate: .unknown(.noDescriptor)) })
        #expect(world.signals.isEmpty)
        #expect(ledger.file.texts().count == 2)
        world.failure = nil
        #expect(end(ledger).map(\.fate) == [.ended, .ended])
        #expect(ledger.file.texts().isEmpty)
    }

    @Test("if the table cannot be read any more after SIGTERM, nobody knows whether they have ended")
    func unreadableAfterwards() throws {
        let ledger = try ledger(orphans: 1)
        world.onSignal = { [world] in world.failure = .noDescriptor }
        #expect(end(ledger) == [Orphan(execution: "e0", fate: .unknown(.noDescriptor))])
        #expect(world.alive == [1000, 1001])
        #expect(!world.signals.contains(SIGKILL))
        #expect(ledger.file.texts().count == 1)
    }

    @Test("executions that were entered from another source are found by the environment of their leaders")
    func entered() throws {
        let ledger = try ledger(orphans: 1)
        for (number, pid) in [(1, 2000), (2, 3000)] as [(Int, pid_t)] {
            world.start(pid, session: pid, group: pid, execution: "lost\(number)")
        }
        world.immortal = [3000]
        ledger.enter(["e0", "lost1", "lost2", "builtin"])
        #expect(
            end(ledger) == [
                Orphan(execution: "e0", fate: .ended), Orphan(execution: "lost1", fate: .ended),
                Orphan(execution: "lost2", fate: .survived),
            ])
        #expect(ledger.file.texts().map(\.text).map { $0.split(separator: " ").first } == ["lost2"])
    }

    @Test("a kill after executions were entered leaves them to the next start, and entering them again adds none")
    func killedAfterEntering() throws {
        world.start(2000, session: 2000, group: 2000, execution: "lost")
        for _ in 0..<2 {
            let ledger = try ProcessLedger.opened(in: directory.path)
            #expect(ledger.isNew || ledger.isDamaged)
            ledger.enter(["lost", "builtin"])
            #expect(ledger.file.texts().count == 2)
        }
        // As when the other source has forgotten them.
        let ledger = try ProcessLedger.opened(in: directory.path)
        #expect(end(ledger) == [Orphan(execution: "lost", fate: .ended)])
        #expect(world.alive.isEmpty && ledger.file.texts().isEmpty)
    }

    @Test("more executions than the file has room for are looked for as well")
    func enteredBeyondRoom() throws {
        let ledger = try ProcessLedger.opened(in: directory.path)
        let executions = (0...LedgerFile.slotCount).map { "e\($0)" }
        for number in [0, LedgerFile.slotCount] {
            let pid = pid_t(2000 + number)
            world.start(pid, session: pid, group: pid, execution: "e\(number)")
        }
        ledger.enter(executions)
        #expect(end(ledger).map(\.execution) == ["e0", "e\(LedgerFile.slotCount)"])
        #expect(world.alive.isEmpty && end(ledger).isEmpty)
    }

    @Test("what a full ledger has no line for is found by the next daemon, and the one after it looks for nothing")
    func beyondRoom() throws {
        do {
            let ledger = try ProcessLedger.opened(in: directory.path)
            _ = end(ledger)
            for number in 0..<LedgerFile.slotCount { ledger.begin(execution: "e\(number)")?.end() }
            for number in 0...LedgerFile.slotCount { _ = ledger.begin(execution: "e\(number)") }
            let more = "e\(LedgerFile.slotCount)"
            world.start(2000, session: 2000, group: 2000, execution: more, ledger: ledger.name)
        }
        // As often as it is opened before orphans are looked for.
        for _ in 0..<2 {
            let ledger = try ProcessLedger.opened(in: directory.path)
            #expect(ledger.wasFull && !ledger.isDamaged && !ledger.isNew)
        }
        do {
            let ledger = try ProcessLedger.opened(in: directory.path)
            #expect(end(ledger) == [Orphan(execution: "e\(LedgerFile.slotCount)", fate: .ended)])
            #expect(world.alive.isEmpty && !ledger.wasFull)
        }
        #expect(try !ProcessLedger.opened(in: directory.path).wasFull)
    }

    @Test("a ledger of a version without the last line is neither damaged nor full")
    func shorter() throws {
        _ = try ledger(orphans: 3)
        let length = off_t(LedgerFile.slotCount * LedgerFile.slotBytes)
        try #require(truncate(directory.path + "/processes", length) == 0)
        let ledger = try ProcessLedger.opened(in: directory.path)
        #expect(!ledger.isDamaged && !ledger.isNew && !ledger.wasFull)
        #expect(end(ledger).count == 3)
    }

    @Test("a new ledger ends each session that a daemon of its directory has started, whatever the execution, once")
    func unlisted() throws {
        let ledger = try ProcessLedger.opened(in: directory.path)
        let names: [pid_t: String] = [1: ledger.name, 2000: ledger.name, 3000: ledger.name, 4000: "1:2"]
        for (pid, name) in names {
            world.start(pid, session: pid, group: pid, execution: "e\(pid)", ledger: name)
            world.start(pid + 1, session: pid, group: pid + 1, execution: nil, ledger: name)
        }
        world.immortal = [3001]
        ledger.enter(["e2000"])
        #expect(
            end(ledger) == [
                Orphan(execution: "e2000", fate: .ended), Orphan(execution: "e3000", fate: .survived),
            ])
        #expect(world.alive == [1, 2, 3001, 4000, 4001])
        #expect(ledger.file.texts().map(\.text).map { $0.split(separator: " ").first } == ["e3000"])
        // From here on, the ledger is complete, and so are the daemon's own sessions in it.
        world.start(5000, session: 5000, group: 5000, execution: "e5000", ledger: ledger.name)
        world.immortal = []
        _ = end(ledger)
        #expect(world.alive.contains(5000))
    }

    @Test("if the table cannot be read, a new or damaged ledger stays so, and that is reported without an execution")
    func unreadableUnlisted() throws {
        for text in ["", String(repeating: "Z", count: 128)] {
            directory.write("processes", text)
            let ledger = try ProcessLedger.opened(in: directory.path)
            world.failure = .noDescriptor
            #expect(end(ledger) == [Orphan(execution: nil, fate: .unknown(.noDescriptor))])
            #expect(ledger.isNew || ledger.isDamaged)
            world.failure = nil
            world.start(2000, session: 2000, group: 2000, execution: "lost", ledger: ledger.name)
            #expect(end(ledger) == [Orphan(execution: "lost", fate: .ended)])
            #expect(!ledger.isNew && !ledger.isDamaged)
        }
    }

    @Test("a ledger stays new or damaged until the orphans were looked for, however often a start fails")
    func staysDamaged() throws {
        for _ in 0..<2 { #expect(try ProcessLedger.opened(in: directory.path).isNew) }
        _ = end(try ProcessLedger.opened(in: directory.path))
        do {
            let ledger = try ledger(orphans: 3)
            #expect(!ledger.isNew && !ledger.isDamaged)
        }
        let path = directory.path + "/processes"
        let descriptor = open(path, O_RDWR)
        // The second line, and the last one, which is free.
        for slot in [1, LedgerFile.slotCount - 1] {
            try #require(pwrite(descriptor, "ZZ", 2, off_t(slot * LedgerFile.slotBytes)) == 2)
        }
        close(descriptor)
        for _ in 0..<2 {
            let ledger = try ProcessLedger.opened(in: directory.path)
            #expect(ledger.isDamaged && !ledger.isNew)
            ledger.enter(["e1"])
        }
        #expect(end(try ProcessLedger.opened(in: directory.path)).count == 3)
        let settled = try ProcessLedger.opened(in: directory.path)
        #expect(!settled.isDamaged && !settled.isNew && settled.file.texts().isEmpty)
    }

    @Test(
        "damage to the ledger is noticed",
        arguments: [
            (0, 1, true), (3, 10, true), (130, 0, false), (300, 600, true), (20, 2, true), (60, 2, false),
            (0, 0, false),
        ])
    func damage(place: Int, count: Int, isDamaged: Bool) throws {
        do {
            _ = end(try ProcessLedger.opened(in: directory.path))
            let ledger = try ledger(orphans: 5)
            #expect(!ledger.isDamaged && !ledger.isNew)
        }
        let path = directory.path + "/processes"
        let descriptor = open(path, O_RDWR)
        try #require(descriptor >= 0)
        let zeros = [UInt8](repeating: 0, count: count)
        if count > 0 { try #require(pwrite(descriptor, zeros, count, off_t(place)) == count) }
        close(descriptor)
        #expect(try ProcessLedger.opened(in: directory.path).isDamaged == isDamaged)
    }

    @Test("a ledger that was cut off is damaged; one that was emptied is new")
    func cut() throws {
        for (length, isDamaged) in [(1000, true), (0, false)] as [(off_t, Bool)] {
            _ = try ledger(orphans: 20)
            try #require(truncate(directory.path + "/processes", length) == 0)
            let ledger = try ProcessLedger.opened(in: directory.path)
            #expect(ledger.isDamaged == isDamaged && ledger.isNew == !isDamaged)
        }
    }

    @Test("what survives SIGKILL is not reported as ended, and stays in the ledger")
    func survivors() throws {
        let ledger = try ledger(orphans: 2)
        world.immortal = [1001]
        #expect(
            end(ledger) == [
                Orphan(execution: "e0", fate: .survived), Orphan(execution: "e1", fate: .ended),
            ])
        #expect(ledger.file.texts().map(\.text).map { $0.split(separator: " ").first } == ["e0"])
    }

    @Test("a table that cannot be opened or read is an error, and a process that is gone is none")
    func table() throws {
        #expect(throws: ProcessTableError(path: "/nonexistent", code: ENOENT)) {
            try ProcessTable.all(in: "/nonexistent")
        }
        try #require(mkdir("\(directory.path)/7", 0o700) == 0)
        try #require(mkdir("\(directory.path)/8", 0o700) == 0)
        try #require(symlink("stat", "\(directory.path)/8/stat") == 0)
        #expect(try ProcessTable.entry(7, in: directory.path) == nil)
        let loop = ProcessTableError(path: "\(directory.path)/8/stat", code: ELOOP)
        #expect(throws: loop) { try ProcessTable.entry(8, in: directory.path) }
        #expect(throws: loop) { try ProcessTable.all(in: directory.path) }
    }
}

extension ProcessTableError {
    fileprivate static let noDescriptor = ProcessTableError(path: "/proc", code: EMFILE)
}

// Sendable: used on one thread only.
/// Processes that only SIGKILL ends, and a clock that only moves when someone waits.
private final class OrphanWorld: SessionSystem, BlockingClock, @unchecked Sendable {
    static let startTime: UInt64 = 77

    /// Makes every look at the table fail.
    var failure: ProcessTableError?
    /// Processes that survive SIGKILL.
    var immortal: Set<pid_t> = []
    var diesOnSIGTERM = false
    var onSignal: () -> Void = {}

    private(set) var scans = 0
    private(set) var environmentsRead = 0
    private(set) var pauses = 0
    private(set) var signals: [Int32] = []
    private(set) var now = Duration.zero
    private var processes: [pid_t: (entry: ProcessTable.Entry, origin: ProcessOrigin)] = [:]
    let own: pid_t = 1

    var alive: Set<pid_t> { Set(processes.keys) }

    func start(_ pid: pid_t, session: pid_t, group: pid_t, execution: String?, ledger: String? = nil) {
        let entry = ProcessTable.Entry(
            pid: pid, group: group, session: session, startTime: OrphanWorld.startTime, isZombie: false)
        processes[pid] = (entry, ProcessOrigin(execution: execution, ledger: ledger))
    }

    func sleep(for time: Duration) {
        pauses += 1
        now += time
    }

    func signal(group: pid_t, _ signal: Int32) { send(signal) { $0.group == group } }
    func signal(process: pid_t, _ signal: Int32) { send(signal) { $0.pid == process } }

    private func send(_ signal: Int32, to isMeant: (ProcessTable.Entry) -> Bool) {
        signals.append(signal)
        onSignal()
        guard signal == SIGKILL || signal == SIGTERM && diesOnSIGTERM else { return }
        processes = processes.filter { immortal.contains($0.key) || !isMeant($0.value.entry) }
    }

    func all() throws(ProcessTableError) -> [ProcessTable.Entry] {
        if let failure { throw failure }
        scans += 1
        return processes.values.map(\.entry)
    }

    func entry(_ pid: pid_t) throws(ProcessTableError) -> ProcessTable.Entry? {
        if let failure { throw failure }
        return processes[pid]?.entry
    }

    func origin(of pid: pid_t) throws(ProcessTableError) -> ProcessOrigin {
        if let failure { throw failure }
        environmentsRead += 1
        return processes[pid]?.origin ?? ProcessOrigin()
    }
}
