internal import ArgumentParser
internal import Jq
internal import RxJSON

/// EXPR of `--until` and `--for`.
final class RecordCondition {
    private let condition: JqCondition
    private var hasFailed = false

    init(_ text: String) throws {
        do {
            condition = try JqCondition(text)
        } catch {
            throw ValidationError("not a jq expression: \(error)")
        }
    }

    /// Whether EXPR holds for `record`. Where it fails it does not; the first time, `onFailure` is told why.
    func holds(for record: RawJSON, onFailure: (String) -> Void) -> Bool {
        do {
            return try condition.holds(for: record)
        } catch {
            if !hasFailed { onFailure("the expression fails for \(RecordCondition.excerpt(record)): \(error)") }
            hasFailed = true
            return false
        }
    }

    /// Enough to know which one it is.
    private static func excerpt(_ record: RawJSON) -> String {
        record.utf8.count <= 200 ? record.text : String(decoding: record.utf8.prefix(200), as: UTF8.self) + "…"
    }
}
