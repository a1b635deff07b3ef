import Glibc
import RxJSON
import Testing

/// The official test suite of draft 7, which is not part of the project: `make schema-suite` downloads it and names its
/// tests in `RX_SCHEMA_SUITE`, one JSON object on each line.
struct JSONSchemaSuiteTests {
    private struct Answers {
        var right = 0
        var wrong: [String] = []
    }

    private static var path: String? { getenv("RX_SCHEMA_SUITE").map { String(cString: $0) } }

    /// Read without limits: a few of the tests are about numbers that no message may have.
    private static func lines(of path: String) -> [RawJSON] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var lines: [RawJSON] = []
        var line: UnsafeMutablePointer<CChar>?
        defer { free(line) }
        var capacity = 0
        while true {
            let count = getline(&line, &capacity, file)
            guard count > 0 else { return lines }
            lines.append(RawJSON(unchecked: Array(UnsafeRawBufferPointer(start: line, count: count))))
        }
    }

    private static func member(_ name: String, of line: RawJSON) -> RawJSON? {
        line.value(at: JSONPointer(tokens: [name]))
    }

    private static func text(_ name: String, of line: RawJSON) -> String? {
        guard case .string(let text) = member(name, of: line)?.value() else { return nil }
        return text
    }

    @Test("every required answer and every answer about a format is right", .enabled(if: path != nil))
    func answers() throws {
        let lines = Self.lines(of: try #require(Self.path))
        var documents: [String: RawJSON] = [:]
        var answers: [String: Answers] = [:]
        for line in lines {
            if let uri = Self.text("uri", of: line) {
                let document: RawJSON = try #require(Self.member("document", of: line))
                documents[uri] = document
                continue
            }
            let name = try #require(Self.text("name", of: line))
            let data = try #require(Self.member("data", of: line))
            let kind =
                name.hasPrefix("optional/format/") ? "format" : name.hasPrefix("optional/") ? "optional" : "required"
            let isValid: Bool
            do {
                let schema = try JSONSchema(
                    #require(Self.member("schema", of: line)), documents: documents)
                isValid = schema.violations(of: data).isEmpty
            } catch {
                answers[kind, default: Answers()].wrong.append("\(name): refused: \(error)")
                continue
            }
            if isValid == (Self.member("valid", of: line)?.text == "true") {
                answers[kind, default: Answers()].right += 1
            } else {
                answers[kind, default: Answers()].wrong.append("\(name): \(isValid ? "accepted" : "rejected")")
            }
        }
        for (kind, answers) in answers.sorted(by: { $0.key < $1.key }) {
            print("\(kind): \(answers.right) of \(answers.right + answers.wrong.count) answers are right")
            answers.wrong.forEach { print("    \($0)") }
        }
        #expect(try #require(answers["required"]).wrong == [])
        #expect(try #require(answers["format"]).wrong == [])
    }
}
