import Testing

@testable import rxd

struct TOMLLinesTests {
    private func lines(_ text: String) -> TOMLLines { TOMLLines(Array(text.utf8)) }

    private func path(_ steps: Any...) -> TOMLLines.Path {
        steps.map { step in
            if let index = step as? Int { .index(index) } else { .key(step as! String) }
        }
    }

    @Test("keys are found under headers, dotted and quoted, past comments and blank lines")
    func keys() {
        let found = lines(
            """
            # a comment [no.header]
            top = 1

            [ a . "b.c" ] # a comment
              one = 1
            two.three = 2
            'lit"eral' = 3
            "esc\\u0041\\t" = 4
            [a]
            late = 5
            """)
        #expect(found.line(of: path("top")) == 2)
        #expect(found.line(of: path("a", "b.c")) == 4)
        #expect(found.line(of: path("a", "b.c", "one")) == 5)
        #expect(found.line(of: path("a", "b.c", "two")) == 6)
        #expect(found.line(of: path("a", "b.c", "two", "three")) == 6)
        #expect(found.line(of: path("a", "b.c", "lit\"eral")) == 7)
        #expect(found.line(of: path("a", "b.c", "escA\t")) == 8)
        #expect(found.line(of: path("a")) == 9)
        #expect(found.line(of: path("a", "late")) == 10)
    }

    @Test("strings, arrays and inline tables over several lines hide what looks like keys")
    func values() {
        let found = lines(
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
            j = 2020-01-01T00:00:00Z
            """#)
        #expect(found.line(of: path("a")) == 1)
        #expect(found.line(of: path("c")) == 5)
        #expect(found.line(of: path("e")) == 8)
        #expect(found.line(of: path("e", 0)) == 9)
        #expect(found.line(of: path("e", 1)) == 10)
        #expect(found.line(of: path("e", 2)) == 10)
        #expect(found.line(of: path("e", 2, 1)) == 11)
        #expect(found.line(of: path("e", 3)) == 12)
        #expect(found.line(of: path("e", 3, "f")) == 12)
        #expect(found.line(of: path("e", 3, "g", "h")) == 12)
        #expect(found.line(of: path("e", 3, "g", "h", 1)) == 13)
        #expect(found.line(of: path("i")) == 15)
        #expect(found.line(of: path("j")) == 16)
        // Nothing of what is inside strings, and the parent's line for what is not written.
        #expect(found.line(of: path("x")) == 1)
        #expect(found.line(of: path("e", 9)) == 8)
    }

    @Test("arrays of tables count their elements, and headers below them belong to the last")
    func arraysOfTables() {
        let found = lines(
            """
            [[t]]
            a = 1
            [[t]]
            a = 2
            [t.sub]
            b = 3
            [[t.list]]
            c = 4
            """)
        #expect(found.line(of: path("t")) == 1)
        #expect(found.line(of: path("t", 0, "a")) == 2)
        #expect(found.line(of: path("t", 1)) == 3)
        #expect(found.line(of: path("t", 1, "a")) == 4)
        #expect(found.line(of: path("t", 1, "sub", "b")) == 6)
        #expect(found.line(of: path("t", 1, "list", 0, "c")) == 8)
    }

    @Test("Windows line ends and a byte order mark change no line")
    func windows() {
        let found = lines("\u{FEFF}a = 1\r\n[b]\r\nc = \"\"\"\r\nx\"\"\"\r\nd = 2\r\n")
        #expect(found.line(of: path("a")) == 1)
        #expect(found.line(of: path("b", "c")) == 3)
        #expect(found.line(of: path("b", "d")) == 5)
    }

    @Test("NUL characters written as escapes are noticed where they are")
    func nulEscapes() {
        #expect(
            lines("a = \"\\u0000\"\nb = '\\u0000'\nc = \"\"\"\n\\U00000000\"\"\"\nd = \"\\\\u0000\"").nulEscapes == [
                1, 4,
            ])
    }

    @Test(
        "a text that is not TOML is scanned to its end all the same",
        arguments: [
            "[", "[[", "a", "a = ", "a = [", "a = {", "a = {b", "a = \"", "a = \"\\", "a = \"\\u12", "= = =", "]", "}",
            ".",
            "a = '''", "a = [[[[", "[a.b", "\"", "a.", "a = {,}", "a = [,]", "=", "\u{0}",
        ])
    func broken(_ text: String) {
        #expect(lines(text).line(of: path("nothing")) == 1)
    }
}
