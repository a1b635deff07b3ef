import HostTestSupport
import RxRecords
import RxHost
import RxJSON
import Testing
import TestSupport

@testable import RxProcess

@Suite(.countedApart)
struct ProcessOutputTests {
    @Test("each line of output is a string element, and only a newline ends a line")
    func lines() async {
        let execution = Recorded(shell: #"printf 'one\r\ntwo\fstill two\205\n\nlast'"#)
        let bytes = await execution.all()
        #expect(bytes == [#""one\r""#, "\"two\\fstill two\u{FFFD}\"", #""""#, #""last""#])
        #expect(execution.isCompleted)
    }

    @Test("elements arrive while the process lives")
    func live() async {
        let execution = Recorded(shell: "echo first; read line; echo $line; exec cat", input: #""typed""#) {
            $0.output = .lines
        }
        #expect(await execution.firstElement() == #""first""#)
        // `read` took the input, `cat` sees its end.
        #expect(await execution.all() == [#""first""#, #""\"typed\"""#])
    }

    @Test("a line is delivered before the process writes more")
    func streams() async {
        let execution = Recorded(shell: "echo first; exec sleep 1000")
        #expect(await execution.firstElement() == #""first""#)
        #expect(!execution.hasEnded)
        execution.dispose()
    }

    @Test("quotes, backslashes and control characters in a line are escaped")
    func escapes() async {
        let execution = Recorded(shell: #"printf 'a"b\\c\td\000e\n'"#)
        #expect(await execution.all() == [#""a\"b\\c\td\u0000e""#])
    }

    @Test("bytes that are not UTF-8 are replaced, and one note has the first line of them")
    func repair() async {
        let execution = Recorded(shell: #"printf 'good\nb\377d\nb\376d\n'"#)
        #expect(await execution.all() == [#""good""#, "\"b\u{FFFD}d\"", "\"b\u{FFFD}d\""])
        #expect(
            execution.notes.map(\.text) == [
                "line 2 of the output is not UTF-8; what was wrong with it was replaced"
            ])
        #expect(execution.notes.map(\.source) == [.daemon])
    }

    @Test("a line of exactly the limit passes, one byte more fails with the limit and the line")
    func lineLimit() async {
        let fits = Recorded(shell: "echo; printf 12345678") { $0.limits.lineBytes = 8 }
        #expect(await fits.all() == [#""""#, #""12345678""#])
        #expect(fits.isCompleted)
        for script in ["echo; printf 123456789; exec sleep 1000", "echo; printf '123456789\\nx'; exec sleep 1000"] {
            let tooLong = Recorded(shell: script) { $0.limits.lineBytes = 8 }
            #expect(await tooLong.all() == [#""""#])
            #expect(tooLong.failure?.facts == ["line": 2, "limit": 8])
        }
    }

    @Test("a gigabyte without a newline fails at the limit, in bounded memory")
    func flood() async {
        // In a process of its own: the tests that go on meanwhile need memory too.
        await #expect(processExitsWith: .success) {
            let before = residentKilobytes()
            let execution = Recorded(shell: "exec head -c 1000000000 /dev/zero")
            let elements = await execution.all()
            precondition(elements == [] && execution.failure?.facts["limit"] == 1_048_576)
            // The limit, its copy while it grows, and slack; far from a gigabyte.
            precondition(residentKilobytes() - before < 50_000)
        }
    }

    @Test("lines longer than a pipe come in one piece")
    func longLine() async {
        let execution = Recorded(shell: "head -c 300000 /dev/zero | tr '\\0' x; echo; echo end")
        let elements = await execution.all()
        #expect(elements.map(\.utf8.count) == [300_002, 5])
    }

    @Test("json: each line is a document, minified; blank lines are none")
    func json() async {
        let execution = Recorded(shell: #"printf '{"a" : 1}\n\n \t\r\n[1, 2 ]\r\n"x"'"#) { $0.output = .json }
        #expect(await execution.all() == [#"{"a":1}"#, "[1,2]", #""x""#])
        #expect(execution.isCompleted)
    }

    @Test("json: a bad line fails with its number, and the process is ended")
    func badJSON() async {
        let execution = Recorded(shell: #"echo '{"a":1}'; echo '{"a":'; echo 3; exec sleep 1000"#) {
            $0.output = .json
        }
        #expect(await execution.all() == [#"{"a":1}"#])
        #expect(execution.failure?.facts["line"] == 2)
        #expect(execution.failure?.facts["reason"]?.string?.isEmpty == false)
    }

    @Test("json: a bad last line without a newline fails too")
    func badLastJSON() async {
        let execution = Recorded(shell: #"printf '1\n2\nnul'"#) { $0.output = .json }
        #expect(await execution.all() == ["1", "2"])
        #expect(execution.failure?.facts["line"] == 3)
    }

    @Test("text: all output is one string, even if it is none")
    func text() async {
        let some = Recorded(shell: "echo one; echo two") { $0.output = .text }
        #expect(await some.all() == [#""one\ntwo\n""#])
        let none = Recorded(shell: "true") { $0.output = .text }
        #expect(await none.all() == [#""""#])
    }

    @Test("text: output over the limit fails and gives no element")
    func textLimit() async {
        let execution = Recorded(shell: "printf 123456789; exec sleep 1000") {
            $0.output = .text
            $0.limits.textBytes = 8
        }
        #expect(await execution.all() == [])
        #expect(execution.failure?.facts == ["limit": 8])
    }

    @Test("a failure keeps the elements before it, and reports exit and the end of standard error")
    func exit() async {
        let execution = Recorded(shell: "echo out; echo oops >&2; echo again >&2; exit 3")
        #expect(await execution.all() == [#""out""#])
        #expect(execution.failure?.facts == ["exit": 3, "stderr": "oops\nagain"])
        #expect(execution.failure?.message == "the process exited with 3")
    }

    @Test("a process killed by a signal fails with its number and name")
    func signal() async {
        let execution = Recorded(shell: "kill -KILL $$")
        _ = await execution.all()
        #expect(execution.failure?.facts == ["signal": 9, "signalName": "SIGKILL"])
    }

    @Test("standard error is logged line by line with the execution's fields")
    func errorLines() async {
        let execution = Recorded(shell: "echo one >&2; printf 'two\\nthree' >&2")
        _ = await execution.all()
        let expected = ["one", "two", "three"].map {
            ProcessNote(source: .standardError, action: "test", execution: execution.id, text: $0)
        }
        #expect(execution.notes == expected)
    }

    @Test("only the last of a long standard error goes into the error")
    func errorTail() async {
        let execution = Recorded(shell: "for i in $(seq 5000); do echo line $i >&2; done; exit 1")
        _ = await execution.all()
        let tail = execution.failure?.facts["stderr"]?.string ?? ""
        #expect(tail.utf8.count <= 4096)
        #expect(tail.utf8.count > 4000)
        #expect(tail.hasSuffix("line 4999\nline 5000"))
    }
}

private func residentKilobytes() -> Int {
    let line = readText("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
}
