import Glibc
import Testing

@testable import rxctl

struct SocketPathTests {
    private func path(_ option: String?, _ environment: [String: String], existing: [String] = []) -> String {
        SocketPath.resolve(option: option, environment: { environment[$0] }, exists: existing.contains)
    }

    @Test("the option comes first, then RXD_SOCKET, the user's socket, the system's")
    func order() {
        let all = ["RXD_SOCKET": "/env.sock", "XDG_RUNTIME_DIR": "/run/user/1000"]
        let users = "/run/user/1000/rxd/rxd.sock"
        #expect(path("/option.sock", all, existing: [users]) == "/option.sock")
        #expect(path(nil, all, existing: [users]) == "/env.sock")
        #expect(path(nil, ["XDG_RUNTIME_DIR": "/run/user/1000"], existing: [users]) == users)
        #expect(path(nil, [:]) == "/run/rxd/rxd.sock")
    }

    @Test("a socket that cannot be connected to is started by the manager that has it")
    func advice() {
        func text(_ path: String) -> String {
            SocketAdvice.text(for: path, ENOENT) { ["XDG_RUNTIME_DIR": "/run/user/1000"][$0] }
        }
        #expect(text("/run/rxd/rxd.sock").hasPrefix("; run `systemctl start rxd.socket`"))
        #expect(text("/run/user/1000/rxd/rxd.sock").contains("`systemctl --user start rxd.socket`"))
        #expect(text("/tmp/x.sock").contains("such as by `systemctl start rxd.socket`"))
    }

    @Test("the user's socket counts only if it is there; RXD_SOCKET is taken at its word")
    func existence() {
        #expect(path(nil, ["XDG_RUNTIME_DIR": "/run/user/1000"]) == "/run/rxd/rxd.sock")
        #expect(path(nil, ["RXD_SOCKET": "/not/there.sock"]) == "/not/there.sock")
    }

    @Test("empty variables are unset ones")
    func empty() {
        let empty = ["RXD_SOCKET": "", "XDG_RUNTIME_DIR": ""]
        #expect(path(nil, empty, existing: ["/rxd/rxd.sock"]) == "/run/rxd/rxd.sock")
    }
}
