import RxJSON
import Testing

struct JSONPatchDifferenceTests {
    private static func difference(_ old: JSONValue, _ new: JSONValue) -> String {
        var writer = JSONWriter()
        JSONPatch(from: old, to: new).write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test(
        "the difference is what has changed",
        arguments: [
            (["a": 1], ["a": 1], "[]"),
            (["a": 1, "b": 2], ["b": 2, "a": 1], "[]"),
            (1, 1.0, #"[{"op":"replace","path":"","value":1.0}]"#),
            ([1], ["a": 1], #"[{"op":"replace","path":"","value":{"a":1}}]"#),
            (
                ["deep": ["er": ["a": 1, "b": 2, "x": "something that is longer than a patch of a member is"]]],
                ["deep": ["er": ["a": 1, "b": 3, "x": "something that is longer than a patch of a member is"]]],
                #"[{"op":"replace","path":"/deep/er/b","value":3}]"#
            ),
            (
                ["a/b": 1, "x": "something that is longer than a patch of two members may ever become"],
                ["c~d": 2, "x": "something that is longer than a patch of two members may ever become"],
                #"[{"op":"remove","path":"/a~1b"},{"op":"add","path":"/c~0d","value":2}]"#
            ),
            (
                [1, 2, 3, "as long as this element is, nobody replaces them all"],
                [1, 3, "as long as this element is, nobody replaces them all"], #"[{"op":"remove","path":"/1"}]"#
            ),
            (
                [1, 3, "as long as this element is, nobody replaces them all"],
                [1, 2, 3, "as long as this element is, nobody replaces them all"],
                #"[{"op":"add","path":"/1","value":2}]"#
            ),
            ([1, 2, 3, 4], [5, 6, 7, 8], #"[{"op":"replace","path":"","value":[5,6,7,8]}]"#),
        ] as [(JSONValue, JSONValue, String)])
    func changes(old: JSONValue, new: JSONValue, wanted: String) {
        #expect(Self.difference(old, new) == wanted)
    }

    private static func tasks(_ ids: [Int], done: Set<Int> = []) -> JSONValue {
        .array(
            ids.map {
                [
                    "id": JSONValue($0), "title": "a task with a title that is long enough",
                    "done": .bool(done.contains($0)),
                ]
            })
    }

    @Test(
        "elements with a key are followed by it",
        arguments: [
            ([1, 2, 3, 4], [4, 1, 2, 3], #"[{"op":"move","from":"/3","path":"/0"}]"#),
            ([1, 2, 3, 4], [2, 3, 4, 1], #"[{"op":"move","from":"/0","path":"/3"}]"#),
            ([1, 2, 3, 4, 5], [1, 4, 3, 2, 5], nil),
            ([1, 2, 3, 4], [1, 4], #"[{"op":"remove","path":"/2"},{"op":"remove","path":"/1"}]"#),
            (
                [1, 2, 3, 4, 5], [2, 5, 4],
                #"[{"op":"remove","path":"/2"},{"op":"remove","path":"/0"},{"op":"move","from":"/1","path":"/2"}]"#
            ),
        ] as [([Int], [Int], String?)])
    func keyed(old: [Int], new: [Int], wanted: String?) throws {
        let (old, new) = (Self.tasks(old), Self.tasks(new))
        if let wanted { #expect(Self.difference(old, new) == wanted) }
        var value = old
        let patch = JSONPatch(from: old, to: new)
        try patch.apply(to: &value)
        #expect(value == new)
        #expect(patch.operations.allSatisfy { if case .replace = $0 { false } else { true } })
    }

    @Test("an element that moves and changes is moved, then changed")
    func movedAndChanged() {
        #expect(
            Self.difference(Self.tasks([1, 2, 3]), Self.tasks([3, 1, 2], done: [3]))
                == #"[{"op":"move","from":"/2","path":"/0"},{"op":"replace","path":"/0/done","value":true}]"#)
    }

    @Test("without a key of their own elements are matched by place", arguments: ["id", "key", "name"])
    func unkeyed(key: String) {
        func list(_ numbers: [Int]) -> JSONValue {
            .array(numbers.map { .object([key: "same", "number": JSONValue($0), "text": "that takes some bytes"]) })
        }
        #expect(
            Self.difference(list([1, 2, 3, 4]), list([1, 7, 3, 8]))
                == #"[{"op":"replace","path":"/1/number","value":7},{"op":"replace","path":"/3/number","value":8}]"#)
    }

    @Test("the cost follows the change, not the size")
    func cost() throws {
        let cells = JSONValue.array((0..<50_000).map { ["id": JSONValue($0), "value": ["on": false]] })
        let old = JSONValue.object(["cells": cells, "tree": ["cells": cells]])
        var new = old
        try JSONPatch([.replace(JSONPointer("/cells/777/value/on"), true)]).apply(to: &new)
        let clock = ContinuousClock()
        var found: [JSONPatch] = []
        let times = (0..<10).map { _ in clock.measure { found.append(JSONPatch(from: old, to: new)) } }
        #expect(Set(found) == [JSONPatch([.replace(try JSONPointer("/cells/777/value/on"), true)])])
        // A walk through all members takes some 100 times as long. A busy machine may stop some of them.
        #expect(times.contains { $0 < .milliseconds(400) }, "\(times)")
    }

    @Test("a difference, applied, gives the new value, and is never much longer than it", arguments: 0..<16)
    func property(seed: UInt64) throws {
        var random = RandomEdits(seed: seed)
        for _ in 0..<15 {
            let old = random.document()
            var new = old
            for _ in 0..<Int.random(in: 1...4, using: &random.generator) { random.edit(&new, depth: 0) }
            try check(old, new)
            try check(new, old)
            try check(old, random.document())
        }
    }

    private func check(_ old: JSONValue, _ new: JSONValue) throws {
        let patch = JSONPatch(from: old, to: new)
        var writer = JSONWriter()
        patch.write(to: &writer)
        let read = try JSONPatch(RawJSON(validating: writer.bytes))
        #expect(read == patch)
        var value = old
        try read.apply(to: &value)
        #expect(value == new)
        #expect(patch.isEmpty == (old == new))
        #expect(writer.bytes.count <= 2 * RawJSON(new).utf8.count + 100)
    }
}

/// Documents with keyed lists, and changes as programs make them.
private struct RandomEdits {
    var generator: SeededGenerator
    private var values: RandomJSON
    private var next = 1000

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        values = RandomJSON(generator: SeededGenerator(seed: seed &+ 1_000_000))
    }

    mutating func document() -> JSONValue {
        [
            "list": .array((0..<Int.random(in: 0..<30, using: &generator)).map { item($0) }),
            "any": values.value(), "numbers": .array((0..<8).map { JSONValue($0) }),
            "nested": ["list": .array((0..<6).map { item($0, key: "name") })],
        ]
    }

    private mutating func item(_ number: Int, key: String = "id") -> JSONValue {
        .object([key: JSONValue(number), "text": "an item's text", "value": values.value(depth: 2)])
    }

    mutating func edit(_ value: inout JSONValue, depth: Int) {
        guard depth < 4, Int.random(in: 0..<8, using: &generator) > 0 else { return value = values.value(depth: 2) }
        switch value {
        case .object(var members):
            guard let key = members.keys.randomElement(using: &generator) else { return members["new"] = 1 }
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: members[key] = nil
            case 1: members["new"] = values.value(depth: 1)
            case _:
                var member = members[key] ?? .null
                edit(&member, depth: depth + 1)
                members[key] = member
            }
            value = .object(members)
        case .array(var elements):
            let place = elements.indices.randomElement(using: &generator)
            switch (Int.random(in: 0..<7, using: &generator), place) {
            case (0, let place?): elements.remove(at: place)
            case (1, let place?):
                let moved = elements.remove(at: place)
                elements.insert(moved, at: Int.random(in: 0...elements.count, using: &generator))
            case (2, _): elements.shuffle(using: &generator)
            case (3, _), (_, nil):
                next += 1
                elements.insert(item(next), at: Int.random(in: 0...elements.count, using: &generator))
            case (4, let place?): elements.append(elements[place])
            case (_, let place?): edit(&elements[place], depth: depth + 1)
            }
            value = .array(elements)
        case .null, .bool, .number, .string:
            value = values.value(depth: 1)
        }
    }
}
