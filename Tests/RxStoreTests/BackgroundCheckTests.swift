import Glibc
import Rx
import RxJSON
import RxPlatform
import TestSupport
import Testing

@testable import RxRecords
@testable import RxStore

@Suite("The check of a database for damage", .countedApart)
struct BackgroundCheckTests {
    /// A file with some hundred steps, closed.
    private func closed() throws -> ReactorFile {
        let file = ReactorFile()
        let store = try file.open()
        var reactor = LoggedReactor(store.log(of: "light", .made()))
        for _ in 0..<300 { reactor.step(padding: 800) }
        store.close()
        return file
    }

    /// Overwrites a page that the start does not read: steps that are neither the oldest nor the newest.
    private func damage(_ file: ReactorFile) throws {
        var bytes = try file.bytes()
        let text = Array(String(repeating: "x", count: 500).utf8)
        let pages = stride(from: 4096, to: bytes.count, by: 4096).filter { page in
            bytes[page..<(page + 4096)].contains(text) && bytes[page] == 10
        }
        try #require(pages.count > 20)
        let place = pages[pages.count / 2]
        for index in place..<(place + 4096) { bytes[index] = 0xA5 }
        try file.write(bytes)
    }

    private func refusal(_ file: ReactorFile, on disk: Disk = .system) -> StoreError? {
        do throws(StoreError) {
            try file.open(on: disk).close()
            return nil
        } catch {
            return error
        }
    }

    private func isDamage(_ error: StoreError?) -> Bool {
        if case .damaged? = error { return true }
        return false
    }

    @Test("is left to the background after a clean end; it reports damage, and the next start refuses the file")
    func afterCleanEnd() async throws {
        let file = try closed()
        try damage(file)
        let store = try file.open()
        let found = Heard<StoreError>()
        store.checkInBackground { found.add($0) }
        #expect(await eventually { !found.values.isEmpty })
        #expect(isDamage(found.values.first) && found.values.count == 1)
        store.close()
        #expect(isDamage(refusal(file)))
    }

    @Test("that cannot begin is reported, and the next start checks the file first")
    func impossible() async throws {
        let file = try closed()
        let isOpened = Locked(false)
        var disk = Disk.system
        disk.resolve = { path in
            isOpened.withLock { $0 } ? "/nowhere/reactors.db" : Disk.system.resolve(path)
        }
        let store = try file.open(on: disk)
        isOpened.withLock { $0 = true }
        let found = Heard<StoreError>()
        store.checkInBackground { found.add($0) }
        #expect(await eventually { !found.values.isEmpty })
        guard case .unchecked(file.path, _)? = found.values.first else {
            Issue.record("\(found.values)")
            return
        }
        store.close()
        #expect(try DatabaseFile(path: file.path, schema: .reactors, disk: .system, recovers: false).isChecked)
    }

    @Test("finds nothing in a whole file, which counts as closed again")
    func whole() async throws {
        let file = try closed()
        for _ in 0..<3 {
            let opened = try DatabaseFile(path: file.path, schema: .reactors, disk: .system, recovers: false)
            #expect(!opened.isChecked)
            opened.counter.accept()
            opened.close(isWhole: true)
        }
        let store = try file.open()
        let found = Heard<StoreError>()
        store.checkInBackground { found.add($0) }
        store.close()
        #expect(found.values.isEmpty, "a check that was stopped reports nothing")
        #expect(refusal(file) == nil)
    }

    @Test("comes before anything else if the last daemon has not closed the file, or something has changed it")
    func afterCrash() throws {
        let changes: [(String, (ReactorFile) throws -> Void)] = [
            // As after a kill at the start: nothing but the note has changed.
            ("killed", { _ = try DatabaseFile(path: $0.path, schema: .reactors, disk: .system, recovers: false) }),
            ("log", { file in try file.look { try $0.execute("CREATE TABLE other(a); DROP TABLE other") } }),
            (
                "mark",
                { file in
                    let marks = CommitMarks(try Disk.system.map(file.path + "-lock", CommitMarks.bytes))
                    if case .mark(let mark) = marks.content { marks.write(mark) }
                }
            ),
            ("length", { file in try file.write(try file.bytes() + [UInt8](repeating: 0, count: 4096)) }),
            ("lock", { unlink($0.path + "-lock") }),
            ("nothing", { _ in }),
        ]
        for (name, change) in changes {
            let file = try closed()
            try change(file)
            try damage(file)
            #expect(isDamage(refusal(file)) == (name != "nothing"), "\(name)")
        }
    }

    @Test("is certain after a crash of the machine: the note of the clean end is off the disk before the file changes")
    func order() throws {
        let file = try closed()
        let before = [try file.bytes()]
        var disk = Disk.system
        disk.map = { (path, count) throws(DiskFailure) in
            let real = try Disk.system.map(path, count)
            return FileMapping(real.bytes, sync: { _ in EIO }, release: { _ in withExtendedLifetime(real) {} })
        }
        #expect(refusal(file, on: disk) == .file(call: "msync", path: file.path + "-lock", errno: EIO))
        #expect([try file.bytes()] == before)
    }

    @Test("is left to the background for executions, too")
    func executions() async throws {
        let file = StoreFile()
        let store = try file.open()
        for _ in 0..<200 { store.ended(.made(.completed)) }
        store.close()
        #expect(
            try DatabaseFile(path: file.path, schema: .executions, disk: .system, recovers: false).isChecked == false)
        // It was not closed.
        #expect(try DatabaseFile(path: file.path, schema: .executions, disk: .system, recovers: false).isChecked)
    }
}
