import Jq
import RxAction
import RxJSON
import RxStreamTest
import RxStreams
import Testing

/// Has a stream of steps run in virtual time, with jq, and compares what it emits with a marble text.
func expect(
    _ steps: [StepDefinition], given: String, other: String? = nil, emits expected: String,
    values: [Character: String] = [:], mock: [MockOutcome] = [], overlap: Overlap = .concurrent(limit: 100),
    source: SourceDefinition = .kind("subject", "in"), at place: SourceLocation = #_sourceLocation
) {
    let test = StreamTestDefinition(
        name: "stream", target: .stream("stream"),
        given: ["\(source.label):in": given].merging(other.map { ["signal:USR1": $0] } ?? [:]) { $1 },
        values: values.mapValues { json($0) }, mock: mock.isEmpty ? [:] : ["work": mock], expect: expected)
    let configuration = TestedConfiguration(
        streams: [StreamDefinition(name: "stream", source: source, steps: steps)], overlaps: ["work": overlap])
    let result = StreamTestSuite(configuration, evaluator: LocalEvaluator()).run(test)
    #expect(result.outcome == .passed, "\(result.text)", sourceLocation: place)
}

extension SourceDefinition {
    fileprivate var label: String { if case .external(let source) = self { source.kind } else { "" } }
}

func program(_ text: String, _ use: StreamProgram.Use = .one) -> ArgumentValue { .program(StreamProgram(text, use)) }

let numbers: [Character: String] = Dictionary(
    uniqueKeysWithValues: zip("abcdefghi", 1...9).map { ($0, "\($1)") })
