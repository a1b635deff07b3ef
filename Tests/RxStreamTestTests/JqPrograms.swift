import Jq
import RxJSON
import RxStreams
import RxTime

/// Runs programs in this process, for tests: `$key`, `$from`, and `now` are bound.
// Unchecked: a test runs on one thread.
final class JqPrograms: ProgramEvaluator, @unchecked Sendable {
    private var compiled: [String: JqProgram] = [:]

    func evaluate(_ program: StreamProgram, on inputs: [ProgramInput]) -> [ProgramResult] {
        inputs.map { input in
            do {
                let values = try compile(program.text).answers(to: argument(input))
                switch program.use {
                case .many: return .values(values)
                case .condition:
                    return .values([values.contains { $0 != .null && $0 != .false } ? .true : .false])
                case .one:
                    guard values.count == 1 else { return .failed("gave \(values.count) results instead of one") }
                    return .values(values)
                }
            } catch {
                return .failed("\(error)")
            }
        }
    }

    private func compile(_ text: String) throws -> JqProgram {
        if let program = compiled[text] { return program }
        let program = try JqProgram(
            "(.key) as $key | (.from) as $from | .now as $now | def now: $now; .value | (\(text)\n)")
        compiled[text] = program
        return program
    }

    private func argument(_ input: ProgramInput) -> RawJSON {
        let microseconds = Int(input.time.microseconds)
        let seconds =
            microseconds % 1_000_000 == 0
            ? JSONValue(microseconds / 1_000_000) : JSONValue(Double(microseconds) / 1_000_000)
        return RawJSON([
            "value": input.value.value(), "key": input.key?.value() ?? .null, "from": input.from?.value() ?? .null,
            "now": seconds,
        ])
    }
}
