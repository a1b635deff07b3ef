import RxJSON
import Testing

@testable import rxctl

struct TableTests {
    @Test("columns are aligned and nothing trails")
    func lines() {
        #expect(
            Table.lines([["ACTION", "STATE", "X"], ["a", "enabled", ""], ["longer name", "b", "c d"]]) == [
                "ACTION       STATE    X",
                "a            enabled",
                "longer name  b        c d",
            ])
    }

    @Test("facts are listed by their path, strings without quotes")
    func facts() throws {
        let value = try RawJSON(validating: #"{"a":"text","b":{"c":1.0,"d":{}},"e":[1,"x"],"f":null}"#).value()
        #expect(
            Table.facts(of: value) == [
                ["a", "text"], ["b.c", "1.0"], ["b.d", "{}"], ["e", #"[1,"x"]"#], ["f", "null"],
            ])
    }

    @Test("an action is executing, disabled for a cause, or enabled")
    func actions() throws {
        let actions = try RawJSON(
            validating: """
                [{"action":"a","executing":true,"enabled":false,"reason":{"cause":"executing"},
                  "kind":"process","overlap":"reject"},
                 {"action":"b","executing":false,"enabled":false,"reason":{"cause":"condition"},"description":"B"},
                 {"action":"c","executing":false,"enabled":true,"reason":null}]
                """
        ).value().array
        let lines = ListCommand.table(of: try #require(actions))
        #expect(lines.count == 4)
        #expect(lines[1].contains("executing") && lines[1].contains("process") && lines[1].contains("reject"))
        #expect(lines[2].contains("disabled: condition") && lines[2].hasSuffix("B"))
        #expect(lines[3].hasSuffix("enabled"))
    }
}
