import RxJSON
import RxStreams
import Testing

@testable import RxSources

/// Keeps what an engine emits.
private final class Kept: FileOutput {
    var events: [String] = []
    var waiting: String?
    var errors: [String] = []
    /// Whether there was an index each time that one was reported.
    var indexed: [Bool] = []

    func emit(_ elements: [SourceElement]) {
        events += elements.map {
            let object = $0.value.value().object!
            return "\(object["event"]!.string!) \(object["path"]!.string!)"
        }
    }

    func report(waiting reason: String?) { waiting = reason }
    func report(error message: String) { errors.append(message) }
}

@Suite("A path engine")
struct PathEngineTests {
    private let files = ModelFiles()
    private let kernel: ModelKernel
    private let hub: WatchHub
    private let kept = Kept()

    init() {
        kernel = ModelKernel(files)
        hub = WatchHub(kernel: kernel)
        files.makeDirectory("/srv")
        files.makeDirectory("/srv/a")
    }

    private func engine(
        _ storage: ModelStorage? = nil, definition: String? = nil, hasIndex: Bool = false,
        _ change: (inout PathOptions) -> Void = { _ in }
    ) -> PathEngine {
        var options = PathOptions(root: "/srv", recursive: true)
        change(&options)
        let engine = PathEngine(
            options, hub: hub, storage: storage, definition: definition, hasIndex: hasIndex, output: kept
        ) { [kept] in kept.indexed.append(storage?.exists ?? false) }
        hub.add(engine.user)
        return engine
    }

    private func work(_ engine: PathEngine, settling: Bool = true) {
        for _ in 0..<100 {
            _ = hub.turn()
            if settling { engine.settled() }
        }
    }

    @Test("emits nothing that was there before the first start, unless it is to")
    func baseline() {
        files.write("/srv/a/old", [1])
        files.pass(.seconds(1))
        let engine = engine()
        work(engine)
        files.write("/srv/a/old", [2])
        files.write("/srv/a/new", [1])
        work(engine)
        #expect(kept.events == ["written /srv/a/old", "written /srv/a/new"])
    }

    @Test("reports once that its index is damaged, and where, and keeps the damaged one", arguments: [0, 1, 2])
    func damagedIndex(kind: Int) {
        let storage = ModelStorage()
        let first = engine(storage)
        for number in 0..<10 { files.write("/srv/a/\(number)", [1]) }
        work(first)
        #expect(kept.errors.isEmpty && kept.events.count == 10)
        first.finish()
        hub.remove(first.user)
        let whole = storage.bytes
        switch kind {
        case 0: storage.bytes[whole.count - 3] ^= 1
        case 1: storage.bytes[3] ^= 1
        case _: storage.bytes = []
        }
        let damaged = storage.bytes
        let second = engine(storage)
        work(second)
        let messages = [
            "index: damaged at byte", "index: damaged at its beginning", "index: empty",
        ]
        #expect(kept.errors.count == 1 && kept.errors.allSatisfy { $0.hasPrefix(messages[kind]) }, "\(kept.errors)")
        #expect(storage.damaged == (kind == 2 ? nil : damaged))
        second.finish()
        hub.remove(second.user)
        let third = engine(storage)
        work(third)
        #expect(kept.errors.count == 1, "it was begun anew")
    }

    @Test("reports its index once, when it is on disk; an index that was there before its position was stored, too")
    func reportsIndex() {
        let storage = ModelStorage()
        storage.fails = true
        let first = engine(storage)
        work(first)
        #expect(kept.indexed.isEmpty && kept.waiting?.contains("cannot write the index") == true)
        first.finish()
        hub.remove(first.user)
        storage.fails = false
        for (hasIndex, count) in [(false, 1), (false, 2), (true, 2)] {
            let next = engine(storage, hasIndex: hasIndex)
            work(next)
            #expect(kept.indexed == Array(repeating: true, count: count))
            next.finish()
            hub.remove(next.user)
        }
        work(engine())
        #expect(kept.indexed.count == 2 && kept.errors.isEmpty, "without a disk, there is none")
    }

    @Test("reports once that its index is missing if there was one, and what follows", arguments: [false, true])
    func missingIndex(existing: Bool) {
        files.write("/srv/a/old", [1])
        files.pass(.seconds(1))
        let storage = ModelStorage()
        storage.exists = false
        let first = engine(storage, hasIndex: true) { $0.existing = existing }
        work(first)
        let effect = existing ? "everything that is there is emitted again" : "what has changed since the daemon ended"
        #expect(kept.errors.count == 1 && kept.errors[0].hasPrefix("index: missing: \(effect)"), "\(kept.errors)")
        #expect(kept.events == (existing ? ["written /srv/a/old"] : []))
        first.finish()
        hub.remove(first.user)
        let second = engine(storage, hasIndex: true) { $0.existing = existing }
        work(second)
        #expect(kept.errors.count == 1, "it was begun anew")
    }

    @Test(
        "goes on with an index of its definition, or of an earlier version, which states none; not with another one's",
        arguments: [("one", true), (nil, true), ("other", false)])
    func definitions(earlier: String?, isOwn: Bool) {
        let storage = ModelStorage()
        let first = engine(storage, definition: earlier)
        work(first)
        first.finish()
        hub.remove(first.user)
        files.write("/srv/between", [1])
        files.pass(.seconds(1))
        let second = engine(storage, definition: "one", hasIndex: true)
        work(second)
        #expect(kept.events == (isOwn ? ["written /srv/between"] : []) && kept.errors.isEmpty)
        files.write("/srv/after", [1])
        work(second)
        #expect(kept.events.last == "written /srv/after")
        second.finish()
        hub.remove(second.user)
        files.write("/srv/later", [1])
        work(engine(storage, definition: "one", hasIndex: true))
        #expect(kept.events.last == "written /srv/later" && kept.errors.isEmpty)
    }

