import Jq
import RxJSON
import RxStreams

@testable import RxStreamTest

func json(_ text: String) -> RawJSON {
    do { return try RawJSON(validating: text) } catch { preconditionFailure("\(text): \(error)") }
}

func step(_ name: String, _ arguments: [String: ArgumentValue]) -> StepDefinition { StepDefinition(name, arguments) }

func milliseconds(_ count: Int64) -> ArgumentValue { .duration(count * 1_000) }

let hour: Int64 = 3_600_000_000

extension SourceDefinition {
    static func kind(_ kind: String, _ value: ArgumentValue = .text("x"), zone: String? = nil) -> SourceDefinition {
        var arguments = [kind: value]
        if let zone { arguments["zone"] = .text(zone) }
        return .external(ExternalSource(kind, arguments))
    }
}

func run(_ test: StreamTestDefinition, _ configuration: TestedConfiguration) -> StreamTestResult {
    StreamTestSuite(configuration, evaluator: LocalEvaluator()).run(test)
}
