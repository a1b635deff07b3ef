import RxJSON
import RxStreams
import TestSupport
import Testing

@testable import RxSources

/// A receiver that keeps a mirror of the files by the elements alone: at each element it looks at the path.
private final class Mirror: FileOutput {
    private let files: ModelFiles
    /// What is known of each path: the file and its content.
    var known: [String: String] = [:]
    /// As of the last settled batch; a kill returns to it.
    private var settled: [String: String] = [:]
    var isPending = false
    var elements = 0
    var waiting: String?

    init(_ files: ModelFiles) { self.files = files }

    func emit(_ elements: [SourceElement]) {
        #expect(!isPending, "a batch before the last one was settled")
        isPending = true
        self.elements += elements.count
        for element in elements {
            let value = element.value.value().object!
            let path = value["path"]!.string!
            // By now there may be a file where the directory was.
            let isDirectory = value["directory"] == .bool(true)
            switch value["event"]!.string! {
            case "removed": known[path] = nil
            case "moved":
                let from = value["from"]!.string!
                for (old, content) in known where old == from || old.hasPrefix(from + "/") {
                    let new = path + old.dropFirst(from.count)
                    known[old] = nil
                    known[new] = content
                    if content == Mirror.gone { look(new) }
                }
                if !isDirectory { look(path) }
            case _ where isDirectory: break
            case _:
                if files.node(path) == nil { known[path] = Mirror.gone } else { look(path) }
            }
        }
    }

    func report(waiting reason: String?) { waiting = reason }
    func report(error message: String) {}

    /// A file that has already moved on is looked at again where it goes.
    static let gone = "gone"

    private func look(_ path: String) {
        let node = files.node(path)
        if node?.isDirectory != true { known[path] = node.map(Mirror.text) ?? known[path] ?? Mirror.gone }
    }

    func settle() {
        isPending = false
        settled = known
    }

    func kill() {
        isPending = false
        known = settled
    }

    static func text(_ node: ModelFiles.Node) -> String { "\(node.inode) \(node.modified)" }
}

/// A source in the model: what it emits, and what of it survives a kill.
private final class Watched {
    let options: PathOptions
    let mirror: Mirror
    private let storage = ModelStorage()
    private(set) var engine: PathEngine?

    init(_ options: PathOptions, _ files: ModelFiles) {
        self.options = options
        mirror = Mirror(files)
    }

    func start(_ hub: WatchHub) {
        let engine = PathEngine(options, hub: hub, storage: storage, output: mirror)
        self.engine = engine
        hub.add(engine.user)
    }

    func settle() {
        mirror.settle()
        engine?.settled()
    }

    func loseEnd(_ count: Int) { storage.bytes.removeLast(min(storage.bytes.count, count)) }
}

/// Random programs change a tree, in between any two calls of the kernel.
private final class PathModel {
    private static let names = ["a", "b", "c", "d.tmp", "e.md"]

    private let files = ModelFiles()
    private let sources: [Watched]
    private var numbers: SeededNumbers
    private var kernel: ModelKernel
    private var hub: WatchHub
    private var writes = 0
    private var isCalm = true
    /// Whether a kill may lose the end of the index, and with it what was removed since.
    private let losesIndex: Bool

    init(_ seed: UInt64, _ options: PathOptions..., losesIndex: Bool = false) {
        self.losesIndex = losesIndex
        numbers = SeededNumbers(seed)
        kernel = ModelKernel(files)
        hub = WatchHub(kernel: kernel)
        files.makeDirectory("/srv")
        files.makeDirectory("/other")
        if numbers.next() % 2 == 0 { files.makeDirectory("/srv/root") }
        sources = options.map { [files] in Watched($0, files) }
        start()
    }

    private func start() {
        for source in sources { source.start(hub) }
        kernel.race = { [unowned self] in race() }
    }

