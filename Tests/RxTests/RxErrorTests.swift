import Rx
import Testing

@Suite("The texts of the library's errors")
struct RxErrorTests {
    private struct Door: CustomStringConvertible {
        let description = "door"
    }

    @Test("are those of RxSwift")
    func texts() {
        let texts: [(RxError, String)] = [
            (.unknown, "Unknown error occurred."),
            (.disposed(object: Door()), "Object `door` was already disposed."),
            (.overflow, "Arithmetic overflow occurred."),
            (.argumentOutOfRange, "Argument out of range."),
            (.noElements, "Sequence doesn't contain any elements."),
            (.moreThanOneElement, "Sequence contains more than one element."),
            (.timeout, "Sequence timeout."),
        ]
        for (error, text) in texts {
            #expect(error.debugDescription == text)
            #expect("\(error)" == text)
        }
    }
}
