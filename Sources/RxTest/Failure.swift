internal import Rx

#if canImport(Testing)
    internal import Testing
#endif
#if canImport(XCTest)
    internal import XCTest
#endif

/// The source location of an assertion.
struct CallSite {
    let fileID: String
    let file: StaticString
    let line: UInt
    let column: UInt
}

extension CallSite {
    /// A location without a column or a module.
    init(file: StaticString, line: UInt) {
        let path = "\(file)".split(separator: "/").suffix(2)
        self.init(
            fileID: path.count == 2 ? path.joined(separator: "/") : "Test/\(file)", file: file, line: line, column: 1)
    }

    /// Fails the running test of Swift Testing or XCTest. Prints to standard output if neither records the failure.
    func fail(_ message: String) {
        #if canImport(Testing)
            if Test.current != nil { return record(message) }
        #endif
        #if canImport(XCTest)
            if FailureWitness.shared.hears({ XCTFail(message, file: file, line: line) }) { return }
        #endif
        print("\(file):\(line): \(message)")
        #if canImport(Testing)
            // Called on a thread or task that does not belong to the test; this still fails the run.
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
    /// Detects whether a failure reached a test. XCTest drops failures that occur while none of its tests runs.
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