    private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &numbers) < percent }

    /// Before a call of the kernel.
    private func race() {
        guard !isCalm else { return }
        if chance(15) { change() }
    }

    private func path(_ least: Int = 1) -> String {
        let root = chance(92) ? "/srv/root" : "/other"
        let depth = Int.random(in: least...3, using: &numbers)
        return root + (0..<depth).map { _ in "/" + Self.names.randomElement(using: &numbers)! }.joined()
    }

    /// One change by some program.
    private func change() {
        switch Int.random(in: 0..<100, using: &numbers) {
        case 0..<20: files.makeDirectory(path())
        case 20..<55:
            writes += 1
            files.write(path(), Array("\(writes)".utf8))
        case 55..<60: files.create(path())
        case 60..<72: files.remove(path())
        case 72..<97: files.move(path(), to: path())
        case 97: files.makeDirectory("/srv/root")
        case 98: files.move("/srv/root", to: "/other/away")
        case _: if files.node("/srv/root") == nil { files.move("/other/away", to: "/srv/root") }
        }
    }

    private func kill() {
        kernel.close()
        for source in sources { source.mirror.kill() }
        kernel = ModelKernel(files)
        kernel.numbers = SeededNumbers(numbers.next())
        hub = WatchHub(kernel: kernel)
        // A failure of the machine may lose the end of the index.
        if losesIndex, chance(50) {
            for source in sources { source.loseEnd(Int.random(in: 0...200, using: &numbers)) }
        }
        for _ in 0..<Int.random(in: 0...10, using: &numbers) { change() }
        start()
    }

    func run(steps: Int) {
        isCalm = false
        for _ in 0..<steps {
            files.mostQueued = chance(10) ? 4 : 40
            for _ in 0..<(chance(5) ? 60 : 2) where chance(50) { change() }
            if chance(50) { _ = hub.turn() }
            for source in sources where source.mirror.isPending && chance(30) { source.settle() }
            if chance(10) { files.pass(.milliseconds(60)) }
            if chance(2) { kill() }
        }
        finish()
    }

    /// Lets the world rest until the sources have nothing more to emit.
    private func finish() {
        isCalm = true
        files.makeDirectory("/srv/root")
        for source in sources where files.node(source.options.root)?.isDirectory != true {
            // A source whose root is missing or a file waits for it.
            files.remove(source.options.root)
            files.makeDirectory(source.options.root)
        }
        // The root is checked every 30 seconds, whatever happens.
        var looks = 0
        for _ in 0..<20_000 {
            let turn = hub.turn()
            let pending = sources.filter { $0.mirror.isPending }
            for source in pending { source.settle() }
            guard pending.isEmpty, case .at = turn, files.queue.isEmpty else {
                looks = 0
                continue
            }
            files.pass(.seconds(40))
            looks += 1
            if looks > 3 { return }
        }
        Issue.record("does not come to rest")
    }

    /// The files below the roots whose state the mirrors do not have.
    var missed: [String] {
        var missed: [String] = []
        for source in sources {
            visit(source.options.root, source.options) { path, node in
                let known = source.mirror.known[path]
                if node.isWritten, ![Mirror.text(node), Mirror.gone].contains(known) {
                    missed.append("\(path): \(known ?? "unknown")")
                }
            }
        }
        return missed
    }

    /// Paths of the mirrors that are no files.
    var ghosts: [String] {
        sources.flatMap { source in
            source.mirror.known.filter { $0.value != Mirror.gone }.keys.filter { files.node($0)?.isDirectory != false }
        }
    }

    private func visit(_ path: String, _ options: PathOptions, _ body: (String, ModelFiles.Node) -> Void) {
        guard let node = files.node(path) else { return }
        for (name, child) in node.children {
            let path = path + "/" + name
            let relative = Array(path.utf8).dropFirst(options.root.utf8.count + 1)
            guard PathFilter(options).keeps(relative, isDirectory: child.isDirectory) else { continue }
            if !child.isDirectory { body(path, child) } else if options.recursive { visit(path, options, body) }
        }
    }
}

/// `RX_EFFORT` tries more seeds, and `RX_SEED` names one.
@Suite("A path source in a model of the kernel")
struct PathModelTests {
    private func options(
        _ root: String = "/srv/root", _ events: Set<PathOptions.Event> = [.written, .moved, .removed]
    ) -> PathOptions {
        PathOptions(root: root, events: events, recursive: true, existing: true)
    }

    private func check(_ model: PathModel, _ seed: UInt64, ghosts: Bool = true) {
        model.run(steps: 400)
        #expect(model.missed == [], "RX_SEED=\(seed)")
        if ghosts { #expect(model.ghosts == [], "RX_SEED=\(seed)") }
    }

    @Test("misses no file that exists, whatever races, overflows, and kills", arguments: Effort.seeds(5))
    func nothingIsMissed(seed: UInt64) { check(PathModel(seed, options()), seed) }

    @Test("misses no file that is moved between two roots", arguments: Effort.seeds(5))
    func twoRoots(seed: UInt64) { check(PathModel(seed, options(), options("/other")), seed) }

    @Test("misses no file of a root within another one", arguments: Effort.seeds(5))
    func nestedRoots(seed: UInt64) { check(PathModel(seed, options("/srv"), options(), options("/srv/root/a")), seed) }

    @Test("misses no file if the end of the index is lost", arguments: Effort.seeds(5))
    func lostIndex(seed: UInt64) { check(PathModel(seed, options(), losesIndex: true), seed, ghosts: false) }

    @Test("misses no file with patterns of names", arguments: Effort.seeds(5))
    func patterns(seed: UInt64) {
        var options = options()
        options.include = [PathGlob("*.md")!, PathGlob("a")!]
        check(PathModel(seed, options), seed)
    }

    @Test("misses no file with patterns of paths", arguments: Effort.seeds(5))
    func pathPatterns(seed: UInt64) {
        var options = options("/srv/root", Set(PathOptions.Event.allCases))
        options.include = [PathGlob("a/**/b")!, PathGlob("**/c/*")!]
        options.exclude = [PathGlob("b/c")!]
        check(PathModel(seed, options), seed)
    }

    @Test("misses no file of one directory", arguments: Effort.seeds(5))
    func oneDirectory(seed: UInt64) {
        var options = options()
        options.recursive = false
        check(PathModel(seed, options), seed)
    }
}
