import RxJSON
import RxTerminal
import Testing

@testable import rxctl

@Suite("a form of top")
struct TopFormTests {
    private func form(_ keys: [Key], schema: JSONValue = ExampleForm.schema) -> TopForm {
        var form = TopForm(action: "release", schema: schema)
        for key in keys { _ = form.press(key) }
        return form
    }

    private func input(_ form: TopForm) -> String {
        switch form.result {
        case .input(let input): input?.text ?? "none"
        case .fault(let fault, _): fault
        }
    }

    private func typed(_ text: String) -> [Key] { text.map { .character($0) } }

    @Test("has a field for each member, with what may be typed")
    func fields() {
        let form = form([])
        #expect(form.fields.map(\.key) == ["env", "version", "count", "force", "labels"])
        #expect(form.fields.map(\.isRequired) == [true, true, true, false, false])
        #expect(form.fields[2].hint == "integer, at least 1")
        #expect(form.fields[0].choice == 0)
        #expect(form.fields[3].choice == nil)
    }

    @Test("makes the input and the command line of what was typed and chosen")
    func values() {
        let form = form(
            [.right, .tab] + typed("v7 beta") + [.tab] + typed("3") + [.tab, .character(" "), .down]
                + typed("[\"a\"]"))
        #expect(
            input(form) == #"{"env":"prod","version":"v7 beta","count":3,"force":true,"labels":["a"]}"#)
        #expect(
            ShellWord.command(form.words)
                == #"rxctl execute release env=prod 'version=v7 beta' count:=3 force:=true 'labels:=["a"]'"#)
    }

    @Test("leaves out optional members without a value")
    func optional() {
        #expect(input(form([.tab] + typed("v") + [.tab] + typed("1"))) == #"{"env":"staging","version":"v","count":1}"#)
    }

    @Test("refuses a missing number and what is no JSON")
    func faults() {
        #expect(input(form([])) == "count is required: integer, at least 1")
        #expect(input(form([.tab, .tab] + typed("x"))) == "count must be integer, at least 1, in JSON")
    }

    @Test("goes around with Tab and the arrows, and chooses by the first letter")
    func movement() {
        #expect(form([.up]).current == 4)
        #expect(form([.backTab, .tab]).current == 0)
        #expect(form(typed("p")).fields[0].choice == 1)
        #expect(form([.left]).fields[0].choice == 1)
        #expect(form([.down, .down, .down, .left]).fields[3].choice == 1)
        #expect(form([.down, .down, .down, .left, .right]).fields[3].choice == nil)
    }

    @Test("of an action without a schema is one line of JSON, or nothing")
    func withoutSchema() {
        #expect(input(form([], schema: .null)) == "none")
        let form = form(typed(#"{"a":1}"#), schema: .null)
        #expect(input(form) == #"{"a":1}"#)
        #expect(ShellWord.command(form.words) == #"rxctl execute release '{"a":1}'"#)
    }

    @Test("begins with the defaults of the schema")
    func defaults() {
        let schema: JSONValue = [
            "properties": ["a": ["type": "integer", "default": 5], "b": ["enum": ["x", "y"], "default": "y"]]
        ]
        #expect(input(form([], schema: schema)) == #"{"a":5,"b":"y"}"#)
    }
}
