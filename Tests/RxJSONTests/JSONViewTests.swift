import RxJSON
import Testing

struct JSONViewTests {
    private let text = """
        { "name" : "deploy" , "tags":[ "a", [ ] , {"deep": [ 1,2 ,3 ]} ],
          "count":12, "ratio" : 0.50 ,"on":true,"off" : false , "none":null , "empty":{ } , "last" : "]}" }
        """

    @Test("every kind is recognized")
    func kinds() throws {
        try reading(text) { view in
            #expect(view.kind == .object)
            let kinds = ["name", "tags", "count", "on", "off", "none", "empty"].map { view.member(named: $0)?.kind }
            #expect(kinds == [.string, .array, .number, .bool, .bool, .null, .object])
        }
        for (text, expected) in [("-1", JSONView.Kind.number), ("9", .number), ("\"t\"", .string)] {
            #expect(try reading(text) { $0.kind } == expected)
        }
    }

    @Test("the raw text of a value is what was written, without white space around it")
    func raw() throws {
        try reading(text) { view in
            #expect(view["name"]?.text == "\"deploy\"")
            #expect(view["tags"]?.text == "[ \"a\", [ ] , {\"deep\": [ 1,2 ,3 ]} ]")
            #expect(view["tags"]?[1]?.text == "[ ]")
            #expect(view["tags"]?[2]?["deep"]?[1]?.text == "2")
            #expect(view["ratio"]?.text == "0.50")
            #expect(view["none"]?.text == "null")
            #expect(view["last"]?.text == "\"]}\"")
            #expect(view.text == text)
        }
        #expect(try reading("  \n 1.0 \t") { $0.text } == "1.0")
        #expect(try reading(" \" \" ") { $0.text } == "\" \"")
        #expect(try reading(" [ ] ") { $0.text } == "[ ]")
    }

    @Test("what is not there is nil, at every depth")
    func absent() throws {
        try reading(text) { view in
            #expect(view["nam"] == nil)
            #expect(view["names"] == nil)
            #expect(view["deep"] == nil)
            #expect(view["name"]?["x"] == nil)
            #expect(view[0] == nil)
            #expect(view["tags"]?[3] == nil)
            #expect(view["tags"]?[-1] == nil)
            #expect(view["tags"]?["a"] == nil)
        }
    }

