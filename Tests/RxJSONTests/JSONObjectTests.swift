import RxJSON
import Testing

struct JSONObjectTests {
    @Test("a repeated key keeps its place and takes the last value", arguments: [3, 8, 9, 40])
    func repeated(count: Int) {
        var object = JSONObject()
        for number in 0..<count { object["k\(number)"] = JSONValue(number) }
        object["k1"] = "again"
        #expect(object.count == count)
        #expect(object.keys == (0..<count).map { "k\($0)" })
        #expect(object["k1"] == "again")
        #expect(object["k\(count - 1)"] == JSONValue(count - 1))
        #expect(object["absent"] == nil)
        let literal: JSONObject = ["a": 1, "b": 2, "a": 3]
        #expect(literal.keys == ["a", "b"])
        #expect(literal["a"] == 3)
    }

    @Test("a removed member is gone, the others stay findable and in order", arguments: [3, 8, 9, 10, 40])
    func removal(count: Int) {
        var object = JSONObject()
        for number in 0..<count { object["k\(number)"] = JSONValue(number) }
        object["k1"] = nil
        object["absent"] = nil
        #expect(object.keys == (0..<count).filter { $0 != 1 }.map { "k\($0)" })
        #expect(object["k1"] == nil)
        for number in 2..<count { #expect(object["k\(number)"] == JSONValue(number)) }
        object["k1"] = "back"
        #expect(object.keys.last == "k1")
        #expect(object["k1"] == "back")
    }

    @Test("order makes no difference to equality or hash")
    func equality() {
        let one: JSONObject = ["a": 1, "b": [2], "c": nil]
        let other: JSONObject = ["c": nil, "a": 1, "b": [2]]
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one != ["a": 1, "b": [2]])
        #expect(one != ["a": 1, "b": [2], "d": nil])
        #expect(one != ["a": 1, "b": [3], "c": nil])
    }

    @Test("two spellings of an accented letter are two keys and two strings", arguments: [0, 20])
    func spellings(others: Int) {
        var object = JSONObject()
        for number in 0..<others { object["k\(number)"] = 0 }
        object["\u{E9}"] = 1
        object["e\u{301}"] = 2
        #expect(object.count == others + 2)
        #expect(object["\u{E9}"] == 1)
        #expect(object["e\u{301}"] == 2)
        #expect(JSONValue.string("\u{E9}") != "e\u{301}")
        #expect(JSONValue.object(["\u{E9}": 1]) != ["e\u{301}": 1])
    }

    @Test("a hundred thousand members, half of them repeated, are read in a blink")
    func many() throws {
        let members = (0..<100_000).map { "\"k\($0 % 50_000)\":\($0)" }.joined(separator: ",")
        let object = try reading("{\(members)}", limits: JSONLimits(bytes: 4_000_000)) { $0.value().object }
        #expect(object?.count == 50_000)
        #expect(object?["k7"] == 50_007)
    }
}
