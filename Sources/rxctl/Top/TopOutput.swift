internal import RxJSON

/// What is kept of the output of an execution, for a pager: elements as lines, strings without quotes, and what was
/// written to stderr.
enum TopOutput {
    /// - Parameter output: an `Output`.
    static func text(_ output: JSONValue) -> [UInt8] {
        var text: [UInt8] = []
        for part in output["output"]?.array ?? [] {
            for element in part["elements"]?.array ?? [] {
                text += Array((element.string ?? RawJSON(element).text).utf8) + [UInt8(ascii: "\n")]
            }
            if let bytes = part.standardError { text += bytes }
            if let missing = part["missing"] {
                let what =
                    missing["elements"]?.int.map { $0 == 1 ? "1 element" : "\($0) elements" }
                    ?? "\(missing["bytes"]?.int ?? 0) bytes"
                text += Array("[missing here, because it was not kept: \(what)]\n".utf8)
            }
        }
        if text.isEmpty { text = Array("[no output]\n".utf8) }
        // The work must not control the terminal, whatever the pager lets through.
        return Array(String(decoding: text, as: UTF8.self).printable.utf8)
    }
}
