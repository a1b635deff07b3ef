internal import RxJSON

/// Replaces the secrets of an input in the lines of the standard error of its work, as these go to the journal.
///
/// Of a secret with several lines, each line of at least three bytes is one of its own.
package struct ErrorLineMask {
    private let redactor: SecretRedactor

    init(_ redactor: SecretRedactor) { self.redactor = redactor }

    /// The text of a line, or of a piece of a long one.
    ///
    /// - Parameters:
    ///   - bytes: without the line's end.
    ///   - isCutBefore: whether the line has bytes before them.
    ///   - isCutAfter: whether the line may go on after them.
    package func text(_ bytes: [UInt8], isCutBefore: Bool, isCutAfter: Bool) -> String {
        String(
            decoding: redactor.redacting(bytes, isCutBefore: isCutBefore, isCutAfter: isCutAfter), as: UTF8.self)
    }
}
