internal import Rx

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

    /// Fails the running test, of Swift Testing or of XCTest; tells it on standard output when neither hears it.
    func fail(_ message: String) {
        #if canImport(Testing)
            if Test.current != nil { return record(message) }
        #endif
        #if canImport(XCTest)
            if FailureWitness.shared.hears({ XCTFail(message, file: file, line: line) }) { return }
        #endif
        print("\(file):\(line): \(message)")
        #if canImport(Testing)
            // By a thread or task that is not the test's own: it fails the run all the same.
            record(message)
        #endif
    }

    #if canImport(Testing)
        private func record(_ message: String) {
            let location = SourceLocation(fileID: fileID, filePath: "\(file)", line: Int(line), column: Int(column))
            Issue.record(Comment(rawValue: message), sourceLocation: location)
        }
    #endif
}

#if canImport(XCTest)
    /// Tells whether a failure reached a test: XCTest drops those that come while none of its own runs.
    private final class FailureWitness: XCTestObservation, Sendable {
        static let shared = FailureWitness()

        private let failures = Locked(0)

        private init() {
            XCTestObservationCenter.shared.addTestObserver(self)
        }

        func hears(_ fail: () -> Void) -> Bool {
            let before = failures.withLock { $0 }
            fail()
            return failures.withLock { $0 } != before
        }

        func testCase(
            _ testCase: XCTestCase, didFailWithDescription description: String, inFile filePath: String?,
            atLine lineNumber: Int
        ) {
            failures.withLock { $0 += 1 }
        }
    }
#endif
