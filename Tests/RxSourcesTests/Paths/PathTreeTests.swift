import TestSupport
import Testing

@testable import RxSources

@Suite("The index in memory")
struct PathTreeTests {
    private func add(_ name: String, to parent: PathEntry.ID, in tree: PathTree) -> PathEntry.ID {
        Array(name.utf8).withUnsafeBytes { tree.add($0, to: parent) }
    }

    private func find(_ name: String, in parent: PathEntry.ID, of tree: PathTree) -> PathEntry.ID? {
        Array(name.utf8).withUnsafeBytes { tree.find(parent, $0) }
    }

    @Test("agrees with a dictionary, whatever is added, moved, and removed", arguments: Effort.seeds(5))
    func model(seed: UInt64) {
        var numbers = SeededNumbers(seed)
        let tree = PathTree()
        var model: [String: PathEntry.ID] = [:]
        for _ in 0..<20_000 {
            let name = "name \(Int.random(in: 0..<2000, using: &numbers))"
            if let id = model[name] {
                let other = "name \(Int.random(in: 0..<2000, using: &numbers))"
                if model[other] == nil, Bool.random(using: &numbers) {
                    Array(other.utf8).withUnsafeBytes { tree.move(id, $0, to: PathEntry.root) }
                    model[other] = id
                } else {
                    tree.release(id)
                }
                model[name] = nil
            } else {
                model[name] = add(name, to: PathEntry.root, in: tree)
            }
            #expect(find(name, in: PathEntry.root, of: tree) == model[name])
        }
        #expect(tree.count == model.count + 1)
        var children: Set<PathEntry.ID> = []
        tree.forEachChild(PathEntry.root) { children.insert($0) }
        #expect(children == Set(model.values))
        for (name, id) in model { #expect(find(name, in: PathEntry.root, of: tree) == id) }
    }

    @Test("takes about 100 bytes per entry with names of 20 bytes")
    func memory() {
        let tree = PathTree()
        for number in 0..<200_000 { _ = add("a-file-name-\(100_000_000 + number)", to: PathEntry.root, in: tree) }
        let bytes = Double(tree.memory) / 200_000
        print("index: \(bytes) bytes of memory per entry")
        #expect(bytes < 110)
    }
}
