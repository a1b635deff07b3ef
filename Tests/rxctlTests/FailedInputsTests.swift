import RxJSON
import Testing

@testable import rxctl

struct FailedInputsTests {
    private func failed(_ records: String...) throws -> [String] {
        var inputs = FailedInputs()
        for (index, record) in records.enumerated() {
            let text = #"{"execution":"\#(index)",\#(record)}"#
            inputs.add(try RawJSON(validating: text).value())
        }
        return inputs.lines().map { line in
            guard case .retry(let execution) = line.place else { return "a line" }
            return "\(line.number): \(line.text) of \(execution), \(line.key ?? "no key")"
        }
    }

    @Test(
        "these states of the last execution are retried",
        arguments: [
            (#""state":"failed""#, true), (#""state":"timedOut""#, true), (#""state":"interrupted""#, true),
            (#""state":"completed""#, false), (#""state":"executing""#, false), (#""state":"queued""#, false),
            (#""state":"cancelled""#, false),
            (#""state":"cancelled","error":{"data":{"cause":"superseded"}}"#, false),
            (#""state":"cancelled","error":{"data":{"cause":"stopping"}}"#, true),
        ])
    func states(record: String, isRetried: Bool) throws {
        #expect(try failed(#""input":1,\#(record)"#) == (isRetried ? ["1: 1 of 0, retry-0"] : []))
    }

    @Test("the last execution of an input counts, in the order of the failures")
    func last() throws {
        #expect(
            try failed(
                #""input":"a","state":"failed""#, #""input":"b","state":"failed""#, #""input":"c","state":"failed""#,
                #""input":"d","state":"completed""#, #""input":"b","state":"completed""#,
                #""input":"a","state":"failed""#, #""input":"d","state":"failed""#)
                == [#"1: "c" of 2, retry-2"#, #"2: "a" of 5, retry-5"#, #"3: "d" of 6, retry-6"#])
        #expect(try failed(#""input":1,"state":"failed""#, #""input":1,"state":"queued""#) == [])
    }

    @Test("a canceled execution leaves the one before it as it was, and the next key is another")
    func cancelled() throws {
        #expect(
            try failed(#""input":1,"state":"failed""#, #""input":1,"state":"cancelled""#) == ["1: 1 of 0, retry-1"])
        #expect(try failed(#""input":1,"state":"completed""#, #""input":1,"state":"cancelled""#) == [])
    }

    @Test("inputs that are not kept are all reported, and those with secrets not executed")
    func notKept() throws {
        var inputs = FailedInputs()
        for text in [
            #"{"execution":"0","state":"failed"}"#, #"{"execution":"1","state":"completed"}"#,
            #"{"execution":"2","state":"failed"}"#,
            #"{"execution":"3","state":"failed","input":{"token":"[redacted]"}}"#,
        ] { inputs.add(try RawJSON(validating: text).value()) }
        let reasons = inputs.lines().map { line in
            guard case .failure(let ending) = line.input, case .text(let text) = ending.message else { return "kept" }
            return text
        }
        let large = "its input was too large to keep; execute the action with that input"
        #expect(
            reasons == [large, large, "its input has secrets, which are not kept; execute the action with that input"])
    }
}
