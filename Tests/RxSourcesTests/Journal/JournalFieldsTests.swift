import RxJSON
import Testing

@testable import RxSources

struct JournalFieldsTests {
    @Test("fields are strings, repeated ones arrays; bytes that are no text are replaced")
    func fields() {
        #expect(
            json(["MESSAGE=a \"b\"=c\n", "A=1", "B=", "A=2", "A=3", "C=\u{e9}"])
                == #"{"MESSAGE":"a \"b\"=c\n","A":["1","2","3"],"B":"","C":"é"}"#)
        var fields = JournalFields()
        for bytes in [Array("MESSAGE=x".utf8) + [0xFF, 0x00], Array("=x".utf8), Array("x".utf8), []] {
            bytes.withUnsafeBytes { fields.add($0) }
        }
        #expect(fields.json.text == #"{"MESSAGE":"x\#u{fffd}\u0000"}"#)
    }

    @Test("a value is cut between characters")
    func value() {
        let text = json(["MESSAGE=x" + String(repeating: "é", count: JournalFields.mostValueBytes)])
        #expect(text == #"{"MESSAGE":"x\#(String(repeating: "é", count: JournalFields.mostValueBytes / 2 - 1))"}"#)
        let whole = String(repeating: "é", count: JournalFields.mostValueBytes / 2)
        #expect(json(["MESSAGE=" + whole]) == #"{"MESSAGE":"\#(whole)"}"#)
    }

    @Test("a writer with too many fields cannot push out those of journald")
    func record() {
        let large = String(repeating: "x", count: 60_000)
        let value = RawJSON(unchecked: Array(json((0..<9).map { "F\($0)=\(large)" } + ["_PID=7"]).utf8)).value()
        #expect(value["_PID"]?.string == "7")
        #expect(value["F3"]?.string == large)
        #expect((value["F4"]?.string?.utf8.count ?? 0) < 60_000)
        #expect(value["F5"] == nil)
        let bytes = value.object?.members.reduce(0) { $0 + ($1.value.string?.utf8.count ?? 0) } ?? 0
        #expect(bytes <= JournalFields.mostBytes)
    }

    private func json(_ all: [String]) -> String {
        var fields = JournalFields()
        for field in all { Array(field.utf8).withUnsafeBytes { fields.add($0) } }
        return fields.json.text
    }
}
