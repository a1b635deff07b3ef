import Testing

@testable import rxctl

struct SocketPathTests {
    private func path(_ option: String?, _ environment: [String: String], existing: [String] = []) -> String {
        SocketPath.resolve(option: option, environment: { environment[$0] }, exists: existing.contains)
    }

    @Test("the option comes first, then RXD_SOCKET, the user's socket, the system's")
    func order() {
        let all = ["RXD_SOCKET": "/env.sock", "XDG_RUNTIME_DIR": "/run/user/1000"]
        let users = "/run/user/1000/rxd.sock"
        #expect(path("/option.sock", all, existing: [users]) == "/option.sock")
        #expect(path(nil, all, existing: [users]) == "/env.sock")
        #expect(path(nil, ["XDG_RUNTIME_DIR": "/run/user/1000"], existing: [users]) == users)
        #expect(path(nil, [:]) == "/run/rxd/rxd.sock")
    }

    @Test("the user's socket counts only if it is there; RXD_SOCKET is taken at its word")
    func existence() {
        #expect(path(nil, ["XDG_RUNTIME_DIR": "/run/user/1000"]) == "/run/rxd/rxd.sock")
        #expect(path(nil, ["RXD_SOCKET": "/not/there.sock"]) == "/not/there.sock")
    }

    @Test("empty variables are unset ones")
    func empty() {
        #expect(path(nil, ["RXD_SOCKET": "", "XDG_RUNTIME_DIR": ""], existing: ["/rxd.sock"]) == "/run/rxd/rxd.sock")
    }
}
