import Testing
import TestSupport

@testable import RxConfiguration

@Suite(.countedApart)
struct TOMLFileTests {
    private func parse(_ text: String) throws -> TOMLNode {
        let file = ConfigurationFile(path: "file", bytes: Array(text.utf8))
        return try #require(TOMLFile.parse(file, faults: FaultList()))
    }

    /// The line of a value, by keys and indices.
    private func line(_ path: Any..., in node: TOMLNode) -> Int? {
        var node = node
        for step in path {
            switch (step, node.content) {
            case (let key as String, .table(let members)):
                guard let member = members[key] else { return nil }
                node = member
            case (let index as Int, .array(let elements)):
                guard elements.indices.contains(index) else { return nil }
                node = elements[index]
            default:
                return nil
            }
        }
        return node.place.line
    }

    @Test("keys have the line they are written on, under headers, dotted and quoted")
    func keys() throws {
        let found = try parse(
            """
            # a comment [no.header]
            top = 1

            [ a . "b.c" ] # a comment
              one = 1
            two.three = 2
            'lit"eral' = 3
            "esc\\u0041" = 4
            """)
        #expect(line("top", in: found) == 2)
        #expect(line("a", in: found) == 4)
        #expect(line("a", "b.c", in: found) == 4)
        #expect(line("a", "b.c", "one", in: found) == 5)
        #expect(line("a", "b.c", "two", "three", in: found) == 6)
        #expect(line("a", "b.c", "lit\"eral", in: found) == 7)
        #expect(line("a", "b.c", "escA", in: found) == 8)
    }

    @Test("strings, arrays and inline tables over several lines hide what looks like keys")
    func values() throws {
        let found = try parse(
            #"""
            a = """
            [x]
            b = 2 \"""
            """""
            c = '''
            d = "
            '''
            e = [ # ]
              "]",
              1, [2,
              3], # ,
              { f = "}", g.h = [ 4,
                5 ] },
            ]
            i = "\"#" # ]
            """#)
        #expect(line("a", in: found) == 1)
        #expect(line("c", in: found) == 5)
        #expect(line("e", in: found) == 8)
        #expect(line("e", 0, in: found) == 9)
        #expect(line("e", 2, 1, in: found) == 11)
        #expect(line("e", 3, "f", in: found) == 12)
        #expect(line("e", 3, "g", "h", 1, in: found) == 13)
        #expect(line("i", in: found) == 15)
        #expect(line("x", in: found) == nil)
    }

    @Test("arrays of tables have the lines of their headers")
    func arraysOfTables() throws {
        let found = try parse("[[t]]\na = 1\n[[t]]\na = 2\n[t.sub]\nb = 3\n")
        #expect(line("t", in: found) == 1)
        #expect(line("t", 0, "a", in: found) == 2)
        #expect(line("t", 1, in: found) == 3)
        #expect(line("t", 1, "sub", "b", in: found) == 6)
    }

    @Test("every type of value is known by name")
    func kinds() throws {
        let found = try parse(
            """
            a = "x"
            b = 1
            c = 1.0
            d = true
            e = 2020-01-01
            f = 10:00:00
            g = 2020-01-01T00:00:00Z
            h = []
            i = {}
            """)
        guard case .table(let members) = found.content else {
            Issue.record("no table")
            return
        }
        #expect(
            members.sorted { $0.key < $1.key }.map(\.value.kind) == [
                "a string", "an integer", "a float", "a boolean", "a date", "a time", "a date-time", "an array",
                "a table",
            ])
    }

    @Test("times are read in the form of RFC 3339")
    func times() throws {
        let found = try parse(
            """
            a = 2020-01-02
            b = 10:00:00.25
            c = 2020-01-01 00:00:00Z
            d = 2020-01-01T00:00:00.000001-03:30
            """)
        guard case .table(let members) = found.content else {
            Issue.record("no table")
            return
        }
        let texts = members.sorted { $0.key < $1.key }.map { member in
            if case .time(let time) = member.value.content { time.text } else { "" }
        }
        #expect(
            texts == [
                "2020-01-02", "10:00:00.250000000", "2020-01-01T00:00:00+00:00", "2020-01-01T00:00:00.000001000-03:30",
            ])
    }

    @Test("values are read whole: integers of 64 bits, strings of any characters")
    func contents() throws {
        let found = try parse("a = -9223372036854775808\nb = \"é\\u0001\\U0001F600\"\n\"\" = 1\n")
        guard case .table(let members) = found.content, case .integer(let least) = members["a"]?.content,
            case .string(let text) = members["b"]?.content
        else {
            Issue.record("not what was written")
            return
        }
        #expect(least == .min)
        #expect(text == "é\u{1}\u{1F600}")
        #expect(members[""]?.place.line == 3)
    }

    @Test(
        "a text that is not TOML is one fault with its line",
        arguments: [
            "[", "[[", "a", "a = ", "a = [", "a = {", "a = \"", "a = \"\\", "= = =", "]", "a = '''",
            "a = 99999999999999999999",
            "[a]\n[a]", "a = \"\\ud800\"", String(repeating: "a=[", count: 100_000),
        ])
    func broken(_ text: String) {
        let faults = FaultList()
        let file = ConfigurationFile(path: "file", bytes: Array(text.utf8))
        if TOMLFile.parse(file, faults: faults) != nil { Issue.record("taken") }
        let found = faults.sorted(files: ["file"])
        #expect(found.count == 1)
        #expect(found.allSatisfy { $0.line.map { $0 >= 1 && $0 <= 2 } == true && !$0.message.isEmpty })
    }
}
