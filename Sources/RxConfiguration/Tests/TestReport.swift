internal import RxHost
package import RxJSON
package import RxStreamTest

/// A result of a test of a configuration, as faults, text, and JSON show it.
package struct TestReport: Sendable {
    package let test: ConfiguredTest
    package let outcome: StreamTestResult.Outcome

    package init(_ test: ConfiguredTest, _ result: StreamTestResult) {
        self.test = test
        outcome = result.outcome
    }

    /// Whether the test has failed or cannot be run.
    package var isFault: Bool {
        switch outcome {
        case .passed, .unfinished: false
        case .failed, .faulty: true
        }
    }

    /// What is wrong, with its file, line, and key; nil if the test has passed, or was not finished.
    package var fault: ConfigurationFault? {
        switch outcome {
        case .passed, .unfinished: nil
        case .failed(let failure): fault(["expect"], (["the test has failed"] + failure.lines).joined(separator: "\n"))
        case .faulty(let fault): self.fault(fault.key, fault.reason)
        }
    }

    private func fault(_ key: [String], _ message: String) -> ConfigurationFault {
        let line = test.lines[dottedKey(key)] ?? test.line
        return ConfigurationFault(
            file: line.file, line: line.line, key: dottedKey(["test", test.name] + key), message: message)
    }

    /// Lines for a terminal: the verdict and the name, then what is wrong.
    package var text: [String] {
        switch outcome {
        case .passed: return ["passed  \(test.name)"]
        case .unfinished: return ["open    \(test.name)"]
        case .failed(let failure): return ["FAILED  \(test.name)", "  at \(place(["expect"]))"] + failure.lines
        case .faulty(let fault):
            return ["FAULTY  \(test.name)", "  at \(place(fault.key))"] + fault.lines
        }
    }

    private func place(_ key: [String]) -> String {
        let line = test.lines[dottedKey(key)] ?? test.line
        return "\(line.file):\(line.line)"
    }

    /// `{"test","outcome","file","line"}`; after a failure with `expected`, `actual`, and `difference`, and for a test
    /// that cannot be run with `key` and `reason`.
    package var json: RawJSON {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("test", test.name)
            switch outcome {
            case .passed: writer.field("outcome", "passed")
            case .unfinished: writer.field("outcome", "unfinished")
            case .failed: writer.field("outcome", "failed")
            case .faulty: writer.field("outcome", "faulty")
            }
            writer.field("file", fault?.file ?? test.line.file)
            writer.field("line", fault?.line ?? test.line.line)
            switch outcome {
            case .passed, .unfinished: break
            case .failed(let failure):
                writer.field("expected", failure.expected.description)
                writer.field("actual", failure.actual.description)
                writer.field("difference", failure.difference)
            case .faulty(let fault):
                writer.field("key", dottedKey(fault.key))
                writer.field("reason", fault.reason)
            }
        }
        return RawJSON(unchecked: writer.bytes)
    }
}