    @Test("members and elements come in the order written, repeated ones too")
    func order() throws {
        try reading(#"{"b":1,"a":{"x":[1,{}]},"b":[],"":null}"#) { view in
            var seen: [String] = []
            view.forEachMember { seen.append("\($0.string ?? "?")=\($1.text)") }
            #expect(seen == ["b=1", #"a={"x":[1,{}]}"#, "b=[]", "=null"])
            view.forEachElement { _ in Issue.record("an object has no elements") }
        }
        try reading(#"[[],[[]],1,"a",{}]"#) { view in
            #expect(view.elements.map(\.text) == ["[]", "[[]]", "1", #""a""#, "{}"])
            view.forEachMember { _, _ in Issue.record("an array has no members") }
        }
        try reading("[]") { #expect($0.elements.map(\.text) == []) }
        try reading("{}") { #expect($0.members.map(\.value.text) == []) }
        try reading("1") { #expect($0.elements.map(\.text) == []) }
    }

    @Test("of a repeated key the last value counts")
    func repeatedKey() throws {
        try reading(#"{"a":1,"b":2,"a":[3],"\u0061":4}"#) { view in
            #expect(view["a"]?.int == 4)
            #expect(view.member(named: "a")?.int == 4)
            #expect(view.value() == ["a": 4, "b": 2])
        }
    }

    @Test("keys are compared as characters, however they are escaped")
    func escapedKeys() throws {
        try reading(#"{"\u0061ction":1,"a\/b":2,"q\"":3,"\\":4,"é":5,"\ud83d\ude00":6}"#) { view in
            #expect(view["action"]?.int == 1)
            #expect(view["a/b"]?.int == 2)
            #expect(view["q\""]?.int == 3)
            #expect(view["\\"]?.int == 4)
            #expect(view["é"]?.int == 5)
            #expect(view["😀"]?.int == 6)
            #expect(view["q\\\""] == nil)
        }
    }

    @Test("a key that begins like another is another")
    func similarKeys() throws {
        try reading(#"{"ab":1,"a":2,"abc":3,"":4,"a\"":5}"#) { view in
            #expect(view["a"]?.int == 2)
            #expect(view["ab"]?.int == 1)
            #expect(view["abc"]?.int == 3)
            #expect(view[""]?.int == 4)
            #expect(view["abcd"] == nil)
        }
    }

    @Test("equals compares bytes, not accents or prefixes")
    func equals() throws {
        try reading(#"["2.0","2.0 ","2","e\u0301","\u00e9",2.0,"a\\"]"#) { view in
            #expect(view.elements.map { $0.equals("2.0") } == [true, false, false, false, false, false, false])
            #expect(view[4]?.equals("\u{E9}") == true)
            #expect(view[3]?.equals("\u{E9}") == false)
            #expect(view[3]?.equals("e\u{301}") == true)
            #expect(view[6]?.equals("a\\") == true)
            #expect(view[6]?.equals("a\\\\") == false)
        }
    }

    @Test(
        "equals compares all bytes of texts of every length",
        arguments: [
            "", "a", "ab", "abc", "abcd", "abcde", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghijklmno",
            "abcdefghijklmnop", "abcdefghijklmnopq", "abcdefghijklmnopqrstuvwxyz",
        ] as [StaticString])
    func equals(text: StaticString) throws {
        let own = Array(text.description.utf8)
        var others = [own + [120], [120] + own, Array(own.dropLast()) + [120]]
        for place in own.indices {
            var other = own
            other[place] = UInt8(ascii: "_")
            others.append(other)
        }
        // A backslash anywhere in the text makes strings be compared after decoding.
        for end in [#""]"#, #"","\n"]"#] {
            try reading("[\"\(text)" + end) { #expect($0[0]?.equals(text) == true) }
            for other in others where other != own {
                try reading("[\"" + String(decoding: other, as: UTF8.self) + end) {
                    #expect($0[0]?.equals(text) == false)
                }
            }
        }
    }

    @Test(
        "escapes are resolved",
        arguments: [
            (#""""#, ""), (#""abc""#, "abc"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
            (#""\u0041\u00e9\u20AC\ud83d\ude00""#, "Aé€😀"), (#""x\u0000y""#, "x\u{0}y"), (#""é€😀\n""#, "é€😀\n"),
            (#""\ud800\udc00\udbff\udfff""#, "\u{10000}\u{10FFFF}"), (#""\\u0041""#, "\\u0041"),
            (#""\u007f\u0080\u07ff\u0800\uffff""#, "\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}"),
            ("\"twenty characters ok\"", "twenty characters ok"),
        ])
    func strings(text: String, expected: String) throws {
        #expect(try reading(text) { $0.string } == expected)
        #expect(try reading("[\(text)]") { $0[0]?.string } == expected)
    }

    @Test(
        "integers are read exactly, however they are written",
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min),
            ("1.0", 1), ("1e2", 100), ("-2.50e1", -25), ("9223372036854775808", nil), ("1.5", nil), ("1e-1", nil),
            ("1e300", nil), ("9007199254740992.0", nil), ("\"1\"", nil), ("null", nil),
        ] as [(String, Int?)])
    func ints(text: String, expected: Int?) throws {
        #expect(try reading(text) { $0.int } == expected)
    }

    @Test("doubles, booleans and null are read, and nothing else is taken for them")
    func scalars() throws {
        try reading(#"[1.5,-0,true,false,null,"true",1e-400,18446744073709551616.0]"#) { view in
            #expect(view.elements.map(\.double) == [1.5, 0, nil, nil, nil, nil, 0, 0x1p64])
            #expect(view[1]?.double?.sign == .minus)
            #expect(view.elements.map(\.bool) == [nil, nil, true, false, nil, nil, nil, nil])
            #expect(view.elements.map(\.isNull) == [false, false, false, false, true, false, false, false])
            #expect(view.elements.map(\.string) == [nil, nil, nil, nil, nil, "true", nil, nil])
        }
    }

    @Test("a view becomes a tree")
    func tree() throws {
        try reading(text) { view in
            var tree = try #require(view.value().object)
            #expect(tree["ratio"]?.number?.text == "0.50")
            tree["ratio"] = nil
            let rest: JSONObject = [
                "name": "deploy", "tags": ["a", [], ["deep": [1, 2, 3]]], "count": 12, "on": true, "off": false,
                "none": nil, "empty": [:], "last": "]}",
            ]
            #expect(tree == rest)
            #expect(tree.keys == rest.keys)
            #expect(view["tags"]?[2]?.value() == ["deep": [1, 2, 3]])
        }
    }

    @Test(
        "a pointer finds its value",
        arguments: [
            ("/tags/2/deep/1", "2"), ("/on", "true"), ("/tags/-", nil), ("/tags/02", nil), ("/name/0", nil),
        ] as [(String, String?)])
    func pointer(pointer: String, expected: String?) throws {
        let pointer = try JSONPointer(pointer)
        #expect(try reading(text) { $0.value(at: pointer)?.text } == expected)
    }
}
