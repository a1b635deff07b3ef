#if canImport(Testing)
    internal import Testing
#endif
#if canImport(XCTest)
    internal import XCTest
#endif

/// Where a test says what must be so.
struct CallSite {
    let fileID: String
    let file: StaticString
    let line: UInt
    let column: UInt
}

extension CallSite {
    /// Where the column and the module are not known.
    init(file: StaticString, line: UInt) {
        let path = "\(file)".split(separator: "/").suffix(2)
        self.init(
            fileID: path.count == 2 ? path.joined(separator: "/") : "Test/\(file)", file: file, line: line, column: 1)
    }

    /// Fails the running test, of Swift Testing or of XCTest. With neither running, tells it on standard output.
    func fail(_ message: String) {
        #if canImport(Testing)
            if Test.current != nil {
                let location = SourceLocation(
                    fileID: fileID, filePath: "\(file)", line: Int(line), column: Int(column))
                Issue.record(Comment(rawValue: message), sourceLocation: location)
                return
            }
        #endif
        #if canImport(XCTest)
            XCTFail(message, file: file, line: line)
        #else
            print("\(file):\(line): \(message)")
        #endif
    }
}
