/// Why a test cannot be run.
struct TestFault: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

extension MarbleText {
    /// The text of a key of a test.
    init(_ text: String, of key: String) throws(TestFault) {
        do { self = try MarbleText(parsing: text) } catch { throw TestFault("\(key): \(error)") }
    }
}