    @Test("cuts off the torn end that a crash leaves of its index, and reports it", arguments: [0, 1, 2])
    func tornIndex(kind: Int) {
        let storage = ModelStorage()
        let first = engine(storage)
        for number in 0..<10 { files.write("/srv/a/\(number)", [1]) }
        work(first)
        first.finish()
        hub.remove(first.user)
        let whole = storage.bytes
        switch kind {
        case 0: storage.bytes += whole.prefix(3)
        case 1: storage.bytes += [UInt8](repeating: 0, count: 4096)
        case _:
            storage.bytes += Array("name".utf8).withUnsafeBytes {
                IndexRecord(kind: .entry, id: 99).bytes(name: $0).dropLast(2)
            }
        }
        let torn = storage.bytes
        let second = engine(storage)
        work(second)
        let prefix = "index: damaged at byte "
        #expect(kept.errors.count == 1 && kept.errors[0].hasPrefix(prefix) && storage.damaged == torn)
        #expect(kept.events.count == 10, "nothing is emitted again")
        #expect(storage.bytes.count <= whole.count)
    }

    @Test("reports a flipped bit in any record of its index but the first, also the last one")
    func flippedIndex() {
        let storage = ModelStorage()
        let first = engine(storage)
        for number in 0..<3 { files.write("/srv/a/\(number)", [1]) }
        work(first)
        first.finish()
        hub.remove(first.user)
        let whole = storage.bytes
        for bit in ((whole.count - 2 * (IndexRecord.fixedSize + 1)) * 8)..<(whole.count * 8) {
            storage.bytes = whole
            storage.bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            let log = IndexLog(storage)
            _ = log.load(root: RawPath("/srv"), into: PathTree())
            #expect(log.damage != nil, "bit \(bit)")
        }
    }

    @Test("merges the changes of a file while it waits for a batch to be settled")
    func merging() {
        let engine = engine()
        work(engine)
        files.write("/srv/x", [1])
        work(engine, settling: false)
        for number in 0..<100 { files.write("/srv/y", [UInt8(number)]) }
        work(engine, settling: false)
        #expect(kept.events == ["written /srv/x"])
        work(engine)
        #expect(kept.events == ["written /srv/x", "written /srv/y"])
    }

    @Test("emits a half of a move as a removal or as a new file")
    func halves() {
        files.makeDirectory("/other")
        files.write("/other/in", [1])
        files.write("/srv/out", [1])
        files.pass(.seconds(1))
        let engine = engine { $0.events = Set(PathOptions.Event.allCases) }
        work(engine)
        files.move("/other/in", to: "/srv/in")
        files.move("/srv/out", to: "/other/out")
        work(engine)
        #expect(kept.events == ["created /srv/in", "written /srv/in"])
        files.pass(.milliseconds(60))
        work(engine)
        #expect(kept.events.dropFirst(2) == ["removed /srv/out"])
    }

    @Test("neither enters nor emits what is excluded")
    func excluded() {
        let engine = engine { $0.exclude = [PathGlob("a")!] }
        work(engine)
        files.write("/srv/a/x", [1])
        files.write("/srv/b", [1])
        work(engine)
        #expect(kept.events == ["written /srv/b"])
    }

    @Test("reports the limit of watches with its sysctl, and goes on once it is raised")
    func watchLimit() {
        // The root directory takes one.
        kernel.watchesLeft = 2
        let engine = engine()
        work(engine)
        #expect(kept.waiting?.contains("fs.inotify.max_user_watches") == true)
        files.write("/srv/a/x", [1])
        work(engine)
        #expect(kept.events == [])
        kernel.watchesLeft = 100
        files.pass(.seconds(31))
        work(engine)
        #expect(kept.waiting == nil)
        #expect(kept.events == ["written /srv/a/x"])
    }

    @Test("passes over names that are too long for the index, with one error")
    func longNames() {
        let long = String(repeating: "n", count: 256)
        files.write("/srv/\(long)1", [1])
        files.write("/srv/old", [1])
        let engine = engine { $0.existing = true }
        work(engine)
        files.write("/srv/a/\(long)2", [1])
        files.move("/srv/old", to: "/srv/\(long)3")
        files.write("/srv/\(long.dropFirst())", [1])
        work(engine)
        files.pass(.seconds(1))
        work(engine)
        #expect(Set(kept.events) == ["written /srv/old", "written /srv/\(long.dropFirst())", "removed /srv/old"])
        #expect(
            kept.errors == [
                "/srv/\(long)1 is passed over, and so are others like it: its name has more than 255 bytes"
            ])
    }

    @Test("notices a directory that is mounted over the root")
    func mount() {
        files.write("/srv/old", [1])
        files.pass(.seconds(1))
        let engine = engine { $0.events = [.written, .removed] }
        work(engine)
        files.mount("/srv")
        files.write("/srv/new", [1])
        work(engine)
        #expect(kept.events == [])
        files.pass(.seconds(31))
        work(engine)
        #expect(Set(kept.events) == ["removed /srv/old", "removed /srv/a", "written /srv/new"])
    }

    @Test("notices that the target of its link, or what is mounted, appears")
    func link() {
        files.makeDirectory("/other")
        kernel.links = ["/srv": "/other/real"]
        let engine = engine()
        work(engine)
        #expect(kept.waiting == "/srv does not exist")
        files.makeDirectory("/other/real")
        files.write("/other/real/x", [1])
        work(engine)
        #expect(kept.waiting != nil)
        files.pass(.seconds(31))
        work(engine)
        #expect(kept.waiting == nil)
        #expect(kept.events == ["written /srv/x"])
    }
}
