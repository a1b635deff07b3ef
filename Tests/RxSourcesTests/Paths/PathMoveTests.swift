import RxJSON
import RxStreams
import Testing

@testable import RxSources

/// Keeps `event path (from)` of what an engine emits, below the root.
private final class Kept: FileOutput {
    var events: [String] = []

    func emit(_ elements: [SourceElement]) {
        events += elements.map {
            let object = $0.value.value().object!
            func name(_ key: String) -> String? { object[key]?.string.map { String($0.dropFirst("/srv/".count)) } }
            return "\(object["event"]!.string!) \(name("path")!)" + (name("from").map { " (\($0))" } ?? "")
        }
    }

    func report(waiting reason: String?) {}
    func report(error message: String) {}
}

@Suite("Moves below a watched path")
struct PathMoveTests {
    private let files = ModelFiles()
    private let hub: WatchHub
    private let kept = Kept()
    private let engine: PathEngine

    init() {
        hub = WatchHub(kernel: ModelKernel(files))
        for path in ["/srv", "/other", "/srv/d", "/srv/d/sub"] { files.makeDirectory(path) }
        for path in ["/srv/a", "/srv/b", "/srv/d/1", "/srv/d/sub/2"] { files.write(path, [1]) }
        files.pass(.seconds(1))
        engine = PathEngine(PathOptions(root: "/srv", recursive: true), hub: hub, storage: nil, output: kept)
        hub.add(engine.user)
        rest()
    }

    /// Until nothing more is emitted.
    private func rest() {
        for _ in 0..<200 {
            if case .at = hub.turn() { files.pass(.milliseconds(60)) }
            engine.settled()
        }
    }

    @Test("a directory that is moved is one element, and what is written in it later has the new path")
    func directory() {
        files.move("/srv/d", to: "/srv/e")
        files.write("/srv/e/sub/2", [2])
        rest()
        #expect(kept.events == ["moved e (d)", "written e/sub/2"])
    }

    @Test("moves one after the other are one, from the first path to the last")
    func chain() {
        files.move("/srv/a", to: "/srv/x")
        files.move("/srv/x", to: "/srv/y")
        files.move("/srv/y", to: "/srv/d/z")
        rest()
        #expect(kept.events == ["moved d/z (a)"])
    }

    @Test("a file that is moved away and back was not moved")
    func back() {
        files.move("/srv/a", to: "/srv/x")
        files.move("/srv/x", to: "/srv/a")
        files.move("/srv/d", to: "/other/d")
        files.move("/other/d", to: "/srv/d")
        rest()
        #expect(kept.events == [])
        files.write("/srv/d/sub/2", [2])
        rest()
        #expect(kept.events == ["written d/sub/2"])
    }

    @Test("a file that is moved over another one is one move")
    func over() {
        files.move("/srv/a", to: "/srv/b")
        rest()
        #expect(kept.events == ["moved b (a)"])
        files.write("/srv/new", [1])
        files.move("/srv/new", to: "/srv/b")
        rest()
        #expect(kept.events.dropFirst() == ["moved b (new)", "written b"])
    }

    @Test("of files that change places, one is moved and the other one is written")
    func swap() {
        files.move("/srv/a", to: "/srv/x")
        files.move("/srv/b", to: "/srv/a")
        files.move("/srv/x", to: "/srv/b")
        rest()
        #expect(Set(kept.events) == ["moved a (b)", "written b"] || Set(kept.events) == ["moved b (a)", "written a"])
    }

    @Test("a directory that is moved into a new one is moved, though one half of that has no event")
    func intoNew() {
        files.makeDirectory("/srv/new")
        files.move("/srv/d", to: "/srv/new/d")
        rest()
        #expect(kept.events == ["moved new/d (d)"])
    }

    @Test("a directory that was outside for a moment has what was written there")
    func outside() {
        files.move("/srv/d", to: "/other/d")
        files.write("/other/d/1", [2])
        files.write("/other/d/new", [1])
        files.move("/other/d", to: "/srv/e")
        rest()
        #expect(kept.events.first == "moved e (d)")
        #expect(Set(kept.events.dropFirst()) == ["written e/1", "written e/new"])
    }

    @Test("a directory that is moved out is removed, with everything in it first")
    func out() {
        files.move("/srv/d", to: "/other/d")
        rest()
        #expect(kept.events.last == "removed d")
        #expect(Set(kept.events) == ["removed d/1", "removed d/sub/2", "removed d/sub", "removed d"])
        files.write("/other/d/1", [2])
        rest()
        #expect(kept.events.count == 4)
    }

    @Test("a subdirectory that leaves a directory before that is removed is moved")
    func rescued() {
        files.move("/srv/d/sub", to: "/srv/sub")
        files.remove("/srv/d/1")
        files.remove("/srv/d")
        rest()
        #expect(kept.events.first == "moved sub (d/sub)")
        #expect(Set(kept.events.dropFirst()) == ["removed d/1", "removed d"])
    }
}
