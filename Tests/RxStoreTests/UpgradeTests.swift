import Glibc
import RxJSON
import RxPlatform
import RxAction
import Synchronization
import Testing
import TestSupport

@testable import RxRecords
@testable import RxStore

@Suite("A database of a released version")
struct UpgradeTests {
    private let root = TemporaryDirectory()

    // MARK: What is in it

    /// Opens rxd.db in a directory and compares what it finds with the released file.
    ///
    /// The version's clean stop lasts, also if starts have failed since.
    private func expectExecutions(
        of version: Int, in directory: String, _ hint: Comment
    ) async throws {
        // Version 1 has no mark, and version 2 no note of a clean end, until this one is closed.
        let isKnown =
            try version != 2
            || CommitMarks(Disk.system.map(directory + "/rxd.db-lock", CommitMarks.bytes)).cleanEnd != nil
        let store = try ExecutionStore(
            path: directory + "/rxd.db", platform: Platform(wallClock: WallClock { 100 })
        ) { Issue.record("\(hint): \($0)") }
        #expect(store.losses == (isKnown ? [] : [.unsynced(path: directory + "/rxd.db")]), hint)
        let recovery = store.takeRecovery()
        #expect(recovery.unreadable == 0, hint)
        #expect(recovery.queued.map(\.id.description.last) == ["3"], hint)
        #expect(recovery.queued.first?.input.text == #"{"n":3}"#, hint)
        #expect(recovery.queued.first?.timeout == .seconds(5), hint)
        #expect(recovery.queued.first?.key?.text == "waiting", hint)
        #expect(recovery.interrupted.map(\.id.description.last) == ["4"], hint)
        #expect(recovery.keyed.map(\.key.text).sorted() == ["done", "waiting"], hint)
        let done = recovery.keyed.first { $0.key.text == "done" }?.record
        #expect(done?.state == .completed && done?.elements == 3 && done?.endedAt == 30, hint)
        // The inputs are recognized by their hashes: early ones without a salt, later ones by the salt in the file.
        let salt = try #require(recovery.inputSalt, hint)
        for (key, input) in [("done", #"{"n":1}"#), ("waiting", #"{"n":3}"#)] {
            let hash = try #require(recovery.keyed.first { $0.key.text == key }?.key.inputHash, hint)
            let text = try RawJSON(validating: input)
            #expect(InputSalt.matches(hash, text, salted: salt.hash(text)), "\(hint), key \(key)")
        }
        #expect(recovery.switches.map { "\($0.key) \($0.value.reason ?? "")" } == ["build full"], hint)
        let slot = RawJSON(1_795_651_032_000_000)
        #expect(
            recovery.streams
                == (version < 6
                    ? [:] : ["nightly": ["position/0": slot], "nightly action deploy": ["slot": slot]]),
            hint)
        let records = try await store.page().records
        let ids = records.compactMap(\.id.description.last).sorted()
        #expect(ids == (version < 3 ? ["1", "2", "4"] : ["1", "2", "4", "5"]), hint)
        if version >= 3 {
            #expect(done?.causes.links == [.rule(reactor: "light", rule: 1), .peer(uid: 1000, gid: 100, pid: 7)], hint)
            let causes = records.first { $0.id.description.last == "5" }?.causes
            let links: [Origin] = [
                .rule(reactor: "light", rule: 1), .stream("nightly"), .peer(uid: 1000, gid: 100, pid: 7),
            ]
            #expect(causes?.links == links && causes?.omitted == 2, hint)
        }
        // The interrupted execution has its end in the log.
        let log = recovery.log
        #expect(version < 4 || log.epoch == "0a1b2c3d" && log.complete == (version < 12 ? 6 : 8), hint)
        #expect(log.holes.ranges == (version < 12 ? [] : [8...8]), hint)
        #expect(log.earlier == (version < 11 ? [:] : ["99887766": 5]), hint)
        let before = ["7 started", "9 ended", "11 failed", "12 ended", "15 queued", "17 queueFull"]
        let number: UInt64 = version < 4 ? 0 : 268_435_456
        #expect(
            log.events.map { "\($0.number) \($0.kind)" }
                == (version < 4 ? [] : before) + ["\(number + 2) failed", "\(number + 3) ended"], hint)
        #expect(log.last == number + 4 && log.reserved == number + 268_435_456, hint)
        try await expectOutput(of: version, in: store, hint)
        let failed = records.first { $0.state == .failed }
        #expect(failed?.by == .stream("nightly") && failed?.queuedAt == 11, hint)
        let attempts = [failed, recovery.interrupted.first].map { $0?.attempts.map { [$0.number, $0.most] } }
        #expect(attempts == (version < 10 ? [nil, nil] : [[2, 3], [3, 4]]), hint)
        store.close()
    }

    private func expectOutput(of version: Int, in store: ExecutionStore, _ hint: Comment) async throws {
        let id = try #require(ExecutionID("01a1fc74-5543-7000-b6c5-000000000001"))
        let output = try await store.keptOutput(of: id)
        #expect((output != nil) == (version >= 5), hint)
        guard let output else { return }
        #expect(output.elements.count == 3 && output.elements.bytes == 12, hint)
        #expect(
            output.elements.kept.map { "\($0.ordinal) \($0.number) \($0.time) \($0.text.text)" } == [
                #"1 3 20 "a""#, "3 8 30 7",
            ], hint)
        #expect(output.errors.bytes == 10, hint)
        #expect(
            output.errors.kept.map {
                "\($0.offset) \($0.elements) \(String(decoding: $0.bytes, as: UTF8.self)) \($0.replaced ?? 0)"
            } == ["0 1 oh 0", "5 2 [redacted] 3", "8 3 no 0"], hint)
    }

    /// Opens reactors.db in a directory and compares what it finds with the released file.
    private func expectReactors(of version: Int, in directory: String, _ hint: Comment) async throws {
        var disk = Disk.system
        // After another boot, what was not synced may be missing from those without a note of a clean end.
        if version < 4 { disk.bootID = { ReleasedDatabases.boot } }
        let store = try StateStore(path: directory + "/reactors.db", platform: Platform(disk: disk)) {
            Issue.record("\(hint): \($0)")
        }
        #expect(store.losses.isEmpty, hint)
        let light = try #require(try LoggedReactor(restoring: store.log(of: "light", .made())), hint)
        #expect(light.revision == 3 && light.state == [1, 2, 3], hint)
        let dark = try #require(try LoggedReactor(restoring: store.log(of: "dark", .made())), hint)
        #expect(dark.revision == 2 && dark.state == [7, 8], hint)
        store.close()
        var steps: [KeptStep] = []
        let archive = try StateArchive(path: directory + "/reactors.db")
        for (reactor, revisions) in [("light", 1...3), ("dark", 1...2)] as [(String, ClosedRange<UInt64>)] {
            try archive.forEachStep(of: reactor, in: revisions) {
                steps.append($0)
                return true
            }
        }
        #expect(steps.map(\.revision) == [1, 2, 3, 1, 2] && steps.map(\.time) == [2, 3, 4, 2, 3], hint)
        #expect(steps.last?.change == .replaced(.definition), hint)
    }

    /// Opens a file that was of a version, and compares what it finds with the released file.
    private func expect(
        _ name: String, of version: Int, in directory: String, _ hint: Comment
    ) async throws {
        if name == "rxd.db" {
            try await expectExecutions(of: version, in: directory, hint)
        } else {
            try await expectReactors(of: version, in: directory, hint)
        }
        // The mark goes on from the one that the version left.
        let transactions: UInt64 = name == "rxd.db" ? (version < 2 ? 0 : 5) : (version < 3 ? 0 : 4)
        guard case .mark(let mark) = try MarkReader.content(of: "\(directory)/\(name)", .system) else {
            Issue.record("\(hint): there is no mark")
            return
        }
        #expect(mark.committed >= transactions && mark.synced == mark.committed, hint)
        #expect(Disk.system.size("\(directory)/\(name)-lock") == CommitMarks.bytes, hint)
        #expect(!names(directory).contains { $0.contains(".v") || $0.contains("partial") }, hint)
    }

    private func names(_ path: String) -> [String] { fileNames(in: path) }

    private func schema(_ name: String) -> Schema { name == "rxd.db" ? .executions : .reactors }

    private func make(_ name: String, _ version: Int, in directory: String) throws {
        mkdir(directory, 0o700)
        try ReleasedDatabases.make(name, in: directory, version: version)
    }

    @Test("opens in this version and loses nothing", arguments: ["rxd.db", "reactors.db"])
    func opens(name: String) async throws {
        for version in 1...schema(name).version {
            let directory = "\(root.path)/\(version)"
            try make(name, version, in: directory)
            try await expect(name, of: version, in: directory, "version \(version)")
            let database = try Database(path: "\(directory)/\(name)", on: .system)
            #expect(try database.integer("PRAGMA user_version") == schema(name).version)
        }
    }

    @Test("opens in a directory that a link leads to", arguments: ["rxd.db", "reactors.db"])
    func opensBehindLink(name: String) async throws {
        for version in 1...schema(name).version {
            let (directory, link) = ("\(root.path)/real-\(version)", "\(root.path)/link-\(version)")
            try make(name, version, in: directory)
            symlink(directory, link)
            try await expect(name, of: version, in: link, "version \(version)")
        }
    }

    @Test(
        "that lacks its last transaction is refused by the mark that its version left",
        arguments: ["rxd.db", "reactors.db"])
    func rolledBack(name: String) throws {
        for version in (name == "rxd.db" ? 2 : 3)...schema(name).version {
            let directory = "\(root.path)/\(version)"
            try make(name, version, in: directory)
            let path = "\(directory)/\(name)"
            do {
                let database = try Database(path: path, on: .system)
                try database.execute("UPDATE commits SET number = number - 1")
            }
            let before = try Disk.system.read(path, 1 << 30)
            #expect(throws: StoreError.rolledBack(path: path, missing: 1)) {
                try DatabaseFile(path: path, schema: schema(name), disk: .system, recovers: false)
            }
            #expect(try Disk.system.read(path, 1 << 30) == before, "version \(version)")
            #expect(!names(directory).contains { $0.contains(".v") }, "version \(version)")
        }
    }

    @Test("was closed with everything in its file if it has the note, and is not searched for its extents then")
    func closedCleanly() throws {
        for name in ["rxd.db", "reactors.db"] {
            let version = schema(name).version
            for current in [version - 2, version - 1, version] {
                let directory = "\(root.path)/\(name)-\(current)"
                try make(name, current, in: directory)
                let file = try DatabaseFile(
                    path: "\(directory)/\(name)", schema: schema(name), disk: .system, recovers: false)
                #expect(file.isChecked == (current < version))
                guard name == "reactors.db" else { continue }
                let found = try LogExtents(file.database).read(recovers: false)
                #expect(found.isNoted == (current >= 4))
                // Those in the note are those of the rows.
                #expect(found.logs["light"]?.bytes == 340 && found.logs["dark"]?.bytes == 285)
            }
        }
    }

    @Test("has the tables that the steps of this version make", arguments: ["rxd.db", "reactors.db"])
    func tables(name: String) throws {
        func tables(_ path: String) throws -> [String] {
            let rows = try Statement(
                "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name",
                try Database(path: path, on: .system))
            var tables: [String] = []
            while try rows.step() { tables.append(rows.text(0).split { $0.isWhitespace }.joined(separator: " ")) }
            return tables
        }
        for version in 1...schema(name).version {
            let (released, made) = ("\(root.path)/released-\(version)", "\(root.path)/made-\(version)")
            try make(name, version, in: released)
            mkdir(made, 0o700)
            try Schema.createFile(made + "/" + name, on: .system)
            do {
                let database = try Database(path: made + "/" + name, on: .system)
                for step in schema(name).steps.prefix(version) { try database.execute(step.sql) }
            }
            #expect(try tables(released + "/" + name) == tables(made + "/" + name), "a released step never changes")
        }
    }

    // MARK: A kill in the middle

    /// Copies the files of a directory, as a kill at this moment leaves them.
    private static func copyFiles(_ directory: String, to copy: String) {
        mkdir(copy, 0o700)
        for name in fileNames(in: directory) {
            let path = "\(directory)/\(name)"
            guard let size = Disk.system.size(path), let bytes = try? Disk.system.read(path, size) else { continue }
            let descriptor = open("\(copy)/\(name)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            precondition(descriptor >= 0 && write(descriptor, bytes, bytes.count) == bytes.count)
            close(descriptor)
        }
    }

    /// The kills so far: each is a directory with the files of its moment.
    private final class Kills: Sendable {
        private let directory: String
        private let count = Mutex(0)

        init(_ directory: String) { self.directory = directory }

        var directories: [String] { (1...count.withLock { $0 }).map { "\(directory)-killed-\($0)" } }

        func add() {
            let number = count.withLock { count in
                count += 1
                return count
            }
            UpgradeTests.copyFiles(directory, to: "\(directory)-killed-\(number)")
        }
    }

    /// A disk that keeps the files of the moments before and after each of its calls.
    private func disk(_ kills: Kills) -> Disk {
        var disk = Disk.system
        disk.makeFile = { path, mode in
            kills.add()
            defer { kills.add() }
            return Disk.system.makeFile(path, mode)
        }
        disk.rename = { path, newPath in
            kills.add()
            defer { kills.add() }
            return Disk.system.rename(path, newPath)
        }
        disk.remove = { path in
            kills.add()
            defer { kills.add() }
            return Disk.system.remove(path)
        }
        return disk
    }

    @Test(
        "opens after a kill at each file that an upgrade makes, renames, or removes; its copy stays until a clean stop",
        arguments: ["rxd.db", "reactors.db"])
    func killedBetweenCalls(name: String) async throws {
        for version in 1..<schema(name).version {
            let directory = "\(root.path)/\(version)"
            try make(name, version, in: directory)
            let kills = Kills(directory)
            let file = try DatabaseFile(
                path: "\(directory)/\(name)", schema: schema(name), disk: disk(kills), recovers: false)
            let copy = "\(directory)/\(name).v\(version)"
            #expect(try Database(path: copy, on: .system).integer("PRAGMA user_version") == version)
            // Upgraded, and in use: the copy is there until the stop.
            kills.add()
            file.close(isWhole: true)
            kills.add()
            #expect(kills.directories.count > 8)
            for (index, killed) in Effort.some(Array(kills.directories.enumerated()), stride: 4, offset: version) {
                try await expect(name, of: version, in: killed, "version \(version), kill \(index)")
            }
        }
    }

    @Test("keeps its copy at a stop that is not clean", arguments: ["rxd.db", "reactors.db"])
    func unclean(name: String) throws {
        let version = schema(name).version - 1
        let directory = "\(root.path)/\(version)"
        try make(name, version, in: directory)
        for isWhole in [false, true] {
            let file = try DatabaseFile(
                path: "\(directory)/\(name)", schema: schema(name), disk: .system, recovers: false)
            file.counter.accept()
            file.close(isWhole: isWhole)
            #expect(names(directory).contains("\(name).v\(version)") == !isWhole)
        }
    }

    @Test("opens after a kill within the transaction of an upgrade", arguments: ["rxd.db", "reactors.db"])
    func killedWithin(name: String) async throws {
        for version in 1..<schema(name).version {
            let directory = "\(root.path)/\(version)"
            try make(name, version, in: directory)
            let kills = Kills(directory)
            let database = try Database(path: "\(directory)/\(name)", on: .system)
            // What is not committed goes to the log at once.
            try database.execute("PRAGMA cache_size = 1; BEGIN IMMEDIATE")
            for step in schema(name).steps[version...] {
                try database.execute(step.sql)
                kills.add()
            }
            try database.execute("PRAGMA user_version = \(schema(name).version)")
            kills.add()
            try database.execute("ROLLBACK")
            for (index, killed) in Effort.some(Array(kills.directories.enumerated()), stride: 4, offset: version) {
                try await expect(name, of: version, in: killed, "version \(version), kill \(index)")
            }
        }
    }

    @Test(
        "opens after an upgrade that failed at any of its steps, and its copy is there",
        arguments: ["rxd.db", "reactors.db"])
    func failed(name: String) async throws {
        let schema = schema(name)
        for version in 1..<schema.version {
            for applied in Effort.some(Array(version...schema.version), stride: 3, offset: version) {
                let directory = "\(root.path)/\(version)-\(applied)"
                try make(name, version, in: directory)
                let failing = Schema(
                    applicationID: schema.applicationID,
                    steps: schema.steps.prefix(applied) + [Schema.Step("INSERT INTO nowhere VALUES(1)")], rowChecks: [])
                #expect(throws: StoreError.self) {
                    try DatabaseFile(path: "\(directory)/\(name)", schema: failing, disk: .system, recovers: false)
                }
                #expect(names(directory).contains("\(name).v\(version)"))
                try await expect(name, of: version, in: directory, "version \(version), \(applied - version) steps")
            }
        }
    }
}
