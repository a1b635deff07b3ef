import RxJSON
import Testing

struct JSONPointerTests {
    private let document: JSONValue = [
        "list": ["first", "second"], "": "no name", "slash/inside": 1, "per%cent": 2, "ca^ret": 3, "p|pe": 4,
        "back\\slash": 5, "quote\"": 6, " ": 7, "tilde~": 8, "~1": 9, "-": 10, "0": 11,
    ]

    @Test(
        "a pointer is read, finds its value in every form of the document, and is written back",
        arguments: [
            ("/list", ["first", "second"]), ("/list/0", "first"), ("/list/1", "second"), ("/", "no name"),
            ("/slash~1inside", 1), ("/per%cent", 2), ("/ca^ret", 3), ("/p|pe", 4), ("/back\\slash", 5),
            ("/quote\"", 6), ("/ ", 7), ("/tilde~0", 8), ("/~01", 9), ("/-", 10), ("/0", 11),
        ] as [(String, JSONValue)])
    func examples(text: String, expected: JSONValue) throws {
        let pointer = try JSONPointer(text)
        #expect(pointer.description == text)
        #expect(document.value(at: pointer) == expected)
        #expect(RawJSON(document).value(at: pointer)?.value() == expected)
    }

    @Test(
        "what is not there is not found",
        arguments: [
            "/list/2", "/list/-", "/list/00", "/list/01", "/list/+1", "/list/1e0", "/list/ 1", "/list/", "/list/-1",
            "/list/18446744073709551616", "/absent", "/list/0/0", "//", "/list/1\u{661}",
        ])
    func absent(text: String) throws {
        let pointer = try JSONPointer(text)
        #expect(document.value(at: pointer) == nil)
        #expect(RawJSON(document).value(at: pointer) == nil)
    }

    @Test("the empty pointer is the whole document, with no tokens")
    func whole() throws {
        #expect(try JSONPointer("").tokens == [])
        #expect(try JSONPointer("/").tokens == [""])
        #expect(try JSONPointer("//a/").tokens == ["", "a", ""])
        #expect(document.value(at: try JSONPointer("")) == document)
    }

    @Test("tilde escapes are resolved once, in the right order")
    func escapes() throws {
        #expect(try JSONPointer("/~01").tokens == ["~1"])
        #expect(try JSONPointer("/~10").tokens == ["/0"])
        #expect(try JSONPointer("/~0~1~0").tokens == ["~/~"])
        #expect(JSONPointer(tokens: ["~1", "a/b"]).description == "/~01/a~1b")
        #expect(try JSONPointer("/a").appending("b/c") == JSONPointer("/a/b~1c"))
    }

    @Test(
        "what is no pointer is refused",
        arguments: ["a", "a/b", "~0", " /a", "/~", "/a~", "/~2", "/~a/b", "/~~0", "#/a"])
    func refused(text: String) {
        #expect(throws: JSONError.self) { try JSONPointer(text) }
    }
}
