import Glibc
import RxPlatform
import Testing

struct SystemErrorNameTests {
    @Test("an errno has a sentence and a name; one that is not in the table has a sentence alone")
    func text() {
        #expect(SystemErrorName.text(of: ENOENT) == "No such file or directory (ENOENT)")
        #expect(SystemErrorName.text(of: ENOTSOCK) == "Socket operation on non-socket (ENOTSOCK)")
        #expect(SystemErrorName.name(of: ETXTBSY) == "ETXTBSY")
        #expect(SystemErrorName.name(of: 0) == nil)
        #expect(SystemErrorName.text(of: ECHILD) == "No child processes")
    }
}
