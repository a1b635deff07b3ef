/// Why a test cannot be run.
public struct StreamTestFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key of the test that is at fault, such as `["given", "source"]`; empty for the test as a whole.
    public var key: [String]
    /// What is wrong, without the key.
    public var reason: String

    init(_ reason: String, key: String...) {
        self.key = key
        self.reason = reason
    }

    /// The key, and what is wrong.
    public var description: String { (key + [reason]).joined(separator: ": ") }

    /// The description in indented lines of at most 80 columns.
    public var lines: [String] { TextLines(description, indent: 2).lines }
}

extension MarbleText {
    /// The text of a key of a test.
    init(_ text: String, of key: String...) throws(StreamTestFault) {
        do { self = try MarbleText(parsing: text) } catch {
            var fault = StreamTestFault("\(error)")
            fault.key = key
            throw fault
        }
    }
}
