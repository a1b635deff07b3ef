internal import ArgumentParser
internal import Jq
internal import RxJSON

/// The jq expression of `--until` and `--for`.
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

    /// Whether the expression holds for `record`. If it fails, it does not hold; `onFailure` receives the first
    /// failure.
    func holds(for record: RawJSON, onFailure: (String) -> Void) -> Bool {
        do {
            return try condition.holds(for: record)
        } catch {
            if !hasFailed { onFailure("the expression fails for \(RecordCondition.excerpt(record)): \(error)") }
            hasFailed = true
            return false
        }
    }

    /// Enough of the record to recognize it.
    private static func excerpt(_ record: RawJSON) -> String {
        record.utf8.count <= 200 ? record.text : String(decoding: record.utf8.prefix(200), as: UTF8.self) + "…"
    }
}
