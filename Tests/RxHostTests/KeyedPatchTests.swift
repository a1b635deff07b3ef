import RxJSON
import RxReactor
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

@Suite("Patches of keyed lists", .leakFree)
struct KeyedPatchTests {
    private struct Row: Identifiable, Equatable {
        let id: Int
        var name: String
        var count = 0

        var json: JSONValue { .object(["id": JSONValue(id), "name": .string(name), "count": JSONValue(count)]) }
    }

    private let path = JSONPointer(tokens: ["a/b", "rows"])

    private func text(_ patch: JSONPatch) -> String {
        var writer = JSONWriter()
        patch.write(to: &writer)
        return RawJSON(unchecked: writer.bytes).text
    }

    private func patch(_ old: KeyedList<Row>, _ new: KeyedList<Row>) -> JSONPatch {
        JSONPatch(from: old, to: new, at: path, \.json)
    }

    @Test("a changed member is replaced alone, where its element is")
    func member() {
        let old = KeyedList((0..<1000).map { Row(id: $0, name: "row \($0)") })
        var new = old
        new.update(id: 700) { $0.count = 5 }
        #expect(text(patch(old, new)) == #"[{"op":"replace","path":"/a~1b/rows/700/count","value":5}]"#)
        #expect(patch(old, old).isEmpty)
    }

    @Test("elements come, go and move by one operation each")
    func structure() {
        let old = KeyedList((0..<10).map { Row(id: $0, name: "r") })
        var new = old
        new.remove(id: 3)
        #expect(text(patch(old, new)) == #"[{"op":"remove","path":"/a~1b/rows/3"}]"#)
        new = old
        new.move(id: 9, to: 0)
        #expect(text(patch(old, new)) == #"[{"op":"move","from":"/a~1b/rows/9","path":"/a~1b/rows/0"}]"#)
        new = old
        new.append(Row(id: 10, name: "new"))
        #expect(
            text(patch(old, new))
                == #"[{"op":"add","path":"/a~1b/rows/10","value":{"id":10,"name":"new","count":0}}]"#)
    }

    @Test("if most elements are removed, the patch replaces the array")
    func whole() {
        let old = KeyedList((0..<10).map { Row(id: $0, name: "r") })
        #expect(text(patch(old, [])) == #"[{"op":"replace","path":"/a~1b/rows","value":[]}]"#)
    }

    @Test("random edits, applied, give the new list")
    func random() throws {
        var numbers = SystemRandomNumberGenerator()
        var list = KeyedList((0..<300).map { Row(id: $0, name: "row \($0)") })
        var next = 300
        for _ in 0..<500 {
            let old = list
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let id = list.randomElement(using: &numbers)?.id ?? 0
                switch Int.random(in: 0..<4, using: &numbers) {
                case 0:
                    list.insert(Row(id: next, name: "new"), at: Int.random(in: 0...list.count, using: &numbers))
                    next += 1
                case 1: list.remove(id: id)
                case 2: list.move(id: id, to: Int.random(in: 0..<list.count, using: &numbers))
                default: list.update(id: id) { $0.name += "!" }
                }
            }
            var value = JSONValue.object(["a/b": .object(["rows": .array(old.map(\.json))])])
            try patch(old, list).apply(to: &value)
            #expect(value.value(at: path) == .array(list.map(\.json)))
        }
    }
}
