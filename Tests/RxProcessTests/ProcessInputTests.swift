import HostTestSupport
import RxRecords
import Glibc
import RxHost
import RxJSON
import Testing
import TestSupport

@testable import RxProcess

@Suite(.countedApart)
struct ProcessInputTests {
    @Test("the input comes on standard input as JSON, as it was written, and a newline")
    func standardInput() async {
        let execution = Recorded(shell: "cat; echo end", input: #"{"a": 1.0}"#)
        #expect(await execution.all() == [#""{\"a\": 1.0}""#, #""end""#])
    }

    @Test("an input larger than a pipe reaches a slow reader whole")
    func largeInput() async {
        let text = String(repeating: "x", count: 1_000_000)
        let execution = Recorded(shell: "read dummy < /dev/null; wc -c", input: "\"\(text)\"")
        #expect(await execution.all() == [#""1000003""#])
    }

    @Test("a process that does not read its input is no error")
    func unreadInput() async {
        let text = String(repeating: "x", count: 1_000_000)
        for script in ["exec true", "exec <&-; echo closed; sleep 0.1"] {
            let execution = Recorded(shell: script, input: "\"\(text)\"")
            _ = await execution.all()
            #expect(execution.isCompleted)
        }
    }

    @Test("arguments are taken from the input: strings as they are, numbers and booleans as written")
    func pointers() async {
        let pointers = ["/text", "/number", "/yes", "/deep/1"].map { ProcessArgument.pointer(try! JSONPointer($0), $0) }
        let definition = ProcessDefinition(
            arguments: [.text("/usr/bin/printf"), .text("%s\\n")] + pointers + [.text("$HOME;`x`")])
        let execution = Recorded(
            definition, input: #"{"text":"a b \"c\" *","number":1.50,"yes":true,"deep":[0,"two words"]}"#)
        #expect(
            await execution.all() == [
                #""a b \"c\" *""#, #""1.50""#, #""true""#, #""two words""#, #""$HOME;`x`""#,
            ])
    }

    @Test("an input without what an argument needs is refused, each pointer by name")
    func refusals() throws {
        let paths = ["/a", "/b", "/c", "/d", "/e", ""]
        let definition = ProcessDefinition(
            arguments: [.text("true")] + (try paths.map { .pointer(try JSONPointer($0), $0) }))
        let input = try RawJSON(validating: #"{"a":null,"b":[1],"c":"nul\u0000","e":"fine"}"#)
        #expect(
            definition.faults(in: input) == [
                InputFault(path: "/a", message: "must be a string, a number or a boolean"),
                InputFault(path: "/b", message: "must be a string, a number or a boolean"),
                InputFault(path: "/c", message: "must not contain a NUL character"),
                InputFault(path: "/d", message: "is required"),
                InputFault(path: "", message: "must be a string, a number or a boolean"),
            ])
    }

    @Test("an argument longer than the kernel takes is refused; the longest it takes is taken")
    func longArguments() async throws {
        let definition = ProcessDefinition(
            arguments: [
                .text("/bin/sh"), .text("-c"), .text("printf %s \"$1\" | wc -c"), .text("sh"),
                .pointer(try JSONPointer("/x"), "/x"),
            ])
        let longest = String(repeating: "x", count: 131_071)
        let execution = Recorded(definition, input: #"{"x":"\#(longest)"}"#)
        #expect(await execution.all() == [#""131071""#])
        let tooLong = RawJSON(unchecked: Array(#"{"x":"\#(longest)x"}"#.utf8))
        #expect(
            definition.faults(in: tooLong) == [
                InputFault(path: "/x", message: "is too long for an argument of a program")
            ])
    }

    @Test("work subscribed with a refused input fails and starts nothing")
    func refusedWork() async throws {
        let definition = ProcessDefinition(arguments: [.text("touch"), .pointer(try JSONPointer("/x"), "/x")])
        let execution = Recorded(definition, input: "{}")
        #expect(await execution.all() == [])
        #expect(execution.failure?.facts["errors"] == [["path": "/x", "message": "is required"]])
        #expect(execution.failure?.mayPass == false)
    }
}
