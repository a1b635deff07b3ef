import RxJSON
import Testing

struct JSONValueTests {
    private let value: JSONValue = [
        "z": 1, "a": [nil, true, 2.5, "text"], "o": ["k": [:]],
    ]

    @Test("literals build trees whose order is kept")
    func literals() {
        #expect(RawJSON(value).text == #"{"z":1,"a":[null,true,2.5,"text"],"o":{"k":{}}}"#)
    }

    @Test("values are asked for by kind, key and index")
    func access() {
        #expect(value["z"]?.int == 1)
        #expect(value["z"]?.double == 1)
        #expect(value["z"]?.string == nil)
        #expect(value["a"]?[0]?.isNull == true)
        #expect(value["a"]?[1]?.bool == true)
        #expect(value["a"]?[2]?.double == 2.5)
        #expect(value["a"]?[2]?.int == nil)
        #expect(value["a"]?[3]?.string == "text")
        #expect(value["a"]?[4] == nil)
        #expect(value["a"]?[-1] == nil)
        #expect(value["a"]?.array?.count == 4)
        #expect(value["o"]?.object?["k"] == [:])
        #expect(value[0] == nil)
        #expect(value["a"]?["z"] == nil)
    }

    @Test("ten thousand random trees are the same after being written and read")
    func roundTrip() throws {
        var random = RandomJSON(generator: SeededGenerator(seed: 1))
        for _ in 0..<10_000 {
            let value = random.value()
            let raw = RawJSON(value)
            #expect(!raw.utf8.contains(UInt8(ascii: "\n")))
            let back = try reading(raw.utf8) { $0.value() }
            #expect(back == value, "\(raw)")
            #expect(back.hashValue == value.hashValue)
            #expect(RawJSON(back) == raw)
            #expect(raw.minified() == raw)
        }
    }

    @Test("a number stays as it was written", arguments: ["1.0", "-0", "1e2", "1E+02", "0.10", "18446744073709551615"])
    func numbers(text: String) throws {
        let value = try RawJSON(validating: text).value()
        #expect(value.number?.text == text)
        #expect(RawJSON(value).text == text)
    }

    @Test("numbers are compared as written and read by value")
    func numberValues() throws {
        let one = try RawJSON(validating: "1.0").value()
        #expect(one != 1)
        #expect(one.int == 1)
        #expect(JSONNumber(UInt64.max).uint == .max)
        #expect(JSONNumber(UInt64.max).int == nil)
        #expect(JSONNumber(-1).uint == nil)
        #expect(JSONNumber(0.5)?.double == 0.5)
    }

    @Test("a pointer finds its value in a tree")
    func pointer() throws {
        #expect(value.value(at: try JSONPointer("/a/3")) == "text")
        #expect(value.value(at: try JSONPointer("/o/k")) == [:])
        #expect(value.value(at: try JSONPointer("")) == value)
        #expect(value.value(at: try JSONPointer("/a/4")) == nil)
        #expect(value.value(at: try JSONPointer("/a/-")) == nil)
        #expect(value.value(at: try JSONPointer("/z/0")) == nil)
    }
}
